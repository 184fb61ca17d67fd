"""Counters of a collector in the text format of Prometheus. They are totals, with nothing about people."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

#: Bounds of the histograms.
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
SIZES = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144)


class Histogram:
    """How often values fell below each bound."""

    def __init__(self, name: str, what: str, bounds: tuple[float, ...]) -> None:
        self._name, self._what, self._bounds = name, what, bounds
        self._counts, self._sum = [0] * (len(bounds) + 1), 0.0
        self.count = 0

    def add(self, value: float) -> None:
        self.count += 1
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def lines(self) -> Iterator[str]:
        yield f"# HELP {self._name} {self._what}"
        yield f"# TYPE {self._name} histogram"
        total = 0
        for bound, count in zip((*self._bounds, "+Inf"), self._counts, strict=True):
            total += count
            yield f'{self._name}_bucket{{le="{bound}"}} {total}'
        yield f"{self._name}_sum {self._sum}"
        yield f"{self._name}_count {self.count}"


class Metrics:
    """What a process has done since it started."""

    def __init__(self) -> None:
        self.reports = Counter[str]()
        self.refusals = Counter[str]()
        self.recounts = Counter[str]()
        self.drops = Counter[str]()
        self.estimates = Counter[str]()
        self.groups = Histogram("sottovoce_group_reports", "Reports that were committed together.", SIZES)
        self.commits = Histogram("sottovoce_commit_seconds", "Time to write a group to disk.", SECONDS)

    def text(self, **gauges: float) -> str:
        """The metrics in the text format of Prometheus."""
        lines = list[str]()
        for name, label, what, counter in (
            ("sottovoce_reports_total", "outcome", "Reports, by outcome.", self.reports),
            ("sottovoce_refusals_total", "kind", "Refused requests, by kind of problem.", self.refusals),
            ("sottovoce_recounts_total", "outcome", "Recounts of tallies, by whether they matched the reports.", self.recounts),
            ("sottovoce_dropped_connections_total", "reason", "Connections that ended without a request, by reason.", self.drops),
            ("sottovoce_estimates_total", "outcome", "Requests for estimates, by source of the answer.", self.estimates),
        ):
            lines += [f"# HELP {name} {what}", f"# TYPE {name} counter"]
            lines += [f'{name}{{{label}="{key}"}} {count}' for key, count in sorted(counter.items())]
        for name, value in gauges.items():
            lines += [f"# TYPE sottovoce_{name} gauge", f"sottovoce_{name} {value}"]
        return "\n".join([*lines, *self.groups.lines(), *self.commits.lines()]) + "\n"
