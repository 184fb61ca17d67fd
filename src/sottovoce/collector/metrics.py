"""Counters of a collector, in the text format of Prometheus. They contain amounts only, nothing about people."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from sottovoce.errors import PROBLEMS

#: Bounds of the histograms.
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
SIZES = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144)
#: The counters: their label, what they count, and the labels that are there from the start, at zero. Alerts need a series before the
#: first event. Kinds of problems that only devices have aren't there.
COUNTERS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "reports": ("outcome", "Reports, by outcome.", ("accepted", "repeated")),
    "refusals": ("kind", "Refused requests, by kind of problem.", tuple(sorted(PROBLEMS.keys() - {"ledger", "unreachable"}))),
    "refused_submissions": (
        "kind",
        "Refused submissions of reports, by kind of problem. Refusals count them too.",
        ("another-study", "closed", "no-ticket", "not-found", "report", "used-ticket"),
    ),
    "recounts": ("outcome", "Recounts of tallies, by whether they matched the reports.", ("differs", "fits")),
    "dropped_connections": (
        "reason",
        "Connections that ended without a request, by reason.",
        ("evicted", "failed handshake", "refused", "slow handshake"),
    ),
    "estimates": ("outcome", "Requests for estimates, by source of the answer.", ("kept", "made", "shared", "too long")),
}
_HISTOGRAMS = {
    "group_reports": ("Reports that were committed together.", SIZES),
    "commit_seconds": ("Time to write a group to disk.", SECONDS),
}


class Histogram(Struct):
    """How often values fell below each bound."""

    bounds: tuple[float, ...]
    counts: list[int]
    total: float = 0.0
    count: int = 0

    @classmethod
    def of(cls, bounds: tuple[float, ...]) -> Histogram:
        return cls(bounds, [0] * (len(bounds) + 1))

    def add(self, value: float) -> None:
        self.count += 1
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def plus(self, other: Histogram) -> Histogram:
        counts = [one + two for one, two in zip(self.counts, other.counts, strict=True)]
        return Histogram(self.bounds, counts, self.total + other.total, self.count + other.count)

    def lines(self, name: str, what: str) -> Iterator[str]:
        yield f"# HELP {name} {what}"
        yield f"# TYPE {name} histogram"
        total = 0
        for bound, count in zip((*self.bounds, "+Inf"), self.counts, strict=True):
            total += count
            yield f'{name}_bucket{{le="{bound}"}} {total}'
        yield f"{name}_sum {self.total}"
        yield f"{name}_count {self.count}"


class Figures(Struct):
    """The figures of a process, or of several added up."""

    counters: dict[str, dict[str, int]]
    histograms: dict[str, Histogram]
    gauges: dict[str, float]

    def plus(self, other: Figures, *, gauges: bool = True) -> Figures:
        """The sum of two processes. The gauges of one that ended don't count."""
        return Figures(
            {name: dict(Counter(found) + Counter(other.counters[name])) for name, found in self.counters.items()},
            {name: found.plus(other.histograms[name]) for name, found in self.histograms.items()},
            {name: found + other.gauges.get(name, 0) * gauges for name, found in self.gauges.items()},
        )

    def text(self) -> str:
        """The metrics as Prometheus reads them."""
        lines = list[str]()
        for name, (label, what, known) in COUNTERS.items():
            found = dict.fromkeys(known, 0) | self.counters[name]
            lines += [f"# HELP sottovoce_{name}_total {what}", f"# TYPE sottovoce_{name}_total counter"]
            lines += [f'sottovoce_{name}_total{{{label}="{key}"}} {count}' for key, count in sorted(found.items())]
        for name, value in self.gauges.items():
            lines += [f"# TYPE sottovoce_{name} gauge", f"sottovoce_{name} {value}"]
        for name, (what, _) in _HISTOGRAMS.items():
            lines += self.histograms[name].lines(f"sottovoce_{name}", what)
        return "\n".join(lines) + "\n"


def added(parts: Iterable[tuple[Figures, bool]], first: Figures) -> Figures:
    """The figures of a process and of others, each with whether it still runs."""
    for part, running in parts:
        first = first.plus(part, gauges=running)
    return first


class Metrics:
    """What a process has done since it began."""

    def __init__(self) -> None:
        self.reports = Counter[str]()
        self.refusals = Counter[str]()
        self.refused_submissions = Counter[str]()
        self.recounts = Counter[str]()
        self.drops = Counter[str]()
        self.estimates = Counter[str]()
        self.groups, self.commits = (Histogram.of(bounds) for _, bounds in _HISTOGRAMS.values())

    def figures(self, **gauges: float) -> Figures:
        """The figures now."""
        counters = (self.reports, self.refusals, self.refused_submissions, self.recounts, self.drops, self.estimates)
        histograms = (self.groups, self.commits)
        return Figures(
            {name: dict(found) for name, found in zip(COUNTERS, counters, strict=True)},
            dict(zip(_HISTOGRAMS, histograms, strict=True)),
            gauges,
        )
