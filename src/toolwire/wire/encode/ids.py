"""Call ids in the form that a client's wire has, and back.

What is good already stays; else the id is written in other characters behind a mark, so that whoever gets it back can
read the original without having kept anything.
"""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolwire.wire.history.rules import Rule

__all__ = ["client_id", "original_id"]

_MARK: Final = "tw_"


def client_id(id: str, rule: Rule) -> str:
    """A call's id as a client of a wire gets it. `rule`: which characters the wire's ids have."""
    if not id.startswith(_MARK) and rule.takes(id):
        return id
    return _MARK + urlsafe_b64encode(id.encode("utf-8", "surrogatepass")).decode().rstrip("=")


def original_id(id: str) -> str:
    """The id that a client gives back with a call's result, as the provider knows it."""
    if not id.startswith(_MARK):
        return id
    coded = id[len(_MARK) :]
    try:
        found = urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode("utf-8", "surrogatepass")
    except (binascii.Error, ValueError):
        return id
    # Only what we would write so was written so.
    return found if _MARK + urlsafe_b64encode(found.encode("utf-8", "surrogatepass")).decode().rstrip("=") == id else id
