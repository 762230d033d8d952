"""The five documents that the benchmarks stream: deterministic, and shaped like real tool arguments."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["PAYLOADS", "cut", "document", "sampled"]


def _search() -> str:
    call = {"query": "incremental json parser python streaming", "max_results": 10, "site": "github.com"}
    return json.dumps({**call, "language": "en", "safe": True})


def _form() -> str:
    def field(i: int) -> dict[str, Any]:
        return {
            "id": f"field_{i}",
            "type": ("text", "number", "select")[i % 3],
            "label": f"Question number {i}",
            "required": i % 2 == 0,
            "weight": i * 0.25,
            "options": [{"value": k, "text": f"choice {k}"} for k in range(i % 3)],
            "help": None if i % 4 else "Say what you mean, in one line.",
        }

    form = {"form": {"title": "Intake", "version": 3, "fields": [field(i) for i in range(12)]}, "submit": "Send"}
    return json.dumps(form)


_LINES = (
    'def handler_{i}(event: dict[str, Any]) -> str:\n\t"""Answer one event."""\n',
    '    if event["kind"] == "message" and event["size"] > {i}:\n',
    '        return f"<p class=\\"note\\">{event[\'text\']}</p>"\n',
    "    # 这里处理剩下的情况, 返回默认值 {i}\n",
    "    log.info('path C:\\\\temp\\\\{i} done ✓')\n",
    "    return ''  # 🚀\n\n",
)


def document(size: int) -> str:
    """A file write of about so many characters, with escapes, CJK and emoji."""
    lines: list[str] = []
    total = i = 0
    while total < size:
        line = _LINES[i % len(_LINES)].replace("{i}", str(i))
        lines.append(line)
        total += len(json.dumps(line, ensure_ascii=False)) - 2
        i += 1
    return json.dumps({"path": "src/handlers.py", "content": "".join(lines)}, ensure_ascii=False)


def _rows() -> str:
    rows = [
        {"id": i, "name": f"Person {i}", "email": f"person{i}@example.com", "score": i / 7, "active": i % 3 > 0}
        for i in range(500)
    ]
    return json.dumps({"rows": rows})


PAYLOADS: dict[str, str] = {
    "search call": _search(),
    "nested form": _form(),
    "file 20 KB": document(20_000),
    "file 200 KB": document(200_000),
    "500 rows": _rows(),
}


def cut(text: str, size: int) -> list[str]:
    """The text in fragments of `size` characters."""
    return [text[i : i + size] for i in range(0, len(text), size)]


def sampled(text: str, size: int, samples: int) -> list[str]:
    """The prefixes to re-parse: all of them, or evenly spread ones when there are more than `samples`."""
    ends = list(range(size, len(text) + size, size))
    if len(ends) > samples:
        ends = [ends[(2 * k + 1) * len(ends) // (2 * samples)] for k in range(samples)]
    return [text[:end] for end in ends]
