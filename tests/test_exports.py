"""The public surface: sorted, complete, lazy and cheap."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import toolwire


def test_all_names_are_there() -> None:
    """Each name of `__all__` resolves, has a home and shows up in `dir`."""
    assert set(toolwire.__all__) == {*toolwire._HOMES, "build"}
    assert set(toolwire.__all__) <= set(dir(toolwire))
    for name in toolwire.__all__:
        assert getattr(toolwire, name) is not None


def test_the_typed_names_are_the_real_ones() -> None:
    """What type checkers see is what `__getattr__` gives."""
    tree = ast.parse(Path(toolwire.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}

    assert typed == toolwire._HOMES


def test_modules_do_not_shadow_functions() -> None:
    """A submodule of a public name's name would replace it once imported."""
    modules = {path.stem for path in Path(toolwire.__file__).parent.iterdir()}

    assert not modules & set(toolwire.__all__)


def test_import_is_cheap() -> None:
    """`import toolwire` imports no other module of its own and no third party's."""
    code = "import sys; before = set(sys.modules); import toolwire; print(*sorted(set(sys.modules) - before))"
    environment = {key: value for key, value in os.environ.items() if key != "TOOLWIRE_PURE"}
    loaded = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True, env=environment
    ).stdout.split()

    assert [name for name in loaded if name.split(".")[0] not in sys.stdlib_module_names] == ["toolwire"]
    assert not {"asyncio", "inspect", "json"} & set(loaded)


def test_the_core_needs_only_msgspec() -> None:
    """Decoding a stream imports no third party but msgspec, and no event loop."""
    code = (
        "import sys; import toolwire; toolwire.collect(b'data: [DONE]\\n\\n', 'openai-chat');"
        "print(*sorted({name.split('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)));"
        "print(*{'asyncio'} & set(sys.modules))"
    )
    loaded = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()

    # typing_extensions is msgspec's, where it is installed
    assert {name for name in loaded if not name.startswith("_")} <= {"msgspec", "toolwire", "typing_extensions"}
