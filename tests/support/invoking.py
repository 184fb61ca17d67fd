"""Commands, run in this process. The same calls as in `processes`, without the second that a process takes to start."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from typer.testing import CliRunner

from messages import wording
from options import unknown_options
from sottovoce.cli import main

#: The code of a command line that Typer refuses, in words of its own.
USAGE = 2


@dataclass(frozen=True)
class Done:
    """What a command printed, and the code it left with."""

    stdout: bytes
    stderr: bytes
    returncode: int


def run(folder: Path, *arguments: str, code: int = 0, stdin: bytes = b"") -> Done:
    """Run `sottovoce` with arguments in a folder. An error that a command doesn't explain fails the test.

    So does a message that names an option that the command doesn't have.
    """
    done = _run(folder, arguments, stdin)
    if code != USAGE:
        assert unknown_options(arguments, done.stderr.decode()) == []
    assert done.returncode == code, (arguments, done.returncode, done.stdout.decode()[-2000:], done.stderr.decode()[-2000:])
    assert b"Traceback" not in done.stderr
    assert b"\x1b[" not in done.stdout + done.stderr
    return done


def as_json(folder: Path, *arguments: str, code: int = 0, stdin: bytes = b"") -> Any:
    return json.loads(run(folder, *arguments, "--json", code=code, stdin=stdin).stdout)


def _run(folder: Path, arguments: tuple[str, ...], stdin: bytes) -> Done:
    with chdir(folder), _kept(), CliRunner().isolation(stdin) as (stdout, stderr, _):
        sys.argv = ["sottovoce", *arguments]
        code: Any = 0
        try:
            main()
        except SystemExit as left:
            code = left.code or 0
        sys.stdout.flush()
        sys.stderr.flush()
        return Done(stdout.getvalue(), stderr.getvalue(), code)


@contextmanager
def _kept() -> Iterator[None]:
    """Run as the main program, and give back what it changes for its whole life: arguments, import path and signals."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    program, arguments, path = sys.modules["__main__"], sys.argv, sys.path.copy()
    sys.modules["__main__"] = ModuleType("__main__")  # help names the program that runs
    try:
        yield
    finally:
        sys.modules["__main__"], sys.argv, sys.path[:] = program, arguments, path
        for number, handler in handlers.items():
            signal.signal(number, handler)


def complaint(folder: Path, *arguments: str, code: int = 1, kind: str = "", stdin: bytes = b"") -> str:
    """What a command that leaves with a code prints on standard error, in the recorded words.

    With a `kind`, the same command is also run with --json, which must report the same sentence under that kind.
    """
    said = run(folder, *arguments, code=code, stdin=stdin).stderr.decode()
    wording(said)
    if kind:
        told = as_json(folder, *arguments, code=code, stdin=stdin)
        assert (told["code"], told["kind"]) == (code, kind), told
        assert said.endswith(f"sottovoce: {told['error']}\n")
    return said
