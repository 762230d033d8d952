"""`PartialJSON`: the text of one JSON value as it arrives, what can be shown of it, and the verdict on it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from toolwire.errors import ProviderError, UsageError
from toolwire.partial.changes import MISSING, copy_value
from toolwire.partial.nested import Nested
from toolwire.partial.repairs import Duplicate, Fault, FaultReason, Repair, RepairName, repair_names
from toolwire.partial.resend import Doubt
from toolwire.partial.scanner import Scanner
from toolwire.partial.tables import DONE, HOPELESS, RECORDED
from toolwire.partial.trailing import Trail, stray
from toolwire.partial.whole import read_whole

if TYPE_CHECKING:
    from collections.abc import Collection

    from toolwire.partial.changes import Change

__all__ = ["PartialJSON"]

State = Literal["empty", "open", "closed", "hopeless"]

_SPACE: Final = " \t\n\r"
_PLACEHOLDERS: Final = 8  # more empty objects than that before the arguments are no placeholders

_WORTHWHILE: Final = 32  # a document of fewer characters is as soon read by the scanner

# How much may wait to be put to the text: appending to a list costs less.
_PIECES: Final = 16
_LONG: Final = 64
_FENCE: Final = re.compile(r"```(?:[A-Za-z][A-Za-z0-9_+-]*)?(?=[ \t\n\r{\[\"])")
_HALF_FENCE: Final = re.compile(r"`{1,2}|```(?:[A-Za-z][A-Za-z0-9_+-]*)?")
_BEHIND: Final[frozenset[RepairName]] = frozenset({"resend", "trailing_junk", "escaped_space", "code_fence"})


class PartialJSON:
    """One JSON text, fed in fragments: a live value at any time, and a verdict as early as there is one.

    What holds, with no repairs, for every text and every way to cut it into fragments:

    1. The final value and the verdict are those of `json.loads` on the whole text, NaN and Infinity refused,
       within the limits on depth and digits.
    2. The result doesn't depend on the cuts, the offset of a fault included.
    3. A value once shown keeps its type; strings only grow, arrays and objects only gain, numbers and literals
       appear whole. The one exception is a repeated key: the last one wins, and `duplicates` tells of it.
    4. A key appears as soon as its value's type is known: a string or container empty, anything else whole.
       Half an escape and half a surrogate pair are withheld.
    5. The path changes replay to the same value at every prefix.
    6. A fragment costs what its own length costs, however much came before.
    7. A fault is reported at the first character that makes the text hopeless. What was shown stays readable.

    Repairs concern only texts that would be refused otherwise, with three exceptions. With `double_encoded`, a
    string that holds an object is shown as that object, and any other whole string only when it is closed.
    With `leading_empty`, the text of an empty object waits for the end, because another may follow. `resend` is
    about fragments, so it alone depends on the cuts.

    `repairs` are the names of the repairs allowed (see `DEFAULT_REPAIRS`), `changes` whether path changes are
    kept, `max_depth` the levels of containers and `max_digits` the digits of one number.
    """

    __slots__ = (
        "_at_fence",
        "_changes",
        "_doubt",
        "_ended",
        "_fault",
        "_fence",
        "_fresh",
        "_holder",
        "_hollow",
        "_limits",
        "_nested",
        "_on",
        "_opener",
        "_plain",
        "_resend",
        "_resent",
        "_scanner",
        "_shut",
        "_size",
        "_skipped",
        "_start",
        "_tail",
        "_text",
        "_trail",
    )

    def __init__(
        self,
        *,
        repairs: Collection[RepairName] = (),
        changes: bool = False,
        max_depth: int = 512,
        max_digits: int = 4300,
    ) -> None:
        if max_depth < 0 or max_digits < 1:
            raise UsageError("max_depth must be 0 or more, max_digits 1 or more")
        on = repair_names(repairs)
        self._on = on
        self._changes = changes
        self._limits = (max_depth, max_digits)
        self._scanner = Scanner(on, changes, max_depth, max_digits)
        self._holder = self._scanner.holder
        self._text = ""  # what was admitted, but for
        self._tail: list[str] = []  # the last pieces
        self._size = 0
        self._plain = False  # nothing stands between a fragment and the scanner
        self._fresh = True  # only white space so far
        self._ended = False
        self._resend = "resend" in on
        self._fault: Fault | None = None
        self._nested: Nested | None = None
        self._doubt: Doubt | None = None
        self._trail: Trail | None = None
        self._start = 0  # where the value begins in the text
        self._resent: list[int] = []
        self._hollow = False  # an object has begun, nothing is in it yet, and it may be a placeholder
        self._opener = ""  # its bracket, held too when the closer came in one fragment with it
        self._shut = ""  # its closer, held until it is clear that no document follows
        self._skipped: list[Repair] = []
        self._fence = ""
        self._at_fence: Repair | None = None

    def feed(self, text: str) -> str:
        """Read a fragment and return what was admitted to `text`.

        That is the fragment itself, save where a repair holds text back, leaves it out or releases it. Bad JSON
        never raises: see `fault`. Raises UsageError after `end()`, and TypeError for anything but a str.
        """
        at = self._size
        if self._plain and at > len(text) and type(text) is str:
            nested = self._nested
            rest = self._scanner.feed(text, at) if nested is None else nested.feed(text, at)
            if rest >= 0:
                return self._behind(text, rest)
            # as `_append` does: a call less
            self._size = at + len(text)
            tail = self._tail
            tail.append(text)
            if len(tail) >= _PIECES or len(text) > _LONG:
                self._whole()
            return text
        if self._ended:
            raise UsageError("feed() after end()")
        if not isinstance(text, str):
            raise TypeError(f"feed() takes a str, not {type(text).__name__}")
        return self._feed(text)

    def end(self) -> str:
        """Say that no more text will come, and return what that released.

        A number that stands alone is whole now, and text that was held is decided. Further calls do nothing.
        """
        if self._ended:
            return ""
        self._ended = True
        released = ""
        if self._doubt is not None:
            self._doubt.end()
            released = self._settle(self._doubt)
        if self._fence:
            # Cut off in the middle of the fence: nothing was refused, and nothing can be left out.
            released += self._append(self._fence)
        if self._shut:
            released += self._fill()
        if self._trail is not None:
            self._trail.end()
            released += self._check(self._trail)
        elif self._nested is None:
            self._scanner.end()
        self._plain = False
        return released

    @property
    def value(self) -> Any:
        """The live value, changed in place as text comes, or MISSING while nothing can be shown.

        It belongs to the parser: read it, don't change it, and take a `snapshot()` to keep it.
        """
        return self._holder[0]

    @property
    def text(self) -> str:
        """All text that was admitted."""
        return self._whole()

    @property
    def held(self) -> str:
        """Text that was fed but is not admitted, because it isn't decided yet what it is."""
        doubt = "" if self._doubt is None else self._doubt.released
        trail = "" if self._trail is None else self._trail.tail
        return self._fence + self._opener + self._shut + doubt + trail

    @property
    def state(self) -> State:
        """The verdict so far.

        `empty`: only white space. `open`: it can still become valid. `closed`: one whole value, behind which
        only white space may follow. `hopeless`: nothing can make it valid, see `fault`.
        """
        state = self._scanner.state
        if state == HOPELESS:
            return "hopeless"
        if state == DONE or self._shut:
            return "closed"
        return "empty" if self._fresh and not self._fence and self._at_fence is None else "open"

    @property
    def closed(self) -> bool:
        """Whether the text is one whole value."""
        return self._scanner.state == DONE or self._shut != ""

    @property
    def open_path(self) -> tuple[str | int, ...] | None:
        """The path of the innermost value that is still being written; None once the text is closed.

        Every value that is shown, and whose path doesn't lead to this one, is whole.
        """
        if self.closed:
            return None
        return self._scanner.open_path() if self._nested is None else self._nested.inner.open_path() or ()

    @property
    def fault(self) -> Fault | None:
        """Why the text is hopeless. None while it isn't."""
        if self._fault is not None:
            return self._fault
        found = self._scanner.fault
        if found is None:
            return None
        reason, offset, message = found
        return Fault(cast("FaultReason", reason), offset, message)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """The repairs that were made, in the order of the text, 10,000 of a kind at most. Built at every reading."""
        found = [Repair(cast("RepairName", kind), at, text) for kind, at, text in self._scanner.repairs]
        nested = self._nested
        if nested is not None:
            found += nested.repairs(self._whole())
        if self._at_fence is not None:
            found.append(self._at_fence)
        found += self._skipped
        found += [Repair("resend", offset, "") for offset in self._resent]
        if self._trail is not None:
            found += self._trail.repairs()
        found.sort(key=lambda repair: repair.offset)
        return tuple(found)

    @property
    def duplicates(self) -> tuple[Duplicate, ...]:
        """The keys that came again in the same object, in the order of the text. Built at every reading."""
        if self._nested is not None:
            return tuple(self._nested.duplicates(self._whole()))
        return tuple(Duplicate(path, offset) for path, offset in self._scanner.duplicates)

    def take_changes(self) -> list[Change]:
        """The path changes since the last call. Raises UsageError unless `changes` was asked for."""
        if not self._changes:
            raise UsageError("changes were not asked for: PartialJSON(changes=True)")
        source = self._scanner if self._nested is None else self._nested
        taken = source.log
        source.log = []
        return cast("list[Change]", taken)

    def snapshot(self) -> Any:
        """A copy of the live value that stays as it is. Strings are shared."""
        return copy_value(self._holder[0])

    def result(self) -> Any:
        """The final value.

        Raises ProviderError unless the text is closed: its kind is the fault's reason, or `incomplete` for
        a text that just stops, with the offset of the fault or of the text's end.
        """
        fault = self.fault
        if fault is not None:
            raise ProviderError(fault.message, kind=fault.reason, offset=fault.offset)
        if not self.closed:
            raise ProviderError("the JSON text isn't finished", kind="incomplete", offset=self._size)
        return self._holder[0]

    # From here on: everything that isn't a plain delta in the middle of a text.

    def _feed(self, text: str) -> str:
        if not text:
            return ""
        doubt = self._doubt
        if doubt is not None:
            doubt.feed(text)
            return self._settle(doubt)
        if self._fresh:
            return self._first(text)
        if self._hollow:
            held = self._placeholder(text)
            if held is not None:
                return held
        if (
            self._resend
            and len(text) >= self._size
            and self._scanner.state not in (DONE, HOPELESS)
            and text.startswith(self._whole())
        ):
            self._plain = False
            self._doubt = Doubt(self._shadow, self._whole(), text)
            return self._settle(self._doubt)
        return self._admit(text)

    def _first(self, text: str) -> str:
        """Read text that may hold the first character of the value, and see by it what kind of text this is."""
        text = self._fence + text
        self._fence = ""
        body = text.lstrip(_SPACE)
        if not body:
            return self._admit(text)
        lead = len(text) - len(body)
        start = self._size + lead
        before = ""
        if body[0] == "`" and "code_fence" in self._on and self._at_fence is None:
            before = self._admit(text[:lead])
            text = body
            lead = 0
            fence = _FENCE.match(body)
            if fence is not None:
                self._at_fence = Repair("code_fence", start, fence.group())
                return before + self._feed(body[fence.end() :])
            if len(body) < _LONG and _HALF_FENCE.fullmatch(body) is not None:
                self._fence = body
                return before
        self._fresh = False
        self._plain = True
        self._start = start
        if body[0] == '"' and "double_encoded" in self._on:
            outer = Scanner(self._on, True, *self._limits)
            inner = Scanner(self._on, self._changes, *self._limits)
            self._nested = Nested(outer, inner, start)
            self._scanner = outer
            self._holder = self._nested.holder
        if len(body) >= _WORTHWHILE and body[0] in "{[" and not self._changes and self._take_whole(body):
            return before + self._append(text)
        if body[0] == "{" and "leading_empty" in self._on:
            self._plain = False
            self._hollow = True
            lead += 1
            rest = text[lead:]
            if rest.lstrip(_SPACE)[:1] == "}":
                self._read(text[:lead], self._size)
                self._opener = text[:lead]
            else:
                before += self._admit(text[:lead])
            return before + self._feed(rest)
        return before + self._admit(text)

    def _take_whole(self, body: str) -> bool:
        """Read a first fragment that is a whole document; false if it isn't a plain one."""
        if body.rstrip(_SPACE)[-1] not in "}]":
            return False
        value = read_whole(body, *self._limits)
        if value is MISSING or value == {}:  # an empty object may be a placeholder
            return False
        self._holder[0] = value
        self._scanner.state = DONE
        return True

    def _placeholder(self, text: str) -> str | None:
        """Read on in an object that has nothing in it so far; None when the text is plain content of it.

        Servers send `{}` for arguments that are not known yet, and then the arguments. The closer is held: if another
        object begins behind it, both brackets are left out, and the object goes on with what the other one holds.
        """
        body = text.lstrip(_SPACE)
        if not body:
            if self._shut:
                shut = self._shut
                self._shut = ""
                shut += text  # in place
                self._shut = shut
                return ""
            return self._admit(text)
        admitted = ""
        if not self._shut:
            if body[0] != "}":
                self._hollow = False
                self._plain = True
                return None
            space = text[: len(text) - len(body)]
            if self._opener:
                self._opener += space
            else:
                admitted = self._admit(space)
            self._shut = "}"
        elif body[0] == "{" and len(self._skipped) < _PLACEHOLDERS:
            admitted = self._append(self._opener)
            left_out = self._shut + text[: len(text) - len(body) + 1]
            self._skipped.append(Repair("leading_empty", self._size, left_out))
            self._opener = self._shut = ""
        else:
            return self._fill() + self._feed(text)
        return admitted + self._feed(body[1:])

    def _fill(self) -> str:
        """The empty object is the value."""
        self._hollow = False
        self._plain = True
        opener, shut = self._opener, self._shut
        self._opener = self._shut = ""
        return self._append(opener) + self._admit(shut)

    def _admit(self, text: str) -> str:
        """Read text that is what it seems to be."""
        if self._trail is not None:
            self._trail.feed(text)
            return self._check(self._trail)
        rest = self._read(text, self._size)
        if rest >= 0:
            return self._behind(text, rest)
        return self._append(text)

    def _read(self, text: str, at: int) -> int:
        nested = self._nested
        return self._scanner.feed(text, at) if nested is None else nested.feed(text, at)

    def _append(self, text: str) -> str:
        size = len(text)
        self._size += size
        tail = self._tail
        tail.append(text)
        if len(tail) >= _PIECES or size > _LONG:
            self._whole()
        return text

    def _whole(self) -> str:
        """All admitted text, in one piece."""
        if self._tail:
            whole = self._text
            self._text = ""
            whole += "".join(self._tail)  # in place, unless the caller keeps what was read before
            self._text = whole
            self._tail.clear()
        return self._text

    def _behind(self, text: str, rest: int) -> str:
        """Read text whose part from `rest` on lies behind the value."""
        self._plain = False
        admitted = self._append(text[:rest])
        known = self._whole()
        start = self._start
        end = len(known)
        while known[end - 1] in _SPACE:
            end -= 1
        obj = isinstance(self._holder[0], dict)
        container = obj or known[start] == "["
        if self._on.isdisjoint(_BEHIND):
            fault = stray(text[rest], len(known), container=container)
            del known
            return admitted + self._give_up(fault, text[rest:])
        self._trail = Trail(self._on, known, start, end, container=container, obj=obj)
        self._trail.feed(text[rest:])
        return admitted + self._check(self._trail)

    def _check(self, trail: Trail) -> str:
        """Admit what the trail holds if it turned out to be a fault: the raw text stays whole."""
        if trail.fault is None:
            return ""
        self._trail = None
        return self._give_up(trail.fault, trail.tail)

    def _give_up(self, fault: Fault, text: str) -> str:
        """Record a fault that the scanner doesn't know of, and let it pass over all that comes."""
        self._fault = fault
        self._scanner.state = HOPELESS
        self._plain = True
        return self._append(text)

    def _settle(self, doubt: Doubt) -> str:
        """Admit what was held, if it is decided how to read it."""
        if doubt.reading == "both":
            return ""
        self._doubt = None
        self._plain = True
        if doubt.reading == "snapshot" and len(self._resent) < RECORDED:
            self._resent.append(self._size)
        return self._admit(doubt.released)

    def _shadow(self) -> Scanner:
        return Scanner(self._on, False, *self._limits)
