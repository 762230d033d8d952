"""The processes of one run: toolwire compiled, toolwire pure, and the peers in an environment of their own.

instructor has one to itself, because it can't be installed beside the newest jiter.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from bench.measure import ROOT, Worker

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["OURS", "PACKAGES", "PEERS", "Workers"]

OURS = str(ROOT / ".venv" / "bin" / "python")
PEERS = str(ROOT / ".venv-bench" / "bin" / "python")
INSTRUCTOR = str(ROOT / ".venv-bench-instructor" / "bin" / "python")
PACKAGES = (
    "anthropic",
    "google-genai",
    "httpx2",
    "instructor",
    "jiter",
    "langchain-core",
    "litellm",
    "msgspec",
    "openai",
    "partial-json-parser",
    "pydantic",
    "pydantic-ai-slim",
    "pydantic-core",
    "streaming-json-parser",
    "streaming-json-parser-native",
    "toolwire",
)
OWN = ("httpx2", "msgspec", "toolwire")


@dataclass
class Workers:
    """Open them with `with`. `builds` holds "compiled" only where there is a compiled build."""

    builds: list[Worker] = field(default_factory=list)
    about: dict[str, dict[str, Any]] = field(default_factory=dict)
    _stack: ExitStack = field(default_factory=ExitStack)

    peers: Worker = field(init=False)
    instructor: Worker = field(init=False)

    def __enter__(self) -> Self:
        for python in (OURS, PEERS, INSTRUCTOR):
            if not Path(python).exists():
                raise SystemExit(f"{python} is missing: run `make bench`")
        for name, environment in (("compiled", {"TOOLWIRE_PURE": "0"}), ("pure", {"TOOLWIRE_PURE": "1"})):
            worker = self._stack.enter_context(Worker(name, OURS, environment))
            about = worker.ask({"packages": OWN})
            if about.get("build") != name:
                print(f"  ! no {name} build ({about.get('build') or about['error']}): left out")
                continue
            self.about[name] = about
            self.builds.append(worker)
        self.peers = self._stack.enter_context(Worker("peers", PEERS))
        self.about["peers"] = self.peers.ask({"packages": PACKAGES})
        self.instructor = self._stack.enter_context(Worker("instructor", INSTRUCTOR))
        self.about["instructor"] = self.instructor.ask({"packages": PACKAGES})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)
