"""Studies simulated in bulk, short in the unit tier and long in tests/long."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import sottovoce as sv
from sottovoce.estimators.inversion import inversion_of

#: Items and sensitive items.
ULDP_SETTINGS = [(625, 15), (400, 76), (100, 50), (20, 3)]


def levels_of(size: int) -> list[float]:
    return [0.1, 0.5, 1.0, 2.0, 4.0, math.log(size)]


def squared_errors(mechanism: sv.Mechanism, p: Any, n: int, runs: int, seed: int) -> Any:
    """‖p̂ − p‖² of studies of n people each. p̂ is affine in the counts: its matrix is read off once, and the reports counted in bulk."""
    channel, length = mechanism.channel, mechanism.channel.statistic.length
    inversion = inversion_of(channel)
    read = inversion.readings
    start = read.moment(inversion.occurrences(np.zeros(length)), 1)
    slope = np.array([read.moment(inversion.occurrences(row), 1) - start for row in np.eye(length)])
    source, rng = sv.SeededSource(seed), np.random.default_rng(seed)
    found = []
    step = max(1, (1 << 24) // (n * channel.size))
    for first in range(0, runs, step):
        count = min(step, runs - first)
        reports = channel.sample(rng.choice(channel.size, size=n * count, p=p), source)
        assert isinstance(reports, sv.SetReports)
        dense = reports.dense()
        if isinstance(channel, sv.MixedChannel):
            second = (channel.kinds(reports) == 1)[:, None]
            dense = np.concatenate([dense & ~second, dense & second], axis=1)
        shares = dense.reshape(count, n, length).mean(axis=1)
        found.append((((start + shares @ slope) - p) ** 2).sum(axis=1))
    return np.concatenate(found)


def errors_of_options(seed: int, runs: int) -> tuple[sv.Plan, Any, Any]:
    """A random setting at a random population: its plan, and the mean total variation of each option over some studies, with its error."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(5, 40))
    domain, epsilon, n = sv.Domain(size), float(rng.choice([0.3, 1.0, 2.0, 4.0])), 3000
    sensitive = None if rng.random() < 0.4 else range(int(rng.integers(1, size)))
    p = rng.dirichlet(np.full(size, 0.7))
    found = sv.plan(domain, epsilon, sensitive=sensitive, n=n, p=p)
    tv = np.array(
        [
            [
                sv.distance(sv.estimate(sv.Tally.simulate(option.mechanism, p, n, sv.SeededSource(s)), "inversion"), p).tv
                for s in range(runs)
            ]
            for option in found.options
        ]
    )
    return found, tv.mean(axis=1), tv.std(axis=1) / np.sqrt(runs)
