"""The newest submissions of a questionnaire wait together, whatever their forms, in no order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sqlalchemy import select

from collectors import named, some_reports
from sottovoce.store import schema
from sottovoce.store.packing import packed, packed_one, unpacked, width_of
from sottovoce.tallies import Tally
from stores import arrival, opened


def test_records_come_out_as_they_went_in(tmp_path: Path) -> None:
    for kind in ("block", "sample", "split", "ldp", "levels"):
        store, (entry,) = opened(str(tmp_path / f"{kind}.sqlite"), named(kind))
        reports = some_reports(entry.study, 300)
        found = {level: lane.records for level, lane in arrival(entry, reports).lanes.items()}
        parts = {level: np.frombuffer(records, dtype=np.uint8).reshape(-1, entry.widths[level]) for level, records in found.items()}
        rows = dict(packed(entry, parts))
        if entry.study.of_several_questions:
            assert list(rows) == [""]
        back = {name: own.tobytes() for level, each in rows.items() for name, own in unpacked(entry, level, each)}
        assert back == found
        for level, each in parts.items():
            waiting, record = packed_one(entry, level, each[0].tobytes())
            assert len(record) == width_of(entry, waiting)
            ((name, own),) = unpacked(entry, waiting, np.frombuffer(record, dtype=np.uint8)[None, :])
            assert (name, own.tobytes()) == (level, each[0].tobytes())
        store.close()


def test_reports_of_all_forms_wait_together(tmp_path: Path) -> None:
    """Reports that came one by one, of many forms, lie under one level, which doesn't show which came first."""
    store, (entry,) = opened(str(tmp_path / "store.sqlite"), named("block"))
    reports = some_reports(entry.study, 400)
    for place in range(400):
        store.write([arrival(entry, reports[place : place + 1])])
    with store.dialect.reading() as connection:
        rows = connection.execute(select(schema.pending.c.level, schema.pending.c.records)).all()
    assert {row.level for row in rows} == {""}
    numbers = np.frombuffer(b"".join([row.records for row in rows]), dtype=np.uint8).reshape(400, -1)[:, 0]
    came = reports.levels  # type: ignore[attr-defined]  # forms
    assert sorted(numbers.tolist()) == sorted(came.tolist())
    agree = np.mean(numbers == came)
    expected = np.sum((np.bincount(came) / 400) ** 2)  # by chance
    assert abs(agree - expected) < 6 * np.sqrt(expected / 400)
    assert store.tally(entry) == Tally(entry.study.mechanism).add(reports)
    store.seal(entry)
    assert store.tally(entry) == Tally(entry.study.mechanism).add(reports)
    assert store.recount(entry).holds
    store.close()
