"""Metrics by prometheus_client beside the collector's own, and what Jinja2 costs. Writes the table to docs/benchmarks.md and prints it."""

from __future__ import annotations

import inspect
import subprocess
import sys
import timeit
from collections.abc import Callable, Iterator

import numpy as np
import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import generate_latest

import sottovoce as sv
from common import machine, write
from sottovoce.collector import metrics
from sottovoce.collector.metrics import SECONDS, SIZES, Metrics
from sottovoce.findings import Findings, findings_page

ROUNDS = 9
STUDY = 'name = "five"\nquestion = "Which?"\nitems = ["a", "b", "c", "d", "e"]\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n'


class LibraryMetrics:
    """The same metrics, by the library."""

    def __init__(self) -> None:
        prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]  # of the whole process
        self.registry = CollectorRegistry()
        self.reports = Counter("sottovoce_reports", "Reports, by what became of them.", ["outcome"], registry=self.registry)
        self.refusals = Counter("sottovoce_refusals", "Requests that were refused, by kind of problem.", ["kind"], registry=self.registry)
        self.recounts = Counter("sottovoce_recounts", "Recounts of tallies, by whether they fitted.", ["outcome"], registry=self.registry)
        self.held = Gauge("sottovoce_held_bytes", "Bytes of bodies that are held.", registry=self.registry)
        self.connections = Gauge("sottovoce_connections", "Connections.", registry=self.registry)
        self.groups = Histogram("sottovoce_group_reports", "Reports that were committed together.", buckets=SIZES, registry=self.registry)
        self.commits = Histogram("sottovoce_commit_seconds", "Time until a group is on disk.", buckets=SECONDS, registry=self.registry)

    def text(self, held_bytes: float, connections: float) -> bytes:
        self.held.set(held_bytes)
        self.connections.set(connections)
        return generate_latest(self.registry)


def nanoseconds(work: Callable[[], object], count: int) -> float:
    return min(timeit.repeat(work, number=count, repeat=ROUNDS)) / count * 1e9


def loading(module: str) -> float:
    """Milliseconds of processor time that it takes to load a module, in a process that has loaded the collector."""
    began = "import asyncio, time, uvicorn, sottovoce.store.store; began = time.process_time()"
    code = f"{began}; import {module}; print(time.process_time() - began)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout for _ in range(ROUNDS)]
    return 1e3 * min(float(each) for each in runs)


def lines(source: object) -> int:
    """Lines of code, without blank ones, comments and docstrings of one line."""
    texts = [line.strip() for line in inspect.getsource(source).splitlines()]  # type: ignore[arg-type]  # a module or a class
    return sum(bool(text) and not text.startswith(("#", '"""')) for text in texts)


def rows() -> Iterator[str]:
    own, library = Metrics(), LibraryMetrics()

    def count_own() -> None:
        own.reports["accepted"] += 1

    yield f"| lines of code | {lines(metrics)} | {lines(LibraryMetrics)} |"
    counted = nanoseconds(count_own, 100_000), nanoseconds(lambda: library.reports.labels("accepted").inc(), 100_000)
    yield f"| add to a counter | {counted[0]:.0f} ns | {counted[1]:.0f} ns |"
    observed = nanoseconds(lambda: own.groups.add(37), 100_000), nanoseconds(lambda: library.groups.observe(37), 100_000)
    yield f"| add to a histogram | {observed[0]:.0f} ns | {observed[1]:.0f} ns |"
    texts = nanoseconds(lambda: own.figures(held_bytes=1, connections=1).text(), 1000), nanoseconds(lambda: library.text(1, 1), 1000)
    yield f"| write the text | {texts[0] / 1e3:.0f} µs | {texts[1] / 1e3:.0f} µs |"
    yield f"| load the module | {loading('sottovoce.collector.metrics'):.1f} ms | {loading('prometheus_client'):.1f} ms |"
    bounds = [
        next(line for line in str(text).split("\n") if 'reports_bucket{le="1' in line)
        for text in (own.figures().text(), library.text(1, 1).decode())
    ]
    yield f"| name of the first bucket | `{bounds[0].split()[0]}` | `{bounds[1].split()[0]}` |"


def pages() -> Iterator[str]:
    study = sv.Study.from_toml(STUDY)
    tally = sv.Tally.simulate(study.mechanism, np.full(5, 0.2), 10_000, sv.SeededSource(1))
    findings = Findings.of(study, sv.estimate(tally))
    whole = nanoseconds(lambda: findings_page(findings), 1) / 1e6
    yield f"Jinja2 takes {loading('jinja2'):.1f} ms to load, once in a collector. Altair loads it for every chart anyway."
    yield f"A page of findings with five items takes {whole:.0f} ms."


def main() -> None:
    table = ["| metrics | own | prometheus_client |", "|---|---|---|", *rows()]
    conditions = f"{machine('prometheus_client', 'jinja2', 'altair')}; the best of {ROUNDS} rounds, processor time for loading."
    text = [conditions, "", *table, "", *pages()]
    print("\n".join(text))
    write("libraries", text)


if __name__ == "__main__":
    main()
