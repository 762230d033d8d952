"""`make bench`: every benchmark, one after the other."""

from __future__ import annotations

import sys

from bench.partial import main

if __name__ == "__main__":
    sys.exit(main())
