"""Compile what lies between bytes and events with mypyc, from the same source, whenever the package is built.

`pip install` and `pip wheel` come here as hatchling's hook; `python hatch_build.py` compiles in the source tree.
`TOOLWIRE_PURE=1` leaves it out and `TOOLWIRE_PURE=0` insists on it. Without a word, a build that can't be compiled is a
pure one: the same code, slower.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
SOURCE = ROOT / "src"

# Shared library -> its modules. Two of them, because they compile side by side. Modules with msgspec Structs stay out:
# mypyc drops the options of a Struct.
GROUPS = {
    "toolwire.core": (
        "partial/*.py",
        "framing/*.py",
        "accumulator.py",
        "call.py",
        "call_book.py",
        "encoding.py",
        "guarding.py",
        "live_value.py",
        "output.py",
        "sansio.py",
        "turn.py",
        "wire_finder.py",
    ),
    "toolwire.wires": ("wire/*.py",),
}


class CompileError(Exception):
    """Compiling isn't possible here, and why."""


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the compiled modules to a wheel, or puts them into the source tree for an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it collects the files of a wheel."""
        if self.target_name != "wheel":
            return
        if version == "editable":
            compile_or_explain(SOURCE)
            return
        self._built = tempfile.TemporaryDirectory()
        target = Path(self._built.name)
        if compile_or_explain(target):
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
            for library in libraries(target):
                build_data["force_include"][str(library)] = library.relative_to(target).as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called by hatchling when the wheel is written."""
        built = getattr(self, "_built", None)
        if built is not None:
            built.cleanup()


def compile_or_explain(target: Path) -> bool:
    """Compile into `target`; true if that was done. Raises CompileError only where TOOLWIRE_PURE=0."""
    wish = os.environ.get("TOOLWIRE_PURE", "")
    for library in libraries(target):
        library.unlink()
    if wish not in ("", "0"):
        print("toolwire: pure Python, as TOOLWIRE_PURE asks", file=sys.stderr)
        return False
    try:
        compile_modules(target)
    except CompileError as error:
        if wish == "0":
            raise
        print(f"toolwire: not compiled, {error}. It runs as pure Python: the same, slower.", file=sys.stderr)
        return False
    return True


def compile_modules(target: Path) -> None:
    """Compile all groups; each library goes under `target` where its module's source is under `src`."""
    compiler = shlex.split(sysconfig.get_config_var("CC") or "")
    if compiler and shutil.which(compiler[0]) is None:
        raise CompileError(f"because there is no C compiler ({compiler[0]})")
    # A process of its own: mypyc ends its process when it fails, and setuptools wants the working directory.
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, str(Path(__file__).resolve()), "--worker", str(target), scratch]
        done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=False)
    if done.returncode:
        for library in libraries(target):
            library.unlink()
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise CompileError(f"because compiling failed ({said[-1] if said else done.returncode})")


def work(target: str, scratch: str) -> None:
    """What the process of its own does, in `src`."""
    from mypyc.build import mypycify
    from setuptools import setup

    groups = {
        name: [str(path) for pattern in patterns for path in sorted(Path("toolwire").glob(pattern))]
        for name, patterns in GROUPS.items()
    }
    groups = {name: [path for path in paths if not path.endswith("__init__.py")] for name, paths in groups.items()}
    files = [path for paths in groups.values() for path in paths]
    options = ["--config-file=", f"--cache-dir={scratch}/cache", "--no-warn-unused-configs"]
    extensions = mypycify(
        [*options, *files],
        opt_level="3",
        debug_level="0",
        separate=[(paths, name) for name, paths in groups.items()],
        target_dir=f"{scratch}/c",
    )
    arguments = ["--quiet", "build_ext", "--build-lib", target, "--build-temp", f"{scratch}/o", "--parallel", "2"]
    setup(name="toolwire", ext_modules=extensions, script_args=arguments)


def libraries(target: Path) -> list[Path]:
    """The compiled modules under a folder."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    return sorted((target / "toolwire").rglob(f"*{suffix}"))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work(*sys.argv[2:])
    else:
        compile_or_explain(SOURCE)
