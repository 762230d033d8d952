"""Providers' errors: one reading of their many shapes, and one table of what kind each is.

An error is an object in a field `error` (or is that field's text): message, and a code, a type or a status, as words
or as an HTTP status. Its words decide the kind before its status does, because they say more.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolwire.wire._read import count, items, obj, text, word

if TYPE_CHECKING:
    from toolwire.accumulator import Accumulator
    from toolwire.events import ErrorKind
    from toolwire.wire._read import Payload

__all__ = ["ErrorReport", "classify", "error_of", "is_of", "kind_of_status", "report", "told_by"]

# kind -> the words for it, of any provider, in lower case and without punctuation
_WORDS: Final[dict[ErrorKind, str]] = {
    "rate_limit": """billinghardlimitreached insufficientquota quotaexceeded ratelimit ratelimited ratelimiterror
        ratelimitexceeded requestlimitexceeded resourceexhausted servicequotaexceededexception throttled throttling
        throttlingexception tokenlimitexceeded tokensperminute toomanyrequests toomanyrequestsexception""",
    "overloaded": """capacityexceeded engineoverloaded engineoverloadederror modelnotreadyexception modeloverloaded
        overloaded overloadederror serveroverloaded serviceunavailable serviceunavailableerror
        serviceunavailableexception slowdown unavailable""",
    "auth": """accessdenied accessdeniedexception accountdeactivated authenticationerror billingerror
        expiredtokenexception forbidden insufficientcredits insufficientpermissions invalidapikey invalidauthentication
        missingauthenticationtoken permissiondenied permissionerror unauthenticated unauthorized
        unrecognizedclientexception""",
    "context_length": """contextlengthexceeded contextwindowexceeded exceedcontextsizeerror inputtoolong
        maxtokensexceeded modelcontextwindowexceeded prompttoolong requesttoolarge stringabovemaxlength
        toolargeerror""",
    "content_filter": """blocked contentfilter contentfiltered contentpolicyviolation datainspectionfailed
        guardrailintervened imagesafety moderationblocked prohibitedcontent responsibleaipolicyviolation safety
        safetysystem""",
    "timeout": """deadlineexceeded gatewaytimeout modeltimeoutexception requesttimeout timeout timeouterror
        timeoutexception""",
    "connection": "apiconnectionerror cancelled connectionerror connectionreset upstreamerror",
    "invalid_request": """badrequest badrequesterror failedprecondition invalidargument invalidparametererror
        invalidprompt invalidrequest invalidrequesterror invalidvalue modelnotfound notfound notfounderror outofrange
        resourcenotfoundexception unprocessableentity unsupportedparameter unsupportedvalue validationerror
        validationexception""",
    "server": """apierror internal internalerror internalservererror internalserverexception malformedfunctioncall
        modelerror modelerrorexception modelstreamerrorexception servererror toolusefailed unexpectedtoolcall
        unknown""",
}
_KIND_OF_WORD: Final = {name: kind for kind, names in _WORDS.items() for name in names.split()}

_KIND_OF_STATUS: Final[dict[int, ErrorKind]] = {
    401: "auth",
    402: "auth",
    403: "auth",
    408: "timeout",
    413: "context_length",
    429: "rate_limit",
    499: "connection",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}

# A message that tells of too much input, whatever the code beside it says.
_TOO_LONG: Final = re.compile(
    r"context.{0,20}(?:length|window)|maximum (?:prompt|context)|(?:prompt|input).{0,20} too (?:long|large)",
    re.IGNORECASE,
)
_LASTING: Final = frozenset({"billinghardlimitreached", "insufficientquota"})
_RETRYABLE: Final = frozenset({"rate_limit", "overloaded", "server", "timeout", "connection", "protocol"})
_SECONDS: Final = re.compile(r"(\d+(?:\.\d+)?)s")


# The packages of SDKs, in which the exceptions of their clients are defined.
_SDKS: Final = frozenset(
    [
        *("anthropic", "boto3", "botocore", "cerebras", "cohere", "fireworks", "google", "groq", "huggingface_hub"),
        *("litellm", "llama_api_client", "mistralai", "ollama", "openai", "together", "writerai", "xai_sdk"),
    ]
)


class ErrorReport(NamedTuple):
    """A provider's error, as far as it told. `code` is its most telling word; `status` an HTTP status."""

    message: str
    code: str | None = None
    raw: Any = None
    status: int | None = None
    retry_after: float | None = None
    words: tuple[str, ...] = ()


