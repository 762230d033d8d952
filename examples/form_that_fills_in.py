"""A form that fills in: at any moment, what is there of a model's fields. What isn't is MISSING; nothing flickers."""

from __future__ import annotations

from dataclasses import dataclass

import toolwire
from toolwire.demo import DEMOS


@dataclass
class Applicant:
    name: str
    born: str


@dataclass
class Application:
    applicant: Applicant
    items: list[object]
    remarks: str


def line(form: toolwire.Partial[Application]) -> str:
    name = form.applicant.name if form.applicant else toolwire.MISSING
    return f"{name or '...':15} {len(form.items or ())} items{'  remarks' if form.remarks else ''}".rstrip()


def main() -> None:
    shown = ""
    for event in toolwire.stream(DEMOS["anthropic-form"].chunks()):
        if isinstance(event, toolwire.ToolCallDelta):
            now = line(event.call.partial_as(Application))
            if now != shown:
                shown = now
                print(shown)


if __name__ == "__main__":
    main()
