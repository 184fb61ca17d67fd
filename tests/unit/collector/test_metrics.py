"""The metrics, read and written by Prometheus's own library."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from sottovoce.collector.metrics import SECONDS, SIZES, Metrics

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
    reports = Counter("sottovoce_reports", "Reports.", ["outcome"], registry=registry)
    refusals = Counter("sottovoce_refusals", "Refusals.", ["kind"], registry=registry)
    drops = Counter("sottovoce_dropped_connections", "Drops.", ["reason"], registry=registry)
    groups = Histogram("sottovoce_group_reports", "Groups.", buckets=SIZES, registry=registry)
    commits = Histogram("sottovoce_commit_seconds", "Commits.", buckets=SECONDS, registry=registry)
    for value in SEEN:
        own.groups.add(value)
        groups.observe(value)
        own.commits.add(value / 1000)
        commits.observe(value / 1000)
    for outcome, count in (("accepted", 7), ("repeated", 2)):
        own.reports[outcome] += count
        reports.labels(outcome).inc(count)
    own.refusals["busy"] += 1
    refusals.labels("busy").inc()
    own.drops["evicted"] += 3
    drops.labels("evicted").inc(3)
    found = sorted(samples(own.text()))
    assert found == sorted(samples(generate_latest(registry).decode()))
    assert len(found) == 4 + (len(SIZES) + 3) + (len(SECONDS) + 3)


def test_bounds_and_counts_keep_their_form() -> None:
    """Prometheus takes le="1" and le="1.0" for two series."""
    own = Metrics()
    own.groups.add(1)
    lines = own.text(held_bytes=5).splitlines()
    assert 'sottovoce_group_reports_bucket{le="1"} 1' in lines
    assert 'sottovoce_commit_seconds_bucket{le="0.001"} 0' in lines
    assert "sottovoce_held_bytes 5" in lines


@pytest.mark.parametrize("gauge", ["held_bytes", "connections"])
def test_gauges(gauge: str) -> None:
    assert ("gauge", f"sottovoce_{gauge}", (), 3.0) in set(samples(Metrics().text(**{gauge: 3})))
