"""What a JSON text is made of: the scanner's states and tables, and the reading of single tokens.

`Tokens` is the lower half of the scanner: it holds the state, stores members where they belong, and reads
what can be cut in the middle: strings with their escapes, numbers, literals. `Scanner` is the upper half.

Plain typed Python on purpose: mypyc compiles it as it stands.
"""

from __future__ import annotations

from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final

from toolwire.partial.changes import MISSING
from toolwire.partial.tables import (
    AFTER,
    ASCII,
    BACKSLASH,
    COLON,
    COMMA,
    COMPILED,
    DONE,
    END_BRACE,
    END_BRACKET,
    ESC,
    ESCAPED,
    EXPECTED,
    FIRST_ITEM,
    HEX,
    HIGH,
    HOPELESS,
    KEY,
    LINE_FEED,
    NOWHERE,
    NUM,
    NUMBER_ENDS,
    NUMBER_STEPS,
    PYTHON_WORDS,
    QUOTE,
    RECORDED,
    RETURN,
    SIMPLE,
    SPACE,
    STR,
    TAB,
    TEXT,
    UNICODE,
    VALUE,
    WORD,
    WORDS,
    intern,
    plain_end,
)

__all__ = ["Tokens"]

_SHORT: Final = 512
"""Fragments up to this length, as deltas are, go by the way that copies what is left of them."""


