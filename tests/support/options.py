"""The options that commands have, and those that texts name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import typer

from sottovoce.cli.app import app

_OPTION = re.compile(r"(?<![\w/(-])--[a-z][a-z-]*[a-z]\b")
#: Another command with its options, up to the end of what is quoted.
_COMMAND = re.compile(r"\bsottovoce ((?:[a-z]+ ?)+)[^\n`']*")


@cache
def commands() -> dict[str, frozenset[str]]:
    """The options of every command, by its name: "perturb", "token create", or "" for all of them together."""
    found: dict[str, frozenset[str]] = {}

    def walk(command: Any, path: str) -> None:
        if hasattr(command, "commands"):
            for name, each in command.commands.items():
                walk(each, f"{path} {name}".strip())
        named = (name for option in command.params for name in (*option.opts, *option.secondary_opts))
        found[path] = frozenset({*named, "--help"})

    walk(typer.main.get_command(app), "")
    return found


def command_of(words: Sequence[str]) -> str | None:
    """The command that some words begin with."""
    for count in (2, 1):
        if (name := " ".join(words[:count])) in commands():
            return name
    return None


def named(text: str) -> list[str]:
    """The options that a text names."""
    return _OPTION.findall(text)


def wrong_commands(text: str) -> list[str]:
    """The commands in a text with an option that they don't have."""
    wrong = []
    for line in _COMMAND.finditer(text):
        command = command_of(line[1].split())
        if command is not None:
            wrong += [line[0] for option in named(line[0].split(" | ")[0]) if option not in commands()[command]]
    return wrong


def unknown_options(arguments: Sequence[str], text: str) -> list[str]:
    """The options in a message of a command that neither it nor the command beside the option has."""
    command = command_of(arguments)
    if command is None:
        return []
    return [each for each in named(_COMMAND.sub("", text)) if each not in commands()[command]] + wrong_commands(text)
