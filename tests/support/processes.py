"""The command line as a process of its own, for the tests."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

PROGRAM = [sys.executable, "-m", "sottovoce"]
#: The script that an installation puts beside Python.
INSTALLED = [str(Path(sys.executable).with_name("sottovoce"))]
COMMANDS = (
    *("new", "map", "check", "explain", "plan", "perturb", "tally", "estimate", "simulate", "compare", "mechanisms", "notions", "demo"),
    *("serve", "export", "reproduce"),
)
#: Groups of commands, and the commands of each.
GROUPS = {
    "token": ("create", "list", "revoke"),
    "ticket": ("create", "count"),
    "store": ("studies", "add", "change", "delete", "recount", "backup", "restore", "migrate", "audit", "prune"),
}
SHARES = {"hiv": 0.05, "cancer": 0.1, "hepatitis": 0.15, "flu": 0.3, "none": 0.4}


def listening() -> None:
    """Signals as a terminal leaves them: a background job may have been told to ignore some."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def run(
    folder: Path, *arguments: str, code: int = 0, stdin: bytes = b"", program: Sequence[str] = PROGRAM, **options: Any
) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run([*program, *arguments], cwd=folder, input=stdin, capture_output=True, timeout=120, check=False, **options)
    assert done.returncode == code, (arguments, done.returncode, done.stdout.decode()[-2000:], done.stderr.decode()[-2000:])
    assert b"Traceback" not in done.stderr
    assert b"\x1b[" not in done.stdout + done.stderr
    return done


def as_json(folder: Path, *arguments: str, code: int = 0, stdin: bytes = b"") -> Any:
    return json.loads(run(folder, *arguments, "--json", code=code, stdin=stdin).stdout)


def complaint(folder: Path, *arguments: str, code: int = 1, kind: str = "", stdin: bytes = b"") -> str:
    """What a command that leaves with a code prints on standard error. With a `kind`, --json reports the same sentence under it."""
    said = run(folder, *arguments, code=code, stdin=stdin).stderr.decode()
    if kind:
        told = as_json(folder, *arguments, code=code, stdin=stdin)
        assert (told["code"], told["kind"]) == (code, kind), told
        assert said.endswith(f"sottovoce: {told['error']}\n")
    return said


def answers(count: int, seed: int = 1) -> list[str]:
    return np.random.default_rng(seed).choice(list(SHARES), size=count, p=list(SHARES.values())).tolist()


def children(parent: int) -> dict[int, str]:
    """The processes that another one has begun, with their command lines (Linux)."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if int((place / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                found[int(place.name)] = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            continue
    return found
