"""Already parsed payloads: dicts, and the objects of official SDKs, recognised by what they can do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from toolwire.errors import UsageError

__all__ = ["to_payload"]


def to_payload(value: object) -> Any:
    """The plain dict (or list) of a payload. No SDK is imported.

    Raises `UsageError` for what is no payload.
    """
    if isinstance(value, dict | list):
        return value
    if isinstance(value, Mapping):
        return dict(value)
    dump = getattr(
        value, "model_dump", None
    )  # Pydantic: what was not on the wire must not appear, aliases are the wire's
    if callable(dump):
        return dump(mode="json", by_alias=True, exclude_none=True)
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        from dataclasses import asdict

        return asdict(cast("Any", value))
    to_dict = getattr(value, "to_dict", None)
    if callable(to_dict):
        return to_dict()
    if isinstance(value, str | bytes):
        if value == "[DONE]":
            return value
        raise UsageError("text and bytes are not parsed payloads: give them to receive()")
    raise UsageError(f"{type(value).__name__} is no payload: give bytes, text, dicts or objects of a provider's SDK")
