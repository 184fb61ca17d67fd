"""From a collector's store to files and back to a tally: day by day, each report in exactly one file."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq

import sottovoce as sv
from collectors import named, some_reports
from files import counted
from invoking import as_json, run
from messages import refused, wording
from sottovoce.batch.collecting import collect
from sottovoce.batch.input_files import expanded
from sottovoce.collector.exporting import add_reports, write_reports
from sottovoce.store import Store
from sottovoce.store.backups import backup, restore
from stores import arrival, opened


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    store, (one, other) = opened(str(tmp_path / "s.sqlite"), named("ldp"), named("uldp"))
    for entry in (one, other):
        store.write([arrival(entry, some_reports(entry.study, 5000))])
    add_reports(store, one, tmp_path / "one")
    with refused(sv.ParameterError, tmp_path / "one"):
        add_reports(store, other, tmp_path / "one")
    (tmp_path / "whole").mkdir()
    write_reports(store, one, str(tmp_path / "whole" / "all.parquet"))
    with refused(sv.ParameterError, "all.parquet"):
        add_reports(store, one, tmp_path / "whole")
    assert list((tmp_path / "whole").glob("*.parquet")) == [tmp_path / "whole" / "all.parquet"]
    store.close()


def test_a_store_that_was_restored_does_not_fill_a_folder_of_its_former_self(tmp_path: Path) -> None:
    """What was pending at the backup would be sealed anew, under another key."""
    store, (entry,) = opened(str(tmp_path / "s.sqlite"), named("integers"))
    reports = some_reports(entry.study, 6500)
    store.write([arrival(entry, reports[:4000])])
    store.write([arrival(entry, reports[4000:5500])])
    add_reports(store, entry, tmp_path / "reports")
    backup(store, tmp_path / "backup.sqlite")
    store.write([arrival(entry, reports[5500:])])
    add_reports(store, entry, tmp_path / "reports")
    held = counted(entry.study, tmp_path / "reports").n
    store.close()
    again = Store(str(tmp_path / "again.sqlite"))
    restore(tmp_path / "backup.sqlite", again)
    again.write([arrival(again.entry(entry.name), reports[5500:])])
    with refused(sv.ParameterError, tmp_path / "reports"):
        add_reports(again, again.entry(entry.name), tmp_path / "reports")
    assert counted(entry.study, tmp_path / "reports").n == held
    again.close()


def test_exports_that_overlap_are_not_added_up(tmp_path: Path) -> None:
    store, (entry,) = opened(str(tmp_path / "s.sqlite"), named("integers"))
    store.write([arrival(entry, some_reports(entry.study, 5000))])
    one = add_reports(store, entry, tmp_path / "one").path
    store.write([arrival(entry, some_reports(entry.study, 5000, seed=2))])
    other = add_reports(store, entry, tmp_path / "other").path
    write_reports(store, entry, str(tmp_path / "all.parquet"))
    assert one is not None
    assert other is not None
    for pair in ([one, other], [one, str(tmp_path / "all.parquet")]):
        for parts in (None, tmp_path / "parts"):
            with refused(sv.ParameterError, Path(pair[-1]).name):
                collect(entry.study, pair, keep=False, parts=parts)
    store.close()


def test_files_that_were_moved_inside_the_folder_are_still_there(tmp_path: Path) -> None:
    store, (entry,) = opened(str(tmp_path / "s.sqlite"), named("integers"))
    folder = tmp_path / "reports"
    for seed in range(3):
        store.write([arrival(entry, some_reports(entry.study, 4000, seed=seed))])
        made = add_reports(store, entry, folder)
        assert made.path is not None
        (folder / f"day {seed}").mkdir()
        Path(made.path).rename(folder / f"day {seed}" / "moved.parquet")
    assert collect(entry.study, expanded([str(folder)]), keep=False).tally.n + made.waiting == 12_000
    store.close()


def test_an_export_says_nothing_of_when_and_who(tmp_path: Path) -> None:
    """Its metadata are the study and random keys; its rows are in no order of arrival."""
    store, (entry,) = opened(str(tmp_path / "s.sqlite"), named("ldp"))
    store.write([arrival(entry, some_reports(entry.study, 5000))])
    made = add_reports(store, entry, tmp_path / "reports")
    about = pq.read_metadata(made.path).metadata
    assert set(about) == {b"ARROW:schema", b"sottovoce.study", b"sottovoce.chunks"}
    with store.chunks(entry) as (keys, _, _):
        held = {level: bytes.fromhex(hexes) for level, hexes in json.loads(about[b"sottovoce.chunks"]).items()}
        assert held == {level: b"".join(key.to_bytes(8, "big") for key in those) for level, those in keys.items()}
    assert pq.read_table(made.path).column_names == ["report"]
    store.close()


def test_from_the_collector_to_an_estimate_by_commands(tmp_path: Path) -> None:
    """The path of docs/scale.md."""
    store, (entry,) = opened(str(tmp_path / "collector.sqlite"), named("uldp"))
    run(tmp_path, "export", "uldp", "-o", "reports/", "--compiled", "study.json")
    for day in range(3):
        store.write([arrival(entry, some_reports(entry.study, 4000, seed=day))])
        found = as_json(tmp_path, "export", "uldp", "-o", "reports/")
        assert found["reports"] + found["waiting"] >= 4000
        tally = as_json(tmp_path, "tally", "study.json", "reports/", "-o", "tally.arrow", "--parts", "kept")
        assert tally["n"] + found["waiting"] == 4000 * (day + 1)
    said = run(tmp_path, "export", "uldp", "-o", "reports").stdout.decode()
    wording(said)
    assert "uldp" in said
    assert "reports" in said
    run(tmp_path, "store", "change", "uldp", "--state", "closed")
    run(tmp_path, "export", "uldp", "-o", "reports")
    assert as_json(tmp_path, "tally", "study.json", "reports/", "-o", "tally.arrow", "--parts", "kept")["n"] == 12_000
    assert as_json(tmp_path, "estimate", "study.json", "tally.arrow")["n"] == 12_000
    store.close()
