"""python -m experiments: the same as sottovoce reproduce, from the root of the repository."""

from __future__ import annotations

import sys

from sottovoce.cli import main

if __name__ == "__main__":
    sys.argv[1:1] = ["reproduce"]
    main()
