"""What the benchmarks share: the peers' environment, the conditions, the page."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / ".bench-venv"
PAGE = ROOT / "docs" / "benchmarks.md"


def peers_environment() -> Path:
    """The peers' interpreter, in an environment of their own."""
    ready = PEERS / ".ready"
    if not ready.exists():
        subprocess.run([sys.executable, "-m", "venv", PEERS], check=True)
        pip: list[str | Path] = [PEERS / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", ROOT / "benchmarks" / "requirements.txt"], check=True)
        ready.touch()
    return PEERS / "bin" / "python"


def processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


def process_kib(field: str, pid: int | str = "self") -> int:
    """A figure of the memory of a process on Linux, in KiB: VmRSS now, or VmHWM at its peak."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return int(dict(line.split(":", 1) for line in lines)[field].split()[0])


def machine(*packages: str) -> str:
    """When and where, and with which versions."""
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return (
        f"Measured {time.strftime('%Y-%m-%d')} by `make bench` on {os.cpu_count()} cores of {processor()}, "
        f"Python {platform.python_version()}, {versions}"
    )


def rounded(value: float) -> str:
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit}/s"
    return f"{value:.3g} /s"


def seconds(value: float) -> str:
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"


def best(work: Callable[[], object], rounds: int = 5) -> float:
    """The shortest time of some rounds, after one that warms up."""
    work()
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def write(section: str, lines: Sequence[str]) -> None:
    """Replace a section of the page, between its markers."""
    begin, end = f"<!-- {section}: start -->", f"<!-- {section}: end -->"
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(begin)[0], text.split(end)[1]
    PAGE.write_text(before + "\n".join([begin, *lines, end]) + after, encoding="utf-8")
