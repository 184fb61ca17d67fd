"""The pages of a store that nobody writes to don't show the order in which reports came."""

from __future__ import annotations

import contextlib
import math
import random
import sqlite3
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2
from sqlalchemy import func, select

import sottovoce as sv
from collectors import some_reports
from sottovoce.errors import StoreError
from sottovoce.reports import CodeReports
from sottovoce.store import Arrival, Receipt, Store, schema, sqlite
from sottovoce.store.arrivals import Lane, mixed, shuffled
from stores import arrival, opened
from suites.forensics import LONE, STUDY, ascents, guesses_of_ids


def test_a_store_that_is_idle_is_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "collector.sqlite-wal"
    store, (entry,) = opened(str(tmp_path / "collector.sqlite"), sv.Study.from_toml(STUDY))
    dice = random.Random(7)
    ids = [dice.randbytes(16) for _ in range(LONE)]
    for each in ids:
        store.write([arrival(entry, CodeReports(np.array([1]), 100), each)])
    assert not store.settle(idle=False)
    assert not store.settle(idle=True)
    assert log.stat().st_size, "it waits for a second without a write"
    until = time.monotonic() + 30
    while log.stat().st_size:
        assert not store.settle(idle=True), "the file is rewritten later"
        assert time.monotonic() < until
        time.sleep(0.1)
    before = guesses_of_ids(tmp_path / "collector.sqlite", ids)
    assert ascents(before["the place in its page, from the end"]) == LONE - 1
    monkeypatch.setattr(sqlite, "_REST", 2.0)
    until = time.monotonic() + 30
    while not store.settle(idle=True):
        assert time.monotonic() < until
        time.sleep(0.1)
    for times in guesses_of_ids(tmp_path / "collector.sqlite", ids).values():
        assert 30 < ascents(times) < 70
    assert store.recount(entry).holds
    store.close()


def test_a_large_file_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, _ = opened(str(tmp_path / "collector.sqlite"))
    assert store.tidy()
    monkeypatch.setattr(sqlite, "TIDY_BYTES", 1000)
    assert not store.tidy()
    assert not store.settle(idle=False)
    monkeypatch.setattr(sqlite, "_CALM", 0.0)
    assert store.settle(idle=True), "nothing is waited for"
    store.close()


def test_every_order_of_the_pending_reports_is_as_likely() -> None:
    """Three kept rows in random order, and two new ones: 120 orders, whose counts fit a uniform draw (χ² at 1e-9)."""
    draws = 24_000
    seen = Counter[bytes]()
    for _ in range(draws):
        kept = shuffled(np.arange(3, dtype=np.uint8)[:, None]).tobytes()
        seen[mixed(kept, bytes([3, 4]), 1)] += 1
    assert len(seen) == 120
    assert sum((count - draws / 120) ** 2 for count in seen.values()) / (draws / 120) < chi2.isf(1e-9, 119)
    assert sorted(mixed(kept, bytes(range(3, 60)), 1)) == list(range(60)), "many are shuffled with all"


@pytest.mark.parametrize(("mechanism", "most"), [("krr", 3), ("oue", 30)])
def test_lone_reports_wait_in_parts_of_a_page_in_no_order(
    tmp_path: Path, mechanism: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each changes a page of identifiers and one of pending reports. Before, it rewrote all that waited: up to 16 pages for `oue`."""
    monkeypatch.setattr(sqlite.SQLite, "_PRAGMAS", (*sqlite.SQLite._PRAGMAS, "synchronous = OFF"))  # thousands of writes
    store, (entry,) = opened(str(tmp_path / "collector.sqlite"), sv.Study.from_toml(STUDY.replace("krr", mechanism)))
    records = some_reports(entry.study, 1200, 3).records()
    records[:, 0] = np.arange(1200) // 12  # when each came
    dice, log = random.Random(3), Path(f"{tmp_path / 'collector.sqlite'}-wal")
    arrivals = [Arrival(entry.key, entry.fingerprint, {"": Lane(dice.randbytes(16), each.tobytes())}) for each in records]
    for each in arrivals[:200]:
        store.write([each])
    store.settle(idle=True)
    before = log.stat().st_size
    for each in arrivals[200:]:
        store.write([each])
    assert (log.stat().st_size - before) / 4120 / 1000 < 2.5
    with store.dialect.reading() as connection:
        parts = connection.execute(select(schema.pending.c.records)).scalars().all()
    assert 1 < len(parts) <= most
    assert max(map(len, parts)) <= 900
    waiting = np.frombuffer(b"".join(parts), dtype=np.uint8).reshape(1200, -1)[:, 0]
    assert abs(np.corrcoef(np.arange(1200), waiting)[0, 1]) < 6 / math.sqrt(1200)
    for _ in range(2):
        for each in records:
            store.write([Arrival(entry.key, entry.fingerprint, {"": Lane(dice.randbytes(16), each.tobytes())})])
    found = store.recount(entry)
    assert (found.reports, found.holds) == (3600, True)
    with store.dialect.reading() as connection:
        sizes = connection.execute(select(func.length(schema.chunks.c.records))).scalars().all()
    assert min(sizes) >= 1024 * records.shape[1], "all parts make one chunk"
    store.close()


def test_a_writer_that_was_kept_out_writes_again(tmp_path: Path) -> None:
    """The connection that stays open is given up after an error, with all that its transaction did."""
    path = tmp_path / "collector.sqlite"
    store, (entry,) = opened(str(path), sv.Study.from_toml(STUDY))
    store.close()
    store = Store(str(path), write_seconds=0.2)
    entry = store.entry(entry.name)
    first, second = (arrival(entry, CodeReports(np.array([1]), 100), bytes([k]) * 16) for k in range(2))
    assert store.write([first]) == [Receipt(1, 0)]
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError):
            store.write([second])
        other.execute("ROLLBACK")
    assert store.write([second, first]) == [Receipt(1, 0), Receipt(0, 1)]
    assert store.recount(entry).holds
    store.close()
