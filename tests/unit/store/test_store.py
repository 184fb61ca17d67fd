"""The store on SQLite, and the parts of a store that need no database."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from collectors import named, some_reports
from messages import refused
from sottovoce.errors import ParameterError, StoreError
from sottovoce.store import Store
from sottovoce.store.arrivals import ID, firsts, rows_of, shuffled
from sottovoce.store.backups import restore
from stores import arrival, opened
from suites.store import *  # noqa: F403 - all tests of the suite


@given(st.lists(st.integers(0, 300), max_size=60))
def test_firsts_tell_the_first_of_each(numbers: list[int]) -> None:
    # few first halves, so that they are often equal
    ids = rows_of(b"".join([(n % 3).to_bytes(8, "big") + n.to_bytes(8, "little") for n in numbers]), ID)
    order, first = firsts(ids)
    seen = set[int]()
    expected = [not (n in seen or seen.add(n)) for n in numbers]  # type: ignore[func-returns-value]  # adds in passing
    assert first.tolist() == expected
    assert [ids[i].tobytes() for i in order] == sorted(each.tobytes() for each in ids)


def test_a_shuffle_is_uniform() -> None:
    """Each row comes to each place equally often: chi-square of 6 x 6 counts, 25 degrees of freedom, at 1e-9."""
    rows = np.arange(6, dtype=np.uint8).reshape(6, 1)
    counts, rounds = np.zeros((6, 6)), 6000
    for _ in range(rounds):
        counts[np.arange(6), shuffled(rows)[:, 0]] += 1
    assert ((counts - rounds / 6) ** 2 / (rounds / 6)).sum() < 96.0


@pytest.mark.parametrize(
    ("wrong", "kind", "values"),
    [
        ("", ParameterError, []),
        (":memory:", ParameterError, []),
        ("/no/such/folder/x.sqlite", StoreError, ["/no/such/folder/x.sqlite"]),
        ("mysql://x/y", ParameterError, ["'mysql'"]),
        ("oracle://x", ParameterError, ["'oracle'"]),
    ],
)
def test_addresses_that_are_no_store(wrong: str, kind: type[Exception], values: list[str]) -> None:
    with refused(kind, *values):
        Store(wrong)


def test_a_file_that_is_no_store_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").write_bytes(b"this is not a database, and longer than the header of one" * 100)
    with refused(StoreError):
        Store(str(tmp_path / "x.sqlite")).ready()


def test_the_file_of_a_store_is_its_owners(tmp_path: Path) -> None:
    store, _ = opened(str(tmp_path / "own.sqlite"), named("ldp"))
    assert {path.stat().st_mode & 0o077 for path in tmp_path.iterdir()} == {0}
    store.close()


def test_sqlites_log_is_emptied_when_nobody_writes(tmp_path: Path) -> None:
    """It tells what was written together, and in which order."""
    store, (entry,) = opened(str(tmp_path / "x.sqlite"), named("ldp"))
    store.write([arrival(entry, some_reports(entry.study, 5))])
    assert (tmp_path / "x.sqlite-wal").stat().st_size > 0
    store.settle(idle=True)
    assert (tmp_path / "x.sqlite-wal").stat().st_size == 0
    store.close()


def test_names_of_files_are_names_of_files(tmp_path: Path) -> None:
    store, _ = opened(str(tmp_path / "a?b=c#d%20.sqlite"), named("ldp"))
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == ["a?b=c#d%20.sqlite"]


def test_what_is_no_store_is_not_restored(tmp_path: Path) -> None:
    (tmp_path / "empty.sqlite").write_bytes(b"")
    store, _ = opened(str(tmp_path / "x.sqlite"))
    with refused(ParameterError, tmp_path / "empty.sqlite"):
        restore(tmp_path / "empty.sqlite", store)
    store.close()


def test_sqlite_is_told_to_wait_for_the_disk_and_to_wipe(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "x.sqlite"))
    with store.dialect.writing() as connection:
        found = {name: connection.execute(text(f"PRAGMA {name}")).scalar_one() for name in ("journal_mode", "synchronous", "secure_delete")}
    store.close()
    assert found == {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1}