class Tokens:
    """The state of one JSON text, and what reads its tokens. See `Scanner` for the public attributes."""

    __slots__ = (
        "_array",
        "_base",
        "_comma_at",
        "_cont",
        "_digits",
        "_escape",
        "_escaped_space",
        "_from",
        "_high",
        "_home",
        "_in_key",
        "_key",
        "_max_depth",
        "_max_digits",
        "_path",
        "_quote",
        "_raw_control",
        "_resume",
        "_single_quotes",
        "_stack",
        "_step",
        "_text",
        "_token",
        "_trailing_comma",
        "_unknown_escape",
        "_word_value",
        "_words",
        "duplicates",
        "fault",
        "holder",
        "log",
        "repairs",
        "state",
    )

    def __init__(self, repairs: frozenset[str], changes: bool, max_depth: int, max_digits: int) -> None:
        self.state: int = VALUE
        self.holder: list[Any] = [MISSING]
        self.log: list[Any] | None = [] if changes else None
        self.fault: tuple[str, int, str] | None = None
        self.repairs: list[tuple[str, int, str]] = []
        self.duplicates: list[tuple[tuple[str | int, ...], int]] = []
        # The open container, the containers around it, and the path of the open one.
        self._cont: Any = self.holder
        self._array: bool = False
        self._stack: list[Any] = []
        self._base: tuple[str | int, ...] = ()
        # The member being read: its key, and its path where changes are wanted.
        self._key: Any = 0
        self._path: tuple[str | int, ...] = ()
        # The token being read: a string's decoded text, a number's or literal's characters, where it began.
        self._text: str = ""
        self._token: str = ""
        self._from: int = 0
        self._in_key: bool = False
        self._home: int = STR
        self._quote: int = QUOTE
        self._escape: str = ""
        self._high: str = ""
        self._step: int = 0
        self._digits: int = 0
        self._word_value: Any = None
        self._resume: int = VALUE
        self._comma_at: int = 0
        self._max_depth: int = max_depth
        self._max_digits: int = max_digits
        self._raw_control: bool = "raw_control" in repairs
        self._unknown_escape: bool = "unknown_escape" in repairs
        self._escaped_space: bool = "escaped_space" in repairs
        self._trailing_comma: bool = "trailing_comma" in repairs
        self._single_quotes: bool = "single_quotes" in repairs
        self._words: dict[int, tuple[str, Any]] = WORDS
        if "python_literals" in repairs:
            self._words = {**WORDS, **PYTHON_WORDS}

    def open_path(self) -> tuple[str | int, ...] | None:
        """The path of the innermost value that is being written; None once the whole value is there.

        Behind a fault it is that of the last string or container, whether that was whole or not: nothing more is known.
        """
        state = self.state
        if state == DONE:
            return None
        in_string = STR <= state <= ESC or state == HOPELESS
        if not self._stack:
            return ()
        return (*self._base, self._key) if in_string and not self._in_key else self._base

    # Members. Each returns the next state.

    def _put(self, value: Any) -> int:
        """Store a value that came in one piece."""
        cont = self._cont
        log = self.log
        if self._array:
            if log is not None:
                log.append(("set", (*self._base, len(cont)), value))
            cont.append(value)
            return AFTER
        cont[self._key] = value
        if self._stack:
            if log is not None:
                log.append(("set", (*self._base, self._key), value))
            return AFTER
        if log is not None:
            log.append(("set", (), value))
        return DONE

    def _open(self, fresh: Any, state: int, offset: int) -> int:
        """Store and enter an empty container."""
        stack = self._stack
        cont = self._cont
        if len(stack) >= self._max_depth:
            return self._fail("depth", offset, f"nested deeper than {self._max_depth} levels")
        if self._array:
            self._base = (*self._base, len(cont))
            cont.append(fresh)
        else:
            if stack:
                self._base = (*self._base, self._key)
            cont[self._key] = fresh
        if self.log is not None:
            self.log.append(("opened", self._base, type(fresh)()))
        stack.append(cont)
        self._cont = fresh
        self._array = state == FIRST_ITEM
        return state

    def _close(self) -> int:
        """Leave the open container."""
        if self.log is not None:
            self.log.append(("closed", self._base, None))
        cont = self._stack.pop()
        self._cont = cont
        if not self._stack:
            self._array = False
            self._key = 0
            return DONE
        self._array = type(cont) is list
        self._base = self._base[:-1]
        return AFTER

    def _open_string(self, quote: int, begin: str) -> int:
        """Store a string that is to grow, with what is known of it."""
        cont = self._cont
        if self._array:
            self._key = len(cont)
            cont.append(begin)
        else:
            cont[self._key] = begin
        log = self.log
        if log is not None:
            self._path = (*self._base, self._key) if self._stack else ()
            log.append(("opened", self._path, ""))
            if begin:
                log.append(("appended", self._path, begin))
        self._text = begin
        self._in_key = False
        self._quote = quote
        self._home = STR if quote == QUOTE else TEXT
        return self._home

    def _open_key(self, quote: int, begin: str, offset: int) -> int:
        self._text = begin
        self._from = offset
        self._in_key = True
        self._quote = quote
        self._home = KEY if quote == QUOTE else TEXT
        return self._home

    def _grow(self, more: str) -> None:
        """Append to the open string or key, in place."""
        grown = self._text
        self._text = ""
        if self._in_key:
            grown += more
            self._text = grown
            return
        cont = self._cont
        key = self._key
        cont[key] = ""
        grown += more
        cont[key] = grown
        self._text = grown
        if self.log is not None:
            self.log.append(("appended", self._path, more))

    def _end_string(self, more: str) -> int:
        if self._in_key:
            whole = self._text
            self._text = ""
            whole += more
            self._key = whole = intern(whole)
            if whole in self._cont:
                self.duplicates.append(((*self._base, whole), self._from))
            return COLON
        if more:
            self._grow(more)
        self._text = ""
        if self.log is not None:
            self.log.append(("closed", self._path, None))
        return AFTER if self._stack else DONE

    # Tokens. Each reads from `i` as far as it gets, sets `state`, and returns where it stopped.

    def _string(self, text: str, i: int, at: int, st: int) -> int:
        """Read within a string or key. What it decodes is appended once, at the end."""
        home = self._home
        quote = self._quote
        n = len(text)
        if not COMPILED and st == home and n - i <= _SHORT and quote == QUOTE and text[n - 1] != "\\":
            # The standard library's decoder is the fastest in pure Python. It wants a whole string, so it gets its
            # quote, and it can't say what is pending at the end, so no escape that may have to wait is left to it.
            decoded: str
            end: int
            try:
                decoded, end = scanstring(text + '"', i)
            except ValueError:
                end = 0
            if 0 < end <= n:
                self.state = self._end_string(decoded)
                return end
            if end > n and "\\u" not in text:
                self._grow(decoded)
                self.state = st
                return n
        more = ""
        while i < n:
            if st != home:
                i, st, decoded = self._in_escape(text[i], i, at)
                more += decoded
                if st == HOPELESS:
                    break
                continue
            end = plain_end(text, i, quote)
            if end > i:
                more += text[i:end]
                i = end
                if i == n:
                    break
            c = text[i]
            if ord(c) == quote:
                self.state = self._end_string(more)
                return i + 1
            if c == "\\":
                if i + 1 < n:
                    simple = SIMPLE.get(text[i + 1])
                    if simple is not None:
                        more += simple
                        i += 2
                        continue
                    match = UNICODE.match(text, i)
                    if match is not None:
                        more += chr(int(match.group(1), 16))
                        i += 6
                        continue
                self._escape = c
                st = ESC
            elif self._raw_control:
                self._repaired("raw_control", at + i, c)
                more += c
            else:
                if more:
                    self._grow(more)
                self.state = self._fail("malformed", at + i, f"control character {c!r} in a string")
                return i
            i += 1
        if more:
            self._grow(more)
        self.state = st
        return i

    def _in_escape(self, c: str, i: int, at: int) -> tuple[int, int, str]:
        """Read one character in state HIGH or ESC. Returns the next index, the state, and the text decoded.

        What is pending, `_high` or `_escape`, isn't shown until it is certain what it stands for.
        """
        escape = self._escape
        high = self._high
        home = self._home
        size = len(escape)
        if size == 0:
            if c == "\\":
                self._escape = c
                return i + 1, ESC, ""
            self._high = ""
            return i, home, high
        if size == 1 and c == "u":
            self._escape = "\\u"
            return i + 1, ESC, ""
        if size > 1 and c in HEX:
            if size < 5:
                self._escape = escape + c
                return i + 1, ESC, ""
            self._escape = ""
            code = int(escape[2:] + c, 16)
            if 0xD800 <= code <= 0xDBFF:
                self._high = chr(code)
                return i + 1, HIGH, high
            self._high = ""
            if high and 0xDC00 <= code <= 0xDFFF:
                return i + 1, home, chr(0x10000 + ((ord(high) - 0xD800) << 10) + code - 0xDC00)
            return i + 1, home, high + chr(code)
        self._escape = ""
        self._high = ""
        if size == 1:
            simple = SIMPLE.get(c)
            if simple is not None:
                return i + 1, home, high + simple
            if ord(c) == self._quote:
                return i + 1, home, high + c
        if not self._unknown_escape:
            what = "an escape" if size == 1 else "four hexadecimal digits"
            return i, self._fail("malformed", at + i, f"expected {what}, found {c!r}"), high
        if size > 1:
            # The character that broke it off may be anything, the closing quote too.
            self._repaired("unknown_escape", at + i - size, escape)
            return i, home, high + escape
        self._repaired("unknown_escape", at + i - 1, escape + c)
        if c in "\r\n":
            return i + 1, home, high + escape + c
        return i, home, high + escape

    def _number(self, text: str, i: int, at: int) -> int:
        """Read a number step by step, so that the first digit too many is the one reported."""
        step = self._step
        digits = self._digits
        n = len(text)
        j = i
        while j < n:
            c = ord(text[j])
            following = NUMBER_STEPS[step * ASCII + c] if c < ASCII else NOWHERE
            if following == NOWHERE:
                break
            step = following
            if step in (2, 3, 5, 8):
                digits += 1
                if digits > self._max_digits:
                    self.state = self._fail("digits", at + j, f"a number of more than {self._max_digits} digits")
                    return j
            j += 1
        self._token += text[i:j]
        self._step = step
        self._digits = digits
        if j == n:
            self.state = NUM
        elif not NUMBER_ENDS[step]:
            self.state = self._fail("malformed", at + j, f"expected a digit, found {text[j]!r}")
        elif self._ends_number(ord(text[j])):
            self.state = self._put_number(self._token, step > 3, self._from)
        else:
            # Nothing is shown of `1.5.2` or `01`: what came so far isn't the number that was meant.
            self.state = self._fail("malformed", at + j, f"expected the number's end, found {text[j]!r}")
        return j

    def _ends_number(self, c: int) -> bool:
        """Whether the character may follow a number."""
        if c == COMMA:
            return len(self._stack) > 0
        if c == SPACE or c == LINE_FEED or c == RETURN or c == TAB:
            return True
        if c == END_BRACKET:
            return self._array
        if c == END_BRACE:
            return len(self._stack) > 0 and not self._array
        return c == BACKSLASH and self._escaped_space

    def _put_number(self, token: str, is_float: bool, offset: int) -> int:
        if is_float:
            return self._put(float(token))
        try:
            whole = int(token)
        except ValueError:
            # The interpreter's own limit on digits can be set below ours.
            return self._fail("digits", offset, "a number of more digits than the interpreter converts")
        return self._put(whole)

    def _literal(self, text: str, i: int, at: int) -> int:
        word = self._token
        step = self._step
        n = len(text)
        part = word[step : step + n - i]
        if not text.startswith(part, i):
            while text[i] == word[step]:
                step += 1
                i += 1
            self.state = self._fail("malformed", at + i, f"expected {word!r}, found {text[i]!r} in it")
            return i
        step += len(part)
        i += len(part)
        self._step = step
        if step < len(word):
            self.state = WORD
            return i
        if word[0] < "a":
            self._repaired("python_literals", self._from, word)
        self.state = self._put(self._word_value)
        return i

    def _escaped(self, text: str, i: int, at: int) -> int:
        """Read the character behind a backslash between tokens."""
        c = text[i]
        if c in "nrt":
            self._repaired("escaped_space", at + i - 1, "\\" + c)
            self.state = self._resume
        else:
            self.state = self._fail("malformed", at + i, f"expected an escaped white space, found {c!r}")
        return i + 1

    def _repaired(self, kind: str, offset: int, text: str) -> None:
        """Record a repair; beyond the first RECORDED ones it is just made."""
        if len(self.repairs) < RECORDED:
            self.repairs.append((kind, offset, text))

    # The two ways out of the grammar.

    def _unexpected(self, state: int, c: str, offset: int) -> int:
        if c == "\\" and self._escaped_space:
            self._resume = state
            return ESCAPED
        return self._fail("malformed", offset, f"expected {EXPECTED[state]}, found {c!r}")

    def _fail(self, reason: str, offset: int, message: str) -> int:
        self.fault = (reason, offset, message)
        return HOPELESS
