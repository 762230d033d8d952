"""Which build runs is what was asked for, and says so."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import toolwire

PACKAGE = Path(toolwire.__file__).parent
HOT = ("accumulator", "call", "framing.sse", "partial.parser", "partial.scanner", "sansio", "wire.openai_chat")
COMPILED = sorted(path for suffix in EXTENSION_SUFFIXES[:1] for path in PACKAGE.rglob(f"*{suffix}"))


def loaded(**environment: str) -> list[str]:
    """What another interpreter says of its build, and where it has the hot modules from."""
    code = f"""
from importlib import import_module
import toolwire
print(toolwire.build, *(import_module("toolwire." + name).__file__ for name in {HOT}), sep="\\n")
"""
    env = {key: value for key, value in os.environ.items() if key != "TOOLWIRE_PURE"} | environment
    done = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True)
    return done.stdout.split()


def test_pure_python_is_to_be_had() -> None:
    build, *files = loaded(TOOLWIRE_PURE="1")

    assert build == "pure"
    assert all(file.endswith(".py") for file in files)


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled here")
def test_compiled_modules_are_used_where_they_are() -> None:
    build, *files = loaded()

    assert build == "compiled"
    assert all(file.endswith(EXTENSION_SUFFIXES[0]) for file in files)


@pytest.mark.skipif(toolwire.build != "compiled", reason="this is the pure build")
def test_structs_are_not_compiled() -> None:
    """The compiler drops a Struct's options, so that it would no longer be frozen."""
    for path in COMPILED:
        name = ".".join(path.relative_to(PACKAGE.parent).parts).removesuffix(EXTENSION_SUFFIXES[0])
        if name.endswith("__mypyc"):
            continue
        module = import_module(name)
        own = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == name]
        assert not [each for each in own if hasattr(each, "__struct_fields__")]
