"""Quirks of OpenAI Chat's compatible servers, all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolwire.mock.quirks import openai_chat_arguments, openai_chat_ends, openai_chat_identity

if TYPE_CHECKING:
    from toolwire.mock.quirks import Quirk

QUIRKS: Final[dict[str, Quirk]] = {
    **openai_chat_identity.QUIRKS,
    **openai_chat_arguments.QUIRKS,
    **openai_chat_ends.QUIRKS,
}
