"""The command line: one file for each command. Nothing heavy is loaded before a command runs."""

from sottovoce.cli.app import main

__all__ = ["main"]
