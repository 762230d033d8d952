"""Fragments that begin with all that came before: a delta by chance, or a server that sends snapshots?

Theory. Two readings of the fragment are followed side by side. *append*: it is a delta. *snapshot*: it is the
text so far, sent again, with more behind it. While both go on to valid JSON, the fragments are held; they are
released when one reading dies. A fragment that doesn't begin with its predecessor speaks against snapshots,
so it settles the matter for *append* unless that is dead and *snapshot* lives. No work is ever done over text
that is longer than the fragment at hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from toolwire.partial.tables import DONE, HOPELESS

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwire.partial.scanner import Scanner

__all__ = ["Doubt", "Reading"]

Reading: TypeAlias = Literal["both", "append", "snapshot"]


class _Shadow:
    """A scanner that follows one reading and is thrown away afterwards."""

    __slots__ = ("_at", "_scanner", "alive")

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._at = 0
        self.alive = True

    def feed(self, text: str) -> bool:
        """Follow the reading. False once the text can't be JSON."""
        if self.alive:
            rest = self._scanner.feed(text, self._at)
            self._at += len(text)
            self.alive = rest < 0 and self._scanner.state != HOPELESS
        return self.alive

    def end(self) -> bool:
        """No more text will come: is it one whole value?"""
        self._scanner.end()
        return self.alive and self._scanner.state == DONE


class Doubt:
    """The fragments held since the text so far was `text`. `reading` says how they are to be taken."""

    __slots__ = ("_after", "_append", "_held", "_known", "_last", "_snapshot", "reading")

    def __init__(self, fresh: Callable[[], Scanner], text: str, fragment: str) -> None:
        self._append = _Shadow(fresh())
        self._snapshot = _Shadow(fresh())
        self._append.feed(text)
        self._known = len(text)
        self._held = [fragment]
        self._last = fragment
        self._after = ""
        self.reading: Reading = self._judge(fragment, fragment, snapshot=True)

    def feed(self, fragment: str) -> None:
        """Hold another fragment, and decide if it can be decided."""
        last = self._last
        self._held.append(fragment)
        if len(fragment) >= len(last) and fragment.startswith(last):
            self._last = fragment
            self.reading = self._judge(fragment, fragment[len(last) :], snapshot=True)
        else:
            self._after = fragment
            self.reading = self._judge(fragment, fragment, snapshot=False)

    def end(self) -> None:
        """No more text will come: it is *append*, unless only *snapshot* makes a whole document."""
        whole = self._append.end()
        self.reading = "snapshot" if not whole and self._snapshot.end() else "append"

    @property
    def released(self) -> str:
        """The text to admit behind the text so far, by the reading that was found right."""
        if self.reading == "snapshot":
            return self._last[self._known :] + self._after
        return "".join(self._held)

    @property
    def held(self) -> int:
        """The number of characters held."""
        return sum(map(len, self._held))

    def _judge(self, delta: str, suffix: str, *, snapshot: bool) -> Reading:
        appends = self._append.feed(delta)
        snaps = self._snapshot.feed(suffix)
        if snapshot:
            return "snapshot" if not appends else "both" if snaps else "append"
        return "snapshot" if snaps and not appends else "append"
