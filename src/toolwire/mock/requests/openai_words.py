"""How OpenAI, Azure and Mistral refuse requests.

OpenAI's messages are those of its errors as people quote them, e.g. "messages with role 'tool' must be a response to a
preceeding message" (its spelling; github.com/simonw/llm/issues/937), "No tool call found for function call output"
(github.com/continuedev/continue/issues/10092), "No tool output found for function call"
(github.com/tjardoo/openai-client/pull/124). Azure passes them on, save for keys and deployments. Mistral's are those of
mistral-common's validator with the API's types and codes (github.com/nearai/ironclaw/issues/1241,
github.com/datapizza-labs/datapizza-ai/issues/98), and of its schema, which come as status 422. No quotation was found
of those for bodies that are too large, for Azure's keys and for Mistral's names of tools.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from toolwire.mock.asked import RefusedError
from toolwire.mock.requests.incoming import base_name, kind_of

if TYPE_CHECKING:
    from toolwire.mock.requests.incoming import Incoming

__all__ = ["Azure", "Mistral", "Words", "words_for"]

_ARTICLES = {"a decimal": "a decimal number"}


class Words:
    """OpenAI's words. `param` is a path like `messages[1].role`."""

    wire = "openai-chat"
    dialect = ""
    roles: tuple[str, ...] = ("system", "assistant", "user", "function", "tool", "developer")
    longest_name = 64

    def refused(
        self, message: str, param: str | None = None, code: str | None = None, status: int = 400
    ) -> RefusedError:
        """Any refusal."""
        error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
        return RefusedError(status, {"error": error})

    def too_large(self, size: int, limit: int) -> RefusedError:
        """The body is too large."""
        return self.refused(f"413: Maximum content size limit ({limit}) exceeded ({size} bytes read)", status=413)

    def broken(self, reason: str, rest: str) -> RefusedError:
        """The body is no JSON object."""
        return self.refused(
            "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP "
            f"library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON: {reason})"
        )

    def wrong_key(self, key: str) -> RefusedError:
        """The key is missing ("") or wrong."""
        if not key:
            return self.refused(
                "You didn't provide an API key. You need to provide your API key in an Authorization header using "
                "Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
                status=401,
            )
        shown = f"{key[:8]}{'*' * 8}{key[-4:]}" if len(key) > 12 else "*" * len(key)
        return self.refused(f"Incorrect API key provided: {shown}.", None, "invalid_api_key", 401)

    def no_model(self) -> RefusedError:
        """No model is named."""
        return self.refused("you must provide a model parameter")

    def unknown_model(self, model: str) -> RefusedError:
        """There is no such model."""
        message = f"The model `{model}` does not exist or you do not have access to it."
        return self.refused(message, None, "model_not_found", 404)

    def missing(self, param: str) -> RefusedError:
        """A field is missing."""
        return self.refused(f"Missing required parameter: '{param}'.", param, "missing_required_parameter")

    def wrong_type(self, param: str, expected: str, value: Any) -> RefusedError:
        """A field is of another type. `expected` with its article."""
        got = kind_of(value)
        message = f"Invalid type for '{param}': expected {expected}, but got {_ARTICLES.get(got, got)} instead."
        return self.refused(message, param, "invalid_type")

    def empty(self, param: str) -> RefusedError:
        """An array is empty."""
        message = f"Invalid '{param}': empty array. Expected an array with minimum length 1, but got an empty array"
        return self.refused(f"{message} instead.", param, "empty_array")

    def wrong_value(self, param: str, value: Any, supported: tuple[str, ...]) -> RefusedError:
        """A field has none of its values."""
        *some, last = (f"'{each}'" for each in supported)
        message = f"Invalid value: '{value}'. Supported values are: {', '.join(some)}, and {last}."
        return self.refused(message, param, "invalid_value")

    def wrong_role(self, index: int, role: Any) -> RefusedError:
        """There is no such role."""
        return self.wrong_value(f"messages[{index}].role", role, self.roles)

    def wrong_name(self, param: str, name: str) -> RefusedError:
        """A tool's name is empty, has characters that are not taken, or too many."""
        if not name:
            message = (
                f"Invalid '{param}': empty string. Expected a string with minimum length 1, but got an empty string"
            )
            return self.refused(f"{message} instead.", param, "empty_string")
        if re.fullmatch("[a-zA-Z0-9_-]+", name):
            return self.too_long(param, name, self.longest_name)
        message = f"Invalid '{param}': string does not match pattern. Expected a string that matches the pattern"
        return self.refused(f"{message} '^[a-zA-Z0-9_-]+$'.", param, "invalid_value")

    def wrong_schema(self, param: str, name: str, kind: Any) -> RefusedError:
        """A tool's parameters are no object's schema."""
        message = f"Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"', got"
        return self.refused(f"{message} 'type: \"{kind}\"'.", param, "invalid_function_parameters")

    def too_long(self, param: str, value: str, limit: int) -> RefusedError:
        """A string is too long."""
        message = f"Invalid '{param}': string too long. Expected a string with maximum length {limit}, but got"
        return self.refused(f"{message} a string with length {len(value)} instead.", param, "string_above_max_length")

    def wrong_id(self, param: str, value: str) -> RefusedError:
        """A call's id is not of the form that ids have."""
        return self.too_long(param, value, 40)

    def no_content(self, index: int, role: str, *, absent: bool) -> RefusedError:
        """A message has no content."""
        if role != "developer":
            message = "Invalid value for 'content': expected a string, got null."
            return self.refused(message, f"messages.[{index}].content")
        param = f"messages[{index}].content"
        return self.missing(param) if absent else self.wrong_type(param, "one of a string or array of objects", None)

    def unanswered(self, index: int, ids: list[str]) -> RefusedError:
        """Calls have no results. `index`: where a result should be."""
        return self.refused(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(ids)}",
            f"messages.[{index}].role",
        )

    def orphan(self, index: int, id: str, *, after_calls: bool) -> RefusedError:
        """A result has no call. `after_calls`: there are calls, but none with its id."""
        if after_calls:
            message = f"Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message."
            return self.refused(message, f"messages.[{index}].tool_call_id")
        message = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with"
        return self.refused(f"{message} 'tool_calls'.", f"messages.[{index}].role")

    def choice_alone(self) -> RefusedError:
        """A choice among tools, but no tools."""
        message = "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
        return self.refused(message, "tool_choice")

    def unknown_choice(self, name: str) -> RefusedError:
        """The tool to call is not among the tools."""
        message = f"Invalid value for 'tool_choice': no function named '{name}' was specified in the 'tools' parameter."
        return self.refused(message, "tool_choice")


