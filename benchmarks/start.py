"""How long small commands take: the CPU time of whole processes, warm, and with an empty cache of compiled code.

Writes the tables to docs/benchmarks.md and prints them. `--python PATH` measures another installation, such as an earlier version,
and prints only.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from common import machine, seconds, write
from sottovoce.catalogue import MECHANISMS as CATALOGUE

ROUNDS = 3
ITEMS = ("hiv", "cancer", "hepatitis", "flu", "none")
HEAD = f'name = "five"\nquestion = "Which?"\nitems = {json.dumps(ITEMS)}\n[privacy]\n'
LDP = 'notion = "ldp"\nepsilon = 1.0\n'
ULDP = 'notion = "uldp"\nepsilon = 1.0\nsensitive = ["hiv", "cancer"]\n'
IPLDP = 'notion = "ipldp"\nbudgets = {hiv = 0.5, cancer = 1.0}\n'
ITEM_ULDP = 'notion = "item_uldp"\nbudgets = {hiv = 0.5, cancer = 1.0}\n'
MINID = 'notion = "minid"\nbudgets = {hiv = 0.5, cancer = 1, hepatitis = 1, flu = 2, none = 2}\n'
LIP = 'notion = "lip"\nepsilon = 1.0\nprior = [0.1, 0.15, 0.2, 0.25, 0.3]\n'
TAGS = 'notion = "uldp"\nepsilon = 1.0\ntags = ["home"]\nsensitive = ["hiv"]\n'
PRIVACY = {"LDP": LDP, "ULDP": ULDP, "IPLDP": IPLDP, "IDLDP": MINID, "ItemULDP": ITEM_ULDP, "LIP": LIP}
#: Every mechanism that a study file can name on five items, and the privacy that it is for.
MECHANISMS = {
    name: TAGS if "tags" in entry.takes else PRIVACY[entry.promises[0]]
    for name, entry in CATALOGUE.items()
    if entry.build and name not in {"mangat", "rr_lip_published", "from_matrix"}
}
SETTINGS = {"utility_optimized": 'base = "oue"\n', "lh_lip": "functions = 8\n"}
WARM = {
    "--help": ("--help",),
    "check": ("check", "five.toml"),
    "plan": ("plan", "five.toml"),
    "new": ("new", "survey", "-o", "new.toml", "--force"),
    "mechanisms": ("mechanisms",),
    "token list": ("token", "list", "--db", "five.sqlite"),
    "store studies": ("store", "studies", "--db", "five.sqlite"),
    "perturb, 5,000 answers": ("perturb", "five.toml", "answers.csv", "-o", "five.parquet"),
    "estimate, 5,000 reports": ("estimate", "five.toml", "five.parquet"),
}
PERTURB = ("perturb", "answers.csv", "-o", "five.parquet")
#: The commands that are tried cold with every mechanism.
COLD = {
    "check": ("check",),
    "plan": ("plan",),
    "perturb": PERTURB,
    "tally": ("tally", "five.parquet", "-o", "five.arrow"),
    "estimate": ("estimate", "five.parquet"),
    "simulate": ("simulate", "--people", "5000"),
    "compare": ("compare", "--people", "5000"),
}
#: Version 0.1.0 on the same machine on 2026-11-16, in seconds.
BEFORE = {
    "--help": 0.201,
    "check": 1.59,
    "plan": 1.58,
    "new": 1.39,
    "mechanisms": 1.06,
    "token list": 1.18,
    "store studies": 1.28,
    "perturb, 5,000 answers": 1.9,
    "estimate, 5,000 reports": 1.74,
}


class Cost(NamedTuple):
    """User and system time of a process, and the time on the clock, in seconds."""

    cpu: float
    clock: float


def cost(python: str, folder: Path, *arguments: str, cache: Path | None = None) -> Cost:
    """One process; with a `cache`, it begins with an empty one."""
    if "-o" in arguments:
        (folder / arguments[arguments.index("-o") + 1]).unlink(missing_ok=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if cache is not None:
        shutil.rmtree(cache, ignore_errors=True)
        environment["NUMBA_CACHE_DIR"] = str(cache)
    start = time.perf_counter()
    process = subprocess.Popen(
        [python, "-m", "sottovoce", *arguments], cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    clock = time.perf_counter() - start
    if status:
        raise SystemExit(f"{' '.join(arguments)} ended with {os.waitstatus_to_exitcode(status)}")
    return Cost(usage.ru_utime + usage.ru_stime, clock)


def study(name: str) -> str:
    return HEAD + MECHANISMS[name] + f'[mechanism]\nname = "{name}"\n' + SETTINGS.get(name, "")


def warm(python: str, folder: Path) -> dict[str, float]:
    """The middle one of three runs of each command, after one that is not counted."""
    (folder / "five.toml").write_text(HEAD + ULDP)
    cost(python, folder, "store", "add", "five.toml", "--db", "five.sqlite")
    found = {}
    for name, arguments in WARM.items():
        cost(python, folder, *arguments)
        found[name] = statistics.median(cost(python, folder, *arguments).cpu for _ in range(ROUNDS))
    return found


def _of(name: str, arguments: tuple[str, ...]) -> list[str]:
    """A command on the study of a mechanism. Tags are marked in answers, and these have none."""
    verb, *rest = arguments
    return [verb, f"{name}.toml", *rest, *(["--unmarked"] if verb == "perturb" and name == "pum" else [])]


def cold(python: str, folder: Path) -> Iterator[tuple[str, str, Cost]]:
    """The slowest mechanism of each command."""
    for command, arguments in COLD.items():
        worst = ("", Cost(0.0, 0.0))
        for name in MECHANISMS:
            (folder / f"{name}.toml").write_text(study(name))
            if command not in {"check", "plan", "perturb"}:
                cost(python, folder, *_of(name, PERTURB))
            found = cost(python, folder, *_of(name, arguments), cache=folder / "cache")
            worst = max(worst, (name, found), key=lambda pair: pair[1].cpu)
        yield command, *worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the installation to measure")
    parser.add_argument("--warm", action="store_true", help="leave out the runs with an empty cache")
    options = parser.parse_args()
    python = options.python
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "answers.csv").write_text("answer\n" + "".join(f"{ITEMS[k * k % 5]}\n" for k in range(5000)))
        lines = ["| command, warm | CPU time | version 0.1.0 |", "|---|---|---|"]
        lines += [
            f"| `{command}` | {seconds(found)} | {seconds(BEFORE[command]) if command in BEFORE else ''} |"
            for command, found in warm(python, folder).items()
        ]
        if options.warm:
            print("\n".join(lines))
            return
        lines += ["", "| command, nothing compiled yet | slowest mechanism | CPU time | on the clock |", "|---|---|---|---|"]
        lines += [
            f"| `{command}` | {name} | {seconds(found.cpu)} | {seconds(found.clock)} |" for command, name, found in cold(python, folder)
        ]
    if python == sys.executable:
        conditions = (
            f"{machine('numpy', 'pyarrow', 'typer', 'numba')}; a study of five items, user and system time of the whole process; "
            f"warm: the middle one of {ROUNDS} runs; cold: one run with each of {len(MECHANISMS)} mechanisms."
        )
        write("start", [conditions, "", *lines])
    print("\n".join(lines))


if __name__ == "__main__":
    main()
