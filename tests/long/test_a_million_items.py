"""A million items: within the memory of a phone or a small server."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from large import LARGE, takes_at_most


@pytest.mark.parametrize("name", LARGE)
def test_a_million_items(name: str) -> None:
    assert takes_at_most(LARGE[name][1] * 1e6, name, 1_000_000)


def test_a_million_items_with_a_prior() -> None:
    weights = 1 / np.arange(1, 1_000_001)
    mechanism = sv.rr_lip(sv.Domain(1_000_000), 1.0, weights / weights.sum())
    assert mechanism.certify().level <= 1.0
