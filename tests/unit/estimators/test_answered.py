"""Shares among those who answered, near zero."""

from __future__ import annotations

import numpy as np

import sottovoce as sv
from sottovoce.estimators.answered import Answered


def test_an_interval_of_a_rare_answer_never_shrinks_to_nothing() -> None:
    """An answer that 1 in 900 of those who answered gave: 95% of the intervals have its share, and all are as wide as for a share of 0."""
    items = sv.Domain(["rare", "b", "c", "d", "prefer not to say"])
    mechanism, shares = sv.krr(items, 1.0), [0.001, 0.2, 0.3, 0.399, 0.1]
    answered = np.array([True, True, True, True, False])
    ends = []
    for seed in range(300):
        found = sv.estimate(sv.Tally.simulate(mechanism, shares, 3000, sv.SeededSource(seed)))
        among = Answered.of(found, answered).interval
        assert among.low[0] >= 0
        ends.append(among.high[0])
    assert min(ends) > 0.04
    assert np.mean(np.array(ends) >= 0.001 / 0.9) > 0.95
