"""Estimates don't depend on the order of the reports, not even in the last bit: stores and exports shuffle them."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv


@pytest.mark.parametrize("build", [sv.oue, sv.subset_selection, sv.olh, sv.krr], ids=lambda build: build.__name__)
@pytest.mark.parametrize("size", [3, 40, 300])
def test_the_order_of_reports_changes_nothing(build: object, size: int) -> None:
    m = build(sv.Domain(size), 1.5)  # type: ignore[operator]  # a constructor
    reports = m.perturb(np.arange(500) % size, source=sv.SeededSource(1))
    other = reports[np.random.default_rng(2).permutation(500)]
    one, two = (sv.estimate(sv.Tally(m, keep_reports=True).add(each), "mle") for each in (reports, other))
    assert np.array_equal(one.p, two.p)
    assert one.gap == two.gap
