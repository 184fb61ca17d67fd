"""Whole commands as a user runs them: how long small ones take, then time and peak memory on large files.

Writes the tables to docs/benchmarks.md and prints them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import start
from common import machine, rounded, seconds, write

PEOPLE = 50_000_000
FEWER = 2_000_000
ITEMS = ("hiv", "cancer", "hepatitis", "flu", "none")
DIRECT = """
name = "direct"
question = "Which?"
items = ["hiv", "cancer", "hepatitis", "flu", "none"]
privacy = {notion = "ldp", epsilon = 1.0}
mechanism = {name = "krr"}
"""
UNARY = """
name = "unary"
question = "Which?"
items = 400
privacy = {notion = "ldp", epsilon = 1.0}
mechanism = {name = "oue"}
"""


def command(folder: Path, *arguments: str) -> tuple[float, float]:
    """Seconds and megabytes of one process, its start included."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "sottovoce", *arguments], cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, arguments
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def answers(path: Path, labels: np.ndarray, count: int) -> None:
    random = np.random.default_rng(1)
    with open(path, "wb") as file:
        file.write(b"answer\n")
        for begin in range(0, count, 1_000_000):
            chosen = labels[random.integers(0, len(labels), min(1_000_000, count - begin))]
            file.write(b"\n".join(chosen.tolist()) + b"\n")


def rows(folder: Path) -> Iterator[str]:
    help_time = min(command(folder, "--help")[0] for _ in range(5))
    yield f"| `sottovoce --help` | | {seconds(help_time)} | | |"
    (folder / "direct.toml").write_text(DIRECT)
    (folder / "unary.toml").write_text(UNARY)
    answers(folder / "direct.csv", np.array([item.encode() for item in ITEMS]), PEOPLE)
    answers(folder / "few.csv", np.array([item.encode() for item in ITEMS]), FEWER)
    answers(folder / "unary.csv", np.array([str(k).encode() for k in range(400)]), FEWER)
    for what, count, arguments in (
        ("perturb, CSV → Parquet, direct K = 5", PEOPLE, ("perturb", "direct.toml", "direct.csv", "-o", "direct.parquet")),
        ("estimate, Parquet, direct K = 5", PEOPLE, ("estimate", "direct.toml", "direct.parquet")),
        ("perturb, CSV → NDJSON, direct K = 5", FEWER, ("perturb", "direct.toml", "few.csv", "-o", "few.ndjson")),
        ("estimate, NDJSON, direct K = 5", FEWER, ("estimate", "direct.toml", "few.ndjson")),
        ("perturb, CSV → Parquet, oue K = 400", FEWER, ("perturb", "unary.toml", "unary.csv", "-o", "unary.parquet")),
        ("estimate, Parquet, oue K = 400, maximum likelihood", FEWER, ("estimate", "unary.toml", "unary.parquet")),
        ("estimate, Parquet, oue K = 400, totals", FEWER, ("estimate", "unary.toml", "unary.parquet", "--method", "projected")),
    ):
        took, megabytes = command(folder, *arguments)
        yield f"| {what} | {count:,} | {seconds(took)} | {rounded(count / took)} | {megabytes:,.0f} MB |"


def main() -> None:
    start.main()
    with tempfile.TemporaryDirectory() as folder:
        lines = ["| command | rows | whole process | rows a second | peak memory |", "|---|---|---|---|---|", *rows(Path(folder))]
    rounds = "one run each (the best of 5 for help), starting Python and loading the package included"
    conditions = f"{machine('numpy', 'pyarrow', 'typer', 'msgspec')}; {rounds}."
    write("commands", [conditions, "", *lines])
    print("\n".join(lines))


if __name__ == "__main__":
    main()
