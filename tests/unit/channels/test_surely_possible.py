"""Records that a channel recognises without making arrays of them."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.channels import ProductChannel
from sottovoce.errors import ReportError
from zoo import NAMES, built

#: Families whose every report is recognised.
RECOGNISED = ("krr", "oue", "subset_selection", "window", "rappor", "urr", "iprr", "identity")


def judged(channel: sv.Channel, record: bytes) -> bool:
    try:
        channel.reports_from_bytes(record)
    except ReportError:
        return False
    return True


@pytest.mark.parametrize("name", NAMES)
def test_what_is_recognised_is_possible(name: str) -> None:
    """Random records, their neighbours, and records that were made: none that is impossible is recognised."""
    channel, dice = built(name).channel, np.random.default_rng(3)
    made = channel.sample(np.arange(400) % channel.size, sv.SeededSource(1)).records()
    width = made.shape[1]
    known = sum(channel.surely_possible(record.tobytes()) for record in made)
    assert known == (len(made) if name in RECOGNISED else known)
    tried = [*made[:40], *dice.integers(0, 256, (100, width), dtype=np.uint8), *dice.integers(0, 4, (100, width), dtype=np.uint8)]
    tried += [np.full(width, value, dtype=np.uint8) for value in (0, 255)]
    for record in tried:
        assert judged(channel, record.tobytes()) or not channel.surely_possible(record.tobytes())


def test_a_record_of_several_parts() -> None:
    parts = tuple(built(name).channel for name in ("krr", "subset_selection", "oue"))
    channel = ProductChannel(parts)
    record = channel.sample(np.array([3]), sv.SeededSource(1)).records()[0]
    assert channel.surely_possible(record.tobytes())
    for place in range(len(record)):
        changed = record.copy()
        changed[place] = 255
        assert not channel.surely_possible(changed.tobytes())
        assert not judged(channel, changed.tobytes())
