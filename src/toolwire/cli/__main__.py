"""`python -m toolwire.cli`."""

from __future__ import annotations

from toolwire.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