class Azure(Words):
    """Azure's words, where they differ."""

    dialect = "azure"

    def wrong_key(self, key: str) -> RefusedError:
        """The key is missing or wrong."""
        message = (
            "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for "
            "an active subscription and use a correct regional API endpoint for your resource."
        )
        return RefusedError(401, {"error": {"code": "401", "message": message}})

    def unknown_model(self, model: str) -> RefusedError:
        """There is no such deployment."""
        message = (
            "The API deployment for this resource does not exist. If you created the deployment within the last 5 "
            "minutes, please wait a moment and try again."
        )
        return RefusedError(404, {"error": {"code": "DeploymentNotFound", "message": message}})


class Mistral(Words):
    """Mistral's words."""

    dialect = "mistral"
    roles = ("system", "user", "assistant", "tool")

    def refused(
        self, message: str, param: str | None = None, code: str | None = None, status: int = 400
    ) -> RefusedError:
        """Any refusal."""
        return self._typed(message, "invalid_request_error", code, status)

    def broken(self, reason: str, rest: str) -> RefusedError:
        """The body is no JSON object."""
        return self._schema("json_invalid", "", f"JSON decode error: {reason}")

    def wrong_key(self, key: str) -> RefusedError:
        """The key is missing or wrong."""
        return RefusedError(401, {"detail": "Unauthorized"})

    def no_model(self) -> RefusedError:
        """No model is named."""
        return self.missing("model")

    def unknown_model(self, model: str) -> RefusedError:
        """There is no such model."""
        return self._typed(f"Invalid model: {base_name(model)}", "invalid_model", "1500")

    def missing(self, param: str) -> RefusedError:
        """A field is missing."""
        return self._schema("missing", param, "Field required")

    def wrong_type(self, param: str, expected: str, value: Any) -> RefusedError:
        """A field is of another type."""
        kind = {"a string": "string", "an object": "dict"}.get(expected, "list")
        shown = {"string": "string", "dict": "dictionary", "list": "list"}[kind]
        return self._schema(f"{kind}_type", param, f"Input should be a valid {shown}")

    def empty(self, param: str) -> RefusedError:
        """An array is empty."""
        if param != "messages":
            return self._schema("too_short", param, "List should have at least 1 item after validation, not 0")
        return self._order("Conversation must have at least one message")

    def wrong_role(self, index: int, role: Any) -> RefusedError:
        """There is no such role."""
        tags = ", ".join(f"'{each}'" for each in self.roles)
        message = f"Input tag '{role}' found using 'role' does not match any of the expected tags: {tags}"
        return self._schema("union_tag_invalid", f"messages[{index}]", message)

    def wrong_name(self, param: str, name: str) -> RefusedError:
        """A tool's name has characters that are not taken, or too many."""
        message = f"Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a "
        return self._typed(f"{message}maximum length of 64.", "invalid_function_call", "3280")

    def wrong_id(self, param: str, value: str) -> RefusedError:
        """A call's id is not of the form that ids have."""
        message = f"Tool call id was {value} but must be a-z, A-Z, 0-9, with a length of 9."
        return self._typed(message, "invalid_function_call", "3280")

    def unanswered(self, index: int, ids: list[str]) -> RefusedError:
        """Calls have no results."""
        return self._order("Not the same number of function calls and responses")

    def orphan(self, index: int, id: str, *, after_calls: bool) -> RefusedError:
        """A result has no call."""
        return self._order(f"Unexpected tool call id {id} in tool results")

    def _order(self, message: str) -> RefusedError:
        return self._typed(message, "invalid_request_message_order", "3230")

    def _typed(self, message: str, kind: str, code: str | None, status: int = 400) -> RefusedError:
        body = {"object": "error", "message": message, "type": kind, "param": None, "code": code}
        return RefusedError(status, body)

    def _schema(self, kind: str, param: str, message: str) -> RefusedError:
        place = [int(each) if each.isdigit() else each for each in re.split(r"[\[\].]+", param) if each]
        detail = {"detail": [{"type": kind, "loc": ["body", *place], "msg": message}]}
        body = {"object": "error", "message": detail, "type": "invalid_request_error", "param": None, "code": None}
        return RefusedError(422, body)


def words_for(request: Incoming) -> Words:
    """The words of the provider whose request it is: Mistral's below `/mistral`, Azure's with what only Azure has."""
    steps = request.path.strip("/").lower().split("/")
    if "mistral" in steps:
        return Mistral()
    azure = "deployments" in steps or "azure" in steps or "api-version" in request.query
    return Azure() if azure or "api-key" in request.headers else Words()
