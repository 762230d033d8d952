"""Arguments that are told as a value say what the model wrote, whatever numbers and characters are in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from support import to_sse
from wire.encode.kit import DONE, args, ending, opening, shown

from toolwire import Encoder, Stream, collect
from toolwire.framing.writers import dumped
from toolwire.wire.encode.values import exact_object, exact_text, in_one_line, written

if TYPE_CHECKING:
    from toolwire import ToolCall

# Wires that have arguments as a value, and whether they tell an object that was parsed where that is the same.
VALUES = {"ai-sdk-ui": False, "gemini": True, "ollama": True}

LONG = "0.12345678901234567890123456789"
BIG = "1" * 40

# The model's text, and how it stands on the wire.
TEXTS = {
    "infinite": ('{"x":1e400,"y":-1e400}', '{"x":1e400,"y":-1e400}'),
    "infinite, on lines": ('{"x":\r\n1e400,\n"y":2}\n', '{"x":  1e400, "y":2} '),
    "many digits": (f'{{"x":{LONG}}}', f'{{"x":{LONG}}}'),
    "many digits, on lines": (f'{{\n"x":{LONG}\n}}', f'{{ "x":{LONG} }}'),
    "half a pair and infinite": ('{"\ud83d":"\ude00\\n","x":1e400}', '{"\\ud83d":"\\ude00\\n","x":1e400}'),
    "mended": ('{"x":1e400,"y":"a\nb"}', '{"x":1e999,"y":"a\\nb"}'),
    "mended, and half a pair": ('{"x":-1e400,"y":"Infinity\n\ud83d"}', '{"x":-1e999,"y":"Infinity\\n\\ud83d"}'),
    "mended behind it": ('{"x":1e400} ok', '{"x":1e400} '),
}


def call_of(text: str) -> ToolCall:
    (call,) = collect(to_sse([opening(), args(text), ending(), DONE]), "openai-chat").calls
    return call


def body(text: str, to: str, **options: Any) -> bytes:
    stream, encoder = Stream("openai-chat"), Encoder(to, **options)
    events = stream.receive(to_sse([opening(), args(text), ending(), DONE])) + stream.end()
    return b"".join([*map(encoder.feed, events), encoder.end()])


def refused(word: str) -> Any:
    raise AssertionError(f"{word} is no JSON")


@pytest.mark.parametrize("to", VALUES)
@pytest.mark.parametrize("name", TEXTS)
def test_the_text_stands_as_it_is(name: str, to: str) -> None:
    text, expected = TEXTS[name]
    data = body(text, to)
    assert expected.encode() in data
    told = [json.loads(frame, parse_constant=refused) for frame in shown(data) if frame != DONE]
    value = json.loads(text.removesuffix("ok"), strict=False)
    assert any(value in found_in(frame, "input", "args", "arguments") for frame in told)


def found_in(payload: Any, *names: str) -> list[Any]:
    """The members of these names, wherever they are."""
    if isinstance(payload, list):
        return [found for each in payload for found in found_in(each, *names)]
    if not isinstance(payload, dict):
        return []
    return [payload[name] for name in names if name in payload] + found_in(list(payload.values()), *names)


@pytest.mark.parametrize("to", VALUES)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f'{{"x":\n{BIG},"y":1.50}}', f'"x":%s{BIG},"y":1.5'),
        ('{"x":\n"\ud83d"}', '"x":%s"\\ud83d"'),
        ('{"x":\n{"y":[1,-2.5e3,true,null,"é"]}}', None),
    ],
    ids=["big", "half a pair", "plain"],
)
def test_what_a_value_holds_is_told_on_one_line(text: str, said: str | None, to: str) -> None:
    data = body(text, to)
    if said is not None:
        assert (said % ("" if VALUES[to] else " ")).encode() in data
    (call,) = collect(data, to).executable
    assert call.arguments == json.loads(text)


def test_an_object_stands_for_its_text_where_it_says_the_same() -> None:
    """Who looks into a payload finds an object there, as long as that can hold what the model wrote."""
    for text in ('{"a":1.50,"b":-0.1,"c":1e5,"d":[1E-7,1],"e":"1"}', f'{{"a":["\ud83d",{BIG}]}}', '{"a":2.5e-300}'):
        value = json.loads(text)
        assert exact_object(call_of(text), value) is value
    for number in ("1e400", "-1e400", LONG, "1e-400", "9007199254740993.5"):
        text = f'{{"a":[{number}]}}'
        assert exact_object(call_of(text), {}) == msgspec.Raw(text.encode())


def test_values_of_a_callers_own() -> None:
    assert bytes(written({"a": float("inf"), "b": [-float("inf"), 'NaN \\" Infinity']})) == (
        b'{"a":1e999,"b":[-1e999,"NaN \\\\\\" Infinity"]}'
    )
    for value in (float("nan"), {"a": [float("nan"), float("inf")]}):
        with pytest.raises(ValueError, match="JSON"):
            written(value)
    with pytest.raises(TypeError):
        written({"a": object()})


def test_raw_text() -> None:
    assert bytes(in_one_line('{\r\n"\ud83d\\ude00":\n"\u2028\\n"}')) == '{  "\\ud83d\\ude00": "\u2028\\n"}'.encode()
    assert bytes(exact_text(call_of("{ }"))) == b"{ }"
    raw = in_one_line('{"x":1e400}')
    assert dumped({"a": [raw, (1, None)], "b": raw}) == b'{"a":[{"x":1e400},[1,null]],"b":{"x":1e400}}'
    # beside what only the slow writer can write
    assert dumped({"\ud83d": [raw, "\ud83d", 1.5, True], "b": {"c": raw, "d": float("inf")}}) == (
        b'{"\\ud83d":[{"x":1e400},"\\ud83d",1.5,true],"b":{"c":{"x":1e400},"d":null}}'
    )


@pytest.mark.parametrize("payload", [float("inf"), -float("inf"), float("nan")])
def test_no_payload_holds_what_is_no_json(payload: float) -> None:
    """Beside calls' arguments, which aren't written as numbers, it is null, however the payload is written."""
    assert dumped({"a": [payload]}) == b'{"a":[null]}'
    assert dumped({"a": [payload], "b": 10**30, "c": "\ud83d"}) == b'{"a":[null],"b":%d,"c":"\\ud83d"}' % 10**30


def test_a_number_that_no_path_can_tell() -> None:
    for text in ('{"x":1e400}', '{"x":[[],1e400]}'):
        data = body(text, "gemini", partial_args=True)
        assert b"null" not in data
        assert collect(data, "gemini").error is not None


@pytest.mark.parametrize(
    "to", ["openai-chat", "openai-responses", "anthropic", "cohere", "ag-ui", "gemini-interactions", "bedrock-converse"]
)
def test_wires_that_have_text_tell_the_text(to: str) -> None:
    for text in ('{"x":\n1e400}', f'{{"x":{LONG},"\ud83d":{BIG}}}'):
        (call,) = collect(body(text, to), to).executable
        assert call.buf == text
