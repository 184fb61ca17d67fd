"""Reports in a store and in files: one tally by every way. Runs on SQLite among the unit tests, on PostgreSQL among the system tests."""

from __future__ import annotations

import json
import threading
from itertools import pairwise
from pathlib import Path

import pytest

import sottovoce as sv
from collectors import named, some_reports
from files import counted, cut
from sottovoce.batch.collecting import collect
from sottovoce.collector.exporting import add_reports, write_reports
from sottovoce.store import Store
from sottovoce.tallies import Tally
from stores import arrival, opened
from studies import QUESTIONNAIRES, STUDIES
from thirty import take_small_steps


@pytest.mark.parametrize("kind", [*STUDIES, *QUESTIONNAIRES])
def test_one_tally_from_a_list_databases_and_files(kind: str, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bit for bit."""
    take_small_steps(monkeypatch)
    study = named(kind)
    reports = some_reports(study, 1500)
    kept = not all(each.channel.statistic.sufficient for each in study.blocks.values())  # where counts say it all, no report is kept
    for keep in (False, kept):
        expected = Tally(study.mechanism, keep_reports=keep).add(reports).to_bytes()
        for pieces in (1, 2, 7):
            files = cut(tmp_path / str(pieces), study, reports, pieces)
            assert len(files) == pieces
            found = collect(study, files, keep=keep, strict=True)
            assert found.tally.to_bytes() == expected
            assert not found.cautions
    store = Store(url)
    store.ready()
    entry = store.add(study, json.dumps(study.compile()))
    store.write([arrival(entry, reports[:700]), arrival(entry, reports[700:])])
    assert store.tally(entry, keep_reports=kept).to_bytes() == expected
    assert store.tally(entry).to_bytes() == Tally(study.mechanism).add(reports).to_bytes()
    store.close()


@pytest.mark.parametrize("kind", ["ldp", "integers", "olh", "levels"])
def test_each_day_writes_what_is_new(url: str, kind: str, tmp_path: Path) -> None:
    """After each export the folder and what waits are all the reports; when the study is closed, nothing waits."""
    store, (entry,) = opened(url, named(kind))
    reports = some_reports(entry.study, 9000)
    folder = tmp_path / "reports"
    before = dict[str, bytes]()
    for begin, end in pairwise([0, 100, 2500, 2600, 9000]):
        store.write([arrival(entry, reports[begin:end])])
        made = add_reports(store, entry, folder)
        assert counted(entry.study, folder).n + made.waiting == end if made.path or before else made.waiting == end
        now = {path.name: path.read_bytes() for path in folder.glob("*.parquet")}
        assert before.items() <= now.items(), "a file that is there stays as it is"
        assert len(now) - len(before) == (made.path is not None)
        before = now
    assert add_reports(store, entry, folder).path is None, "nothing new"
    closed = store.change(entry.name, "test", state="closed")
    last = add_reports(store, closed, folder)
    assert last.waiting == 0
    assert counted(entry.study, folder) == Tally(entry.study.mechanism).add(reports)
    assert add_reports(store, closed, folder).path is None
    found = store.recount(entry)
    assert (found.holds, found.reports) == (True, 9000)
    write_reports(store, closed, str(tmp_path / "all.parquet"))
    assert collect(entry.study, [str(tmp_path / "all.parquet")], keep=False).tally == counted(entry.study, folder)
    store.close()


def test_exports_at_the_same_time_write_nothing_twice(url: str, tmp_path: Path) -> None:
    store, (entry,) = opened(url, named("integers"))
    store.write([arrival(entry, some_reports(entry.study, 20_000))])
    outcomes: list[str] = []

    def export() -> None:
        own = Store(url)
        try:
            for _ in range(20):
                try:
                    add_reports(own, own.entry(entry.name), tmp_path / "reports")
                    outcomes.append("done")
                except sv.ParameterError as error:
                    outcomes.append("busy" if "is running" in str(error) else str(error))
        finally:
            own.close()

    threads = [threading.Thread(target=export) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(outcomes) <= {"done", "busy"}
    assert "done" in outcomes
    assert counted(entry.study, tmp_path / "reports").n + add_reports(store, entry, tmp_path / "reports").waiting == 20_000
    store.close()
