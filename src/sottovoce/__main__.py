"""python -m sottovoce."""

from sottovoce.cli import main

main()
