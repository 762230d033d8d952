"""The push scanner: fragments of JSON in, a live value out, at a cost that only the fragment decides.

Theory. The scanner is a push-down automaton. `state` says what may come next, `_stack` holds the containers
around the open one. States below `STR` are between tokens, the others inside one:

    VALUE, NEXT_ITEM, FIRST_ITEM   a value (or, after `[`, its closer)
    FIRST_KEY, NEXT_KEY            a key (or, after `{`, its closer)
    COLON, AFTER, DONE             a colon; a comma or closer; white space only
    STR, KEY                       in a double-quoted value or key, no escape pending
    TEXT                           in a single-quoted one, no escape pending
    HIGH, ESC                      in a string, behind a high surrogate's escape, or within an escape
    NUM, WORD, ESCAPED             in a number, in a literal, behind a backslash between tokens
    HOPELESS                       the end of the road

The value lies in a one-element list, so that the whole value is a member like any other, with key 0.

A growing string is referenced from its container and from `_text`. Both let go while a local variable grows,
because only a string with a single owner grows in place; else every fragment would copy all that came before.

Plain typed Python on purpose: mypyc compiles it as it stands.
"""

from __future__ import annotations

from toolwire.partial.tables import (
    AFTER,
    APOSTROPHE,
    BRACE,
    BRACKET,
    COLON,
    COLON_SIGN,
    COMMA,
    COMPILED,
    END_BRACE,
    END_BRACKET,
    ESC,
    ESCAPED,
    FIRST_ITEM,
    FIRST_KEY,
    KEY,
    LINE_FEED,
    MINUS,
    NEXT_ITEM,
    NEXT_KEY,
    NINE,
    NUM,
    NUMBER,
    NUMBER_ENDS,
    QUOTE,
    RETURN,
    SPACE,
    STR,
    TAB,
    VALUE,
    WORD,
    ZERO,
    intern,
    plain_end,
)
from toolwire.partial.tokens import Tokens

__all__ = ["Scanner"]


