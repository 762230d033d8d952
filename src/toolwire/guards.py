"""Guards: what a caller watches a stream for, and what is to be done about it.

A guard is any function `(event, call) -> Verdict | None`; `call` is None for events that concern none. Those here are
`Guard`s: rules from which each stream gets a guard of its own, since they count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from toolwire.errors import UsageError
from toolwire.events import ToolCallDelta, ToolCallEnd, ToolCallStart, ToolCallViolation
from toolwire.paths import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolwire.call import ToolCall
    from toolwire.events import Event

__all__ = [
    "Guard",
    "Verdict",
    "Watch",
    "abort",
    "allow",
    "deny",
    "early_check",
    "limit_calls",
    "limit_text",
    "no_repetition",
]
__all__ += ["needs_early_check", "reject", "warn", "watches"]

Action: TypeAlias = Literal["warn", "reject", "abort"]


class Verdict(msgspec.Struct, frozen=True):
    """`warn`: a `Warned` event. `reject`: the call is stopped, its siblings go on. `abort`: the stream is stopped."""

    action: Action
    reason: str


if TYPE_CHECKING:
    Watch: TypeAlias = Callable[[Event, ToolCall | None], Verdict | None]
else:
    Watch = object


class Guard:
    """A rule. `watch` makes what watches one stream. `early`: it needs the early check."""

    def __init__(self, watch: Callable[[], Watch], *, early: bool = False) -> None:
        self.watch = watch
        self.early = early


def warn(reason: str) -> Verdict:
    """Only say it."""
    return Verdict("warn", reason)


def reject(reason: str) -> Verdict:
    """Stop the call."""
    return Verdict("reject", reason)


def abort(reason: str) -> Verdict:
    """Stop the stream."""
    return Verdict("abort", reason)


def allow(*names: str, action: Action = "reject") -> Guard:
    """Only tools of these names, as soon as a name is known to be none of them."""
    _check(action, names=names)

    def wrong(name: str, *, whole: bool) -> str:
        fine = name in names if whole else any(each.startswith(name) for each in names)
        return "" if fine else f"the tool {name!r} is not allowed"

    return _by_name(wrong, action)


def deny(*names: str, action: Action = "reject") -> Guard:
    """No tools of these names."""
    _check(action, names=names)

    def wrong(name: str, *, whole: bool) -> str:
        return f"the tool {name!r} is denied" if name in names else ""

    return _by_name(wrong, action)


def limit_calls(most: int, *, action: Action = "abort") -> Guard:
    """So many calls in all, those that the provider runs itself included."""
    _check(action, most=most)

    def watch() -> Watch:
        seen: list[ToolCall] = []

        def look(event: Event, call: ToolCall | None) -> Verdict | None:
            if call is None or not isinstance(event, ToolCallStart):
                return None
            seen.append(call)
            return Verdict(action, f"more than {most} tool calls") if len(seen) > most else None

        return look

    return Guard(watch)


def limit_text(call_chars: int | None = None, *, all_chars: int | None = None, action: Action = "reject") -> Guard:
    """So many characters of arguments in one call, and in all calls together."""
    _check(action, call_chars=call_chars, all_chars=all_chars)
    if call_chars is None and all_chars is None:
        raise UsageError("limit_text needs a limit: call_chars or all_chars")

    def watch() -> Watch:
        sizes: dict[int, int] = {}
        total = 0

        def look(event: Event, call: ToolCall | None) -> Verdict | None:
            nonlocal total
            if call is None or not isinstance(event, ToolCallDelta):
                return None
            new = len(event.text)
            size = sizes[id(call)] = sizes.get(id(call), 0) + new
            total += new
            for most, now, what in ((call_chars, size, "arguments"), (all_chars, total, "arguments in all")):
                # A warning is given once, when the limit is crossed.
                if most is not None and now > most and (action != "warn" or now - new <= most):
                    return Verdict(action, f"more than {most} characters of {what}")
            return None

        return look

    return Guard(watch)


def no_repetition(*, chars: int = 2048, longest: int = 64, action: Action = "abort") -> Guard:
    """Arguments whose last `chars` characters are one piece of at most `longest` again and again: the model is stuck.

    Looked at each time an eighth of that is new, so that the cost doesn't grow with what came before.
    """
    _check(action, chars=chars, longest=longest)
    if not 0 < longest < chars:
        raise UsageError(f"no_repetition looks for pieces of 1 to fewer than chars={chars} characters, not {longest}")

    def watch() -> Watch:
        tails: dict[int, tuple[str, list[str], int]] = {}

        def look(event: Event, call: ToolCall | None) -> Verdict | None:
            if call is None or not isinstance(event, ToolCallDelta):
                return None
            tail, pieces, new = tails.get(id(call)) or ("", [], 0)
            pieces.append(event.text)
            new += len(event.text)
            if new < chars // 8:
                tails[id(call)] = (tail, pieces, new)
                return None
            tail = (tail + "".join(pieces))[-chars:]
            stuck = len(tail) == chars and any(tail[n:] == tail[:-n] for n in range(1, longest + 1))
            tails[id(call)] = ("" if stuck else tail, [], 0)
            return Verdict(action, f"the last {chars} characters of arguments repeat themselves") if stuck else None

        return look

    return Guard(watch)


def early_check(*, action: Action = "reject") -> Guard:
    """Only arguments that can still become what the tool takes: see `ToolCallViolation`. Needs `tools=`."""
    _check(action)

    def look(event: Event, call: ToolCall | None) -> Verdict | None:
        if not isinstance(event, ToolCallViolation):
            return None
        place = f"{shown(event.path)}: " if event.path else ""
        return Verdict(action, f"{place}{event.message}")

    return Guard(lambda: look, early=True)


def needs_early_check(guards: Iterable[Guard | Watch]) -> bool:
    """Whether one of them does."""
    return hasattr(guards, "__iter__") and any(isinstance(each, Guard) and each.early for each in guards)


def watches(guards: Iterable[Guard | Watch]) -> list[Watch]:
    """What watches one stream. Raises `UsageError` for what is no guard."""
    if isinstance(guards, Guard) or not hasattr(guards, "__iter__"):
        raise UsageError(f"guards is a list of guards, not {guards!r}")
    found: list[Watch] = []
    for each in guards:
        if isinstance(each, Guard):
            found.append(each.watch())
        elif callable(each):
            found.append(each)
        else:
            raise UsageError(f"a guard is a function of an event and its call, or a Guard, not {each!r}")
    return found


def _by_name(wrong: Callable[..., str], action: Action) -> Guard:
    """A rule for names. A few servers send a name in pieces, so it is looked at again when the arguments begin."""

    def watch() -> Watch:
        told: set[int] = set()

        def look(event: Event, call: ToolCall | None) -> Verdict | None:
            if call is None or id(call) in told or not isinstance(event, (ToolCallStart, ToolCallDelta, ToolCallEnd)):
                return None
            whole = not isinstance(event, ToolCallStart)
            reason = wrong(call.name, whole=whole)
            if whole or reason:
                told.add(id(call))
            return Verdict(action, reason) if reason else None

        return look

    return Guard(watch)


def _check(action: str, *, names: tuple[str, ...] = (), **numbers: int | None) -> None:
    """Raise `UsageError` for what a guard can't be made of."""
    if action not in ("warn", "reject", "abort"):
        raise UsageError(f"action is 'warn', 'reject' or 'abort', not {action!r}")
    for name in names:
        if not isinstance(name, str):
            raise UsageError(f"names are given one by one, as text: not {name!r}")
    for what, number in numbers.items():
        if number is not None and (type(number) is not int or number < 0):
            raise UsageError(f"{what} is a number from 0, not {number!r}")
