"""The lists of models, as each provider's own SDK reads them."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from toolwire.errors import UsageError
from toolwire.wire import ALIASES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["models_body"]

_CREATED = 1767225600
_CREATED_TEXT = "2026-01-01T00:00:00Z"
_CONTEXT = 200_000
_OUTPUT = 64_000


def models_body(wire: str, models: Iterable[str]) -> dict[str, Any]:
    """The body of a wire's list of models, sorted by name. Raises `UsageError` for a wire that has none."""
    write = _LISTS.get(ALIASES.get(wire, wire))
    if write is None:
        raise UsageError(f"no list of models over {wire!r}: use one of {', '.join(_LISTS)}")
    return write(sorted(models))


def _openai(models: list[str]) -> dict[str, Any]:
    entries = [{"id": name, "object": "model", "created": _CREATED, "owned_by": "mock"} for name in models]
    return {"object": "list", "data": entries}


def _anthropic(models: list[str]) -> dict[str, Any]:
    entries = [
        {
            "type": "model",
            "id": name,
            "display_name": name,
            "created_at": _CREATED_TEXT,
            "lifecycle": "active",
            "max_input_tokens": _CONTEXT,
            "max_tokens": _OUTPUT,
        }
        for name in models
    ]
    first, last = (models[0], models[-1]) if models else (None, None)
    return {"data": entries, "has_more": False, "first_id": first, "last_id": last}


def _gemini(models: list[str]) -> dict[str, Any]:
    entries = [
        {
            "name": f"models/{name}",
            "baseModelId": name,
            "version": "001",
            "displayName": name,
            "inputTokenLimit": _CONTEXT,
            "outputTokenLimit": _OUTPUT,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        }
        for name in models
    ]
    return {"models": entries}


def _cohere(models: list[str]) -> dict[str, Any]:
    entries = [
        {
            "name": name,
            "is_deprecated": False,
            "endpoints": ["chat"],
            "finetuned": False,
            "context_length": _CONTEXT,
            "tokenizer_url": None,
            "default_endpoints": [],
            "features": ["tools", "tool_choice"],
        }
        for name in models
    ]
    return {"models": entries, "next_page_token": None}


def _ollama(models: list[str]) -> dict[str, Any]:
    entries = [
        {
            "name": name,
            "model": name,
            "modified_at": _CREATED_TEXT,
            "size": 1,
            "digest": sha256(name.encode()).hexdigest(),
            "details": {
                "parent_model": "",
                "format": "gguf",
                "family": "mock",
                "families": ["mock"],
                "parameter_size": "0B",
                "quantization_level": "F16",
            },
        }
        for name in models
    ]
    return {"models": entries}


_LISTS: dict[str, Callable[[list[str]], dict[str, Any]]] = {
    "anthropic": _anthropic,
    "cohere": _cohere,
    "gemini": _gemini,
    "ollama": _ollama,
    "openai-chat": _openai,
    "openai-responses": _openai,
}