class Scanner(Tokens):
    """One JSON text, fed in fragments.

    `holder[0]` is the live value, `log` the changes since it was last replaced (None: don't keep any),
    `repairs` and `duplicates` are plain tuples in order of appearance. The caller passes the offset of each
    fragment, so that the scanner needn't count. Once `state` is HOPELESS, `fault` is `(reason, offset, message)`.
    """

    __slots__ = ()

    def feed(self, text: str, at: int) -> int:
        """Read a fragment whose first character has the offset `at`.

        Returns -1, or the index of the first character after the finished value that isn't white space: what
        that means is not the scanner's to judge, and it has read nothing from there on.
        """
        st = self.state
        i = 0
        n = len(text)
        # The two cases that make up most of a stream: the fragment lies within a string, or closes it.
        if st == STR or st == KEY:
            end = -1
            if COMPILED:
                end = plain_end(text, 0, QUOTE)
                if end < n and ord(text[end]) != QUOTE:
                    end = -1
            elif "\\" not in text:
                end = text.find('"') if '"' in text else n
                if not (text.isprintable() or text[:end].isprintable()):
                    end = -1
            if end == n:
                grown = self._text
                self._text = ""
                if st == STR:
                    cont = self._cont
                    key = self._key
                    cont[key] = ""
                    grown += text
                    cont[key] = grown
                    if self.log is not None and text:
                        self.log.append(("appended", self._path, text))
                else:
                    grown += text
                self._text = grown
                return -1
            if end >= 0:
                st = self._end_string(text[:end])
                i = end + 1
        while i < n:
            if st >= STR:
                if st <= ESC:
                    i = self._string(text, i, at, st)
                elif st == NUM:
                    i = self._number(text, i, at)
                elif st == WORD:
                    i = self._literal(text, i, at)
                elif st == ESCAPED:
                    i = self._escaped(text, i, at)
                else:
                    break
                st = self.state
                continue
            c = ord(text[i])
            if c <= SPACE and (c == SPACE or c == LINE_FEED or c == RETURN or c == TAB):
                i += 1
            elif st == AFTER:
                if c == COMMA:
                    st = NEXT_ITEM if self._array else NEXT_KEY
                    if self._trailing_comma:
                        self._comma_at = at + i
                elif c == (END_BRACKET if self._array else END_BRACE):
                    st = self._close()
                else:
                    st = self._unexpected(st, text[i], at + i)
                i += 1
            elif st == COLON:
                st = VALUE if c == COLON_SIGN else self._unexpected(st, text[i], at + i)
                i += 1
            elif c == QUOTE and st <= NEXT_KEY:
                i += 1
                # Where the string ends, if no escape comes before that: its quote's place, or the text's end.
                if COMPILED:
                    end = plain_end(text, i, QUOTE)
                    plain = end == n or ord(text[end]) == QUOTE
                    piece = text[i:end]
                else:
                    end = text.find('"', i)
                    if end < 0:
                        end = n
                    piece = text[i:end]
                    plain = "\\" not in piece and piece.isprintable()
                if not plain:
                    st = self._open_string(c, "") if st <= FIRST_ITEM else self._open_key(c, "", at + i - 1)
                elif end == n:
                    st = self._open_string(c, piece) if st <= FIRST_ITEM else self._open_key(c, piece, at + i - 1)
                    break
                else:
                    if st <= FIRST_ITEM:
                        st = self._put(piece)
                    else:
                        self._key = piece = intern(piece)
                        if piece in self._cont:
                            self.duplicates.append(((*self._base, piece), at + i - 1))
                        st = COLON
                    i = end + 1
            elif st <= FIRST_ITEM:
                if c == BRACE:
                    st = self._open({}, FIRST_KEY, at + i)
                    i += 1
                elif c == BRACKET:
                    st = self._open([], FIRST_ITEM, at + i)
                    i += 1
                elif c == MINUS or ZERO <= c <= NINE:
                    if not COMPILED:
                        match = NUMBER.match(text, i)
                        if match is not None:
                            end = match.end()
                            # A number that is followed by anything else has to be read step by step: `1.` fits
                            # as far as `1`, and only the character behind the point decides.
                            if end < n and end - i <= self._max_digits and self._ends_number(ord(text[end])):
                                st = self._put_number(text[i:end], match.lastindex is not None, at + i)
                                i = end
                                continue
                    self._token = ""
                    self._from = at + i
                    self._step = 0
                    self._digits = 0
                    st = NUM
                elif c in self._words:
                    word, self._word_value = self._words[c]
                    self._token = word
                    self._from = at + i
                    self._step = 0
                    st = WORD
                elif c == END_BRACKET and (st == FIRST_ITEM or (st == NEXT_ITEM and self._trailing_comma)):
                    if st == NEXT_ITEM:
                        self._repaired("trailing_comma", self._comma_at, ",")
                    st = self._close()
                    i += 1
                elif c == APOSTROPHE and self._single_quotes:
                    self._repaired("single_quotes", at + i, "'")
                    st = self._open_string(c, "")
                    i += 1
                else:
                    st = self._unexpected(st, text[i], at + i)
                    i += 1
            elif st <= NEXT_KEY:
                if c == END_BRACE and (st == FIRST_KEY or self._trailing_comma):
                    if st == NEXT_KEY:
                        self._repaired("trailing_comma", self._comma_at, ",")
                    st = self._close()
                    i += 1
                elif c == APOSTROPHE and self._single_quotes:
                    self._repaired("single_quotes", at + i, "'")
                    st = self._open_key(c, "", at + i)
                    i += 1
                else:
                    st = self._unexpected(st, text[i], at + i)
                    i += 1
            else:
                self.state = st
                return i
        self.state = st
        return -1

    def end(self) -> None:
        """No more text will come: a number that stands alone is whole now."""
        if self.state == NUM and not self._stack and NUMBER_ENDS[self._step]:
            self.state = self._put_number(self._token, self._step > 3, self._from)
