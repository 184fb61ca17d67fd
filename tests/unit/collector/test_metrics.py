"""The metrics, read and written by Prometheus's own library."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from sottovoce.collector.metrics import COUNTERS, SECONDS, SIZES, Metrics
from sottovoce.collector.shared_metrics import ENDED, SharedMetrics

SEEN = [0, 1, 3, 4, 5, 300, 10**6]


def samples(text: str) -> Iterator[tuple[str, str, tuple[tuple[str, str], ...], float]]:
    """The samples of a text: the type of their family, their name, labels (bounds as numbers) and value."""
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if not sample.name.endswith("_created"):
                labels = {name: str(float(value)) if name == "le" else value for name, value in sample.labels.items()}
                yield family.type, sample.name, tuple(sorted(labels.items())), sample.value


def test_the_text_is_what_the_library_would_write() -> None:
    own, registry = Metrics(), CollectorRegistry()
    counters = {}
    for name, (label, _, known) in COUNTERS.items():
        counters[name] = Counter(f"sottovoce_{name}", name, [label], registry=registry)
        for outcome in known:
            counters[name].labels(outcome)  # at zero
    groups = Histogram("sottovoce_group_reports", "Groups.", buckets=SIZES, registry=registry)
    commits = Histogram("sottovoce_commit_seconds", "Commits.", buckets=SECONDS, registry=registry)
    for value in SEEN:
        own.groups.add(value)
        groups.observe(value)
        own.commits.add(value / 1000)
        commits.observe(value / 1000)
    for outcome, count in (("accepted", 7), ("repeated", 2)):
        own.reports[outcome] += count
        counters["reports"].labels(outcome).inc(count)
    own.refusals["busy"] += 1
    counters["refusals"].labels("busy").inc()
    own.drops["evicted"] += 3
    counters["dropped_connections"].labels("evicted").inc(3)
    found = sorted(samples(own.figures().text()))
    assert found == sorted(samples(generate_latest(registry).decode()))
    series = sum(len(known) for _, _, known in COUNTERS.values())
    assert len(found) == series + (len(SIZES) + 3) + (len(SECONDS) + 3)
    assert series > 30


def test_bounds_and_counts_keep_their_form() -> None:
    """Prometheus takes le="1" and le="1.0" for two series."""
    own = Metrics()
    own.groups.add(1)
    lines = own.figures(held_bytes=5).text().splitlines()
    assert 'sottovoce_group_reports_bucket{le="1"} 1' in lines
    assert 'sottovoce_commit_seconds_bucket{le="0.001"} 0' in lines
    assert "sottovoce_held_bytes 5" in lines


@pytest.mark.parametrize("gauge", ["held_bytes", "connections"])
def test_gauges(gauge: str) -> None:
    assert ("gauge", f"sottovoce_{gauge}", (), 3.0) in set(samples(Metrics().figures(**{gauge: 3}).text()))


def test_workers_are_added_up_and_never_fall(tmp_path: Path) -> None:
    """Whichever worker answers, all counters are there, and gauges are those of workers that run."""
    workers = [(Metrics(), SharedMetrics(tmp_path)) for _ in range(3)]
    seen = []
    for step in range(30):
        metrics, shared = workers[step % 3]
        metrics.reports["accepted"] += step
        metrics.refusals["settling: E"] += 1
        metrics.commits.add(0.01)
        found = shared.total(metrics.figures(connections=2))
        seen.append(found.counters["reports"]["accepted"])
    assert seen == [sum(range(step + 1)) for step in range(30)]
    assert found.counters["refusals"] == {"settling: E": 30}
    assert (found.histograms["commit_seconds"].count, found.gauges["connections"]) == (30, 6)
    ended = next(path for path in tmp_path.iterdir() if path != shared._own)
    os.utime(ended, (ended.stat().st_mtime - 2 * ENDED,) * 2)
    (tmp_path / "9-9.json").write_bytes(b"{")  # not a worker's
    found = shared.total(metrics.figures(connections=2))
    assert (found.counters["reports"]["accepted"], found.gauges["connections"]) == (sum(range(30)), 4)
    assert ("counter", "sottovoce_reports_total", (("outcome", "accepted"),), 435.0) in set(samples(found.text()))
