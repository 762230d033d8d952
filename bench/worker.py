"""The process that measures: requests come as JSON lines on stdin, answers leave as JSON lines on stdout."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import platform
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any


def about(request: dict[str, Any]) -> dict[str, Any]:
    """The build, the Python and the versions of the named packages that are here."""
    found: dict[str, str] = {}
    for name in request["packages"]:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    build = None
    if "anthropic" not in request["packages"]:  # the peers' environment has no toolwire
        # All of it now, so that a run measures one state of the sources.
        wires = import_module("toolwire.wire")
        for name in wires.WIRES:
            wires.load(name)
        for row in import_module("toolwire.wire.encode").ENCODERS.values():
            import_module(row.module)
        import_module("toolwire.encoder")
        import_module("bench.subjects")
        build = str(getattr(import_module("toolwire"), "build", "pure"))
    return {"build": build, "python": platform.python_version(), "packages": found}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What a module's `run` has measured, or what went wrong."""
    try:
        if "packages" in request:
            return about(request)
        module = import_module(request["module"])
        result: dict[str, Any] = module.run(
            request["name"], request["case"], float(request["work_ns"]), int(request["samples"])
        )
    except Exception as problem:  # noqa: BLE001 - a peer may raise anything; the driver shows it
        return {"error": f"{type(problem).__name__}: {problem}"[:300]}
    finally:
        gc.collect()
    return result


def main() -> None:
    gc.disable()
    # What a peer prints must not get between the answers.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=out, flush=True)
    os._exit(0)  # peers leave threads and loops behind, which complain


if __name__ == "__main__":
    main()
