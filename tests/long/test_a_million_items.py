"""A million items: within the memory of a phone or a small server."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from large import LARGE, peak_of


@pytest.mark.parametrize("name", LARGE)
def test_a_million_items(name: str) -> None:
    assert peak_of(name, 1_000_000) < LARGE[name][1] * 1e6


def test_a_million_items_with_a_prior() -> None:
    weights = 1 / np.arange(1, 1_000_001)
    mechanism = sv.rr_lip(sv.Domain(1_000_000), 1.0, weights / weights.sum())
    assert mechanism.certify().level <= 1.0