def error_of(error: Any) -> ErrorReport | None:
    """The error in an `error` field: an object with message and code, type or status, or just a text. None if empty."""
    if isinstance(error, list):
        error = next((each for each in error if each), None)
    if not error:
        return None
    if not isinstance(error, dict):
        if isinstance(error, str):
            return ErrorReport(error, None, error)
        known = count(error)
        known = known if known is not None and 400 <= known <= 599 else None
        return ErrorReport(f"error {word(error) or type(error).__name__}", word(error) or None, error, known)
    code = word(error.get("code"))
    status = word(error.get("status")) or word(error.get("type"))
    # A numeric code is an HTTP status; a word beside it says more.
    numeric = len(code) == 3 and code.isascii() and code.isdigit()
    best = status if numeric and status else code or status
    number = next(
        (n for n in map(count, (error.get("status_code"), error.get("code"), error.get("status"))) if n), None
    )
    if number is None and numeric:
        number = int(code)
    return ErrorReport(
        text(error.get("message")) or text(error.get("detail")),
        best or None,
        error,
        number if number is not None and 400 <= number <= 599 else None,
        _retry_delay(error),
        (code, status, word(error.get("type"))),
    )


def is_of(error: BaseException | None, packages: frozenset[str]) -> bool:
    """Whether an exception's type, or one that it is made of, is defined in one of the packages."""
    return any(kind.__module__.partition(".")[0] in packages for kind in type(error).__mro__)


def told_by(error: Exception) -> ErrorReport | None:
    """The provider's error that its SDK has made an exception of; None for any other exception."""
    if not is_of(error, _SDKS):
        return None
    response = getattr(error, "response", None)
    if isinstance(response, dict):  # botocore
        said = obj(response.get("Error"))
        found = error_of({"type": said.get("Code"), "message": said.get("Message")}) if said else None
        return found and found._replace(status=count(obj(response.get("ResponseMetadata")).get("HTTPStatusCode")))
    status = count(getattr(error, "status_code", None)) or count(getattr(error, "code", None))
    status = status if status is not None and 400 <= status <= 599 else None
    bodies = [_decoded(getattr(error, name, None)) for name in ("body", "details", "error")]
    found = next((error_of(obj(each).get("error") or each) for each in bodies if each), None)
    if found is None and status is None:
        return None
    found = found or ErrorReport("")
    return found._replace(message=found.message or str(error), status=found.status if status is None else status)


def _decoded(body: Any) -> Any:
    """An exception's body as a plain value: text and bytes that hold JSON are read, other objects say nothing."""
    if isinstance(body, bytes | bytearray | str):
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            return body if isinstance(body, str) else None
    if isinstance(body, list):
        body = next((each for each in body if isinstance(each, dict)), None)
    return body if isinstance(body, dict) else None


def classify(report: ErrorReport) -> tuple[ErrorKind, bool]:
    """The kind of an error, and whether the same request may do better later."""
    words = [re.sub("[^a-z0-9]", "", each.lower()) for each in (*report.words, report.code or "") if each]
    kind: ErrorKind | None = next((_KIND_OF_WORD[each] for each in words if each in _KIND_OF_WORD), None)
    if kind in (None, "invalid_request") and _TOO_LONG.search(report.message):
        kind = "context_length"
    if kind is None:
        kind = "server" if report.status is None else kind_of_status(report.status)
    return kind, kind in _RETRYABLE and _LASTING.isdisjoint(words)


def kind_of_status(status: int) -> ErrorKind:
    """The kind of an HTTP status that has no words with it."""
    return _KIND_OF_STATUS.get(status, "invalid_request" if 400 <= status < 500 else "server")


def report(acc: Accumulator, error: ErrorReport) -> None:
    """Tell the accumulator of a provider's error."""
    kind, retryable = classify(error)
    acc.fail(
        kind,
        error.message,
        code=error.code,
        status=error.status,
        retryable=retryable,
        retry_after=error.retry_after,
        raw=error.raw,
    )


def _retry_delay(error: Payload) -> float | None:
    """Google's RetryInfo among an error's details, or a plain `retry_after`, in seconds."""
    for detail in items(error.get("details")):
        found = _SECONDS.fullmatch(text(obj(detail).get("retryDelay")))
        if found and len(found[1]) < 10:
            return float(found[1])
    plain = error.get("retry_after")
    return float(plain) if isinstance(plain, int | float) and not isinstance(plain, bool) and 0 <= plain < 1e9 else None
