"""Gemini's generateContent, on the Developer API and on Vertex.

`{role: "model", parts}`, then `{role: "user", parts: [functionResponse, ...]}` in the order of the calls. A response is
an object: "output" and "error" are the keys for what is none (google-genai, `FunctionResponse.response`). Ids are given
back only where Gemini sent one.

A `thoughtSignature` goes back on its call; one that stood beside text goes back on an empty text part in the same
place, which is a form that Gemini itself streams. Thoughts aren't sent back. Gemini 3 refuses a turn whose first call
has no signature, and for calls from elsewhere the documentation gives a dummy: "skip_thought_signature_validator"
(ai.google.dev/gemini-api/docs/thought-signatures, and the page of the same name on Vertex). What Gemini did itself with
its own tools goes back as it came (ai.google.dev/gemini-api/docs/tool-combination).
"""

from __future__ import annotations

from typing import Any

from toolwire.history import Answer, Called, Native, Said, Thought, Turn

__all__ = ["write"]

_OWN = "gemini"
_SIGNATURE = "thoughtSignature"
_DUMMY = "skip_thought_signature_validator"
_NATIVE = ("codeExecutionResult", "executableCode", "toolCall", "toolResponse")


def write(turn: Turn) -> list[dict[str, Any]]:
    """The model's content, and the user's with all results."""
    own = turn.source == _OWN
    parts: list[dict[str, Any]] = []
    unsigned = not own
    for part in turn.parts:
        match part:
            case Said() if part.text:
                if parts and parts[-1].keys() == {"text"}:
                    parts[-1]["text"] += part.text
                else:
                    parts.append({"text": part.text})
            case Thought(field="thoughtSignature") if own and part.signature:
                parts.append({"text": "", _SIGNATURE: part.signature})
            case Called(hosted=False):
                call: dict[str, Any] = {
                    "functionCall": {"name": part.name, "args": part.arguments, **_id(part, own=own)}
                }
                signature = part.extra.get(_SIGNATURE) if own else _DUMMY if unsigned else None
                parts.append(call | ({_SIGNATURE: signature} if signature else {}))
                unsigned = False
            case Native(payload=dict() as payload) if own and any(name in payload for name in _NATIVE):
                parts.append(payload)
    entries: list[dict[str, Any]] = [{"role": "model", "parts": parts}] if parts else []
    if turn.answers:
        responses = [
            {"functionResponse": {"name": answer.call.name, "response": _response(answer), **_id(answer.call, own=own)}}
            for answer in turn.answers
        ]
        entries.append({"role": "user", "parts": responses})
    return entries


def _id(call: Called, *, own: bool) -> dict[str, Any]:
    return {"id": call.vendor_id} if own and call.vendor_id else {}


def _response(answer: Answer) -> dict[str, Any]:
    if answer.is_error:
        return {"error": answer.content}
    return answer.content if isinstance(answer.content, dict) else {"output": answer.content}
