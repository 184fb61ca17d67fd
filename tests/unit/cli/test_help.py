"""Help, usage and the version."""

from __future__ import annotations

from pathlib import Path

import pytest

import sottovoce as sv
from invoking import run
from processes import COMMANDS, GROUPS
from sottovoce.cli.app import app


def test_help_teaches_by_example(tmp_path: Path) -> None:
    text = run(tmp_path, "--help").stdout.decode()
    assert all(command in text for command in COMMANDS)
    assert "Exit codes" in text
    assert {command.name for command in app.registered_commands} == set(COMMANDS)
    groups = {
        group.name: {command.name for command in group.typer_instance.registered_commands}
        for group in app.registered_groups
        if group.typer_instance
    }
    assert groups == {name: set(commands) for name, commands in GROUPS.items()}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_an_example_and_json(command: str, tmp_path: Path) -> None:
    text = run(tmp_path, command, "--help").stdout.decode()
    assert f"$ sottovoce {command}" in text
    assert "--json" in text or command == "serve", "what serve prints is JSON, line by line"


@pytest.mark.parametrize(("group", "command"), [(group, command) for group, commands in GROUPS.items() for command in commands])
def test_every_command_of_a_group_has_help_and_json(group: str, command: str, tmp_path: Path) -> None:
    assert command in run(tmp_path, group, "--help").stdout.decode()
    text = run(tmp_path, group, command, "--help").stdout.decode()
    assert "--json" in text
    assert "--db" in text


def test_wrong_usage(tmp_path: Path) -> None:
    """In Typer's words."""
    assert b"--colour" in run(tmp_path, "check", "--colour", code=2).stderr
    assert b"chekc" in run(tmp_path, "chekc", code=2).stderr
    assert sv.__version__ in run(tmp_path, "--version").stdout.decode()
