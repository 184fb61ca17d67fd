"""Maximum likelihood of reports that stay in their files: the same as of reports that are kept, in bounded memory."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

import sottovoce as sv
from collectors import named, some_reports
from files import cut, parquet
from messages import refused
from sottovoce.batch import parquet_reports, retention
from sottovoce.batch.collecting import collect
from sottovoce.batch.file_checks import ChangedError
from sottovoce.channels.likelihood import total
from sottovoce.errors import UnsupportedError
from sottovoce.estimators.report_likelihood import of_blocks
from sottovoce.tallies import Tally
from studies import STUDIES

#: Studies whose likelihood needs the reports themselves: unary, hashed, subsets of one or two sizes, lifted, groups of people.
NEEDY = ["uldp", "levels", "tags", "tags-and-levels", "grid", "axes", "integers", "map", "three-reports", "olh", "lifted"]


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few reports are too many, and come a few at a time."""
    monkeypatch.setattr(retention, "KEPT_BYTES", 1000)
    monkeypatch.setattr(parquet_reports, "_UNIT_ROWS", 500)
    monkeypatch.setattr(parquet_reports, "_BATCH_ROWS", 200)


def likelihood(tally: Tally, p: NDArray[np.float64]) -> float:
    return total(of_blocks(tally.blocks), p).value


@pytest.mark.parametrize("method", ["mle", "em", "map"])
@pytest.mark.parametrize("kind", NEEDY)
def test_the_same_estimate_as_of_reports_that_are_kept(kind: str, method: str, tmp_path: Path) -> None:
    study = named(kind)
    reports = some_reports(study, 3000)
    files = cut(tmp_path, study, reports, 3)
    found = collect(study, files, method=method)
    assert any(block.remote is not None for block in found.tally.blocks)
    assert not found.tally.keep_reports
    kept = collect(study, files, keep=True).tally
    assert found.tally == kept.totals(), "to all but the likelihood they are totals"
    steps = 60 if method == "em" else 300  # each is a pass over the files; the others converge sooner
    one, other = sv.estimate(found.tally, method, iterations=steps), sv.estimate(kept, method, iterations=steps)
    assert abs(likelihood(kept, one.p) - likelihood(kept, other.p)) <= 1e-9 * kept.n
    assert np.abs(one.p - other.p).max() < 1e-3
    here, there = total(of_blocks(kept.blocks), other.p), total(of_blocks(found.tally.blocks), other.p)
    assert math.isclose(here.value, there.value, rel_tol=1e-12)
    for each in ("gradient", "curvature", "cross"):
        mine, theirs = getattr(here, each), getattr(there, each)
        assert np.allclose(mine, theirs, rtol=1e-9, atol=1e-9 * np.abs(mine).max()), each


def test_what_counts_is_the_room_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files may be packed well."""
    study = named("integers")
    path = parquet(tmp_path / "r.parquet", study, some_reports(study, 30)[np.arange(9000) % 30])
    size, room = os.path.getsize(path), 9000 * 4
    assert size < room / 4
    monkeypatch.setattr(retention, "KEPT_BYTES", 2 * size)
    assert collect(study, [path], method="mle").tally.blocks[0].remote is not None
    assert not collect(study, [path]).tally.keep_reports
    monkeypatch.setattr(retention, "KEPT_BYTES", room)
    assert collect(study, [path], method="mle").tally.keep_reports


def test_there_are_studies_of_all_kinds() -> None:
    """Those that are named above are all that there are."""
    found = {kind for kind in STUDIES if not all(each.channel.statistic.sufficient for each in named(kind).blocks.values())}
    assert found == set(NEEDY)


def test_bad_rows_are_told_once_and_not_gone_through(tmp_path: Path) -> None:
    study = named("integers")
    reports = some_reports(study, 2000)
    table = pa.Table.from_batches([reports.to_arrow()]).cast(pa.schema([("report", pa.binary())]))
    rows = table.column("report").to_pylist()
    for place in (3, 700, 701, 1999):
        rows[place] = None if place % 2 else b"too long for a report"
    pq.write_table(pa.table({"report": pa.array(rows, type=pa.binary())}), tmp_path / "r.parquet")
    found = collect(study, [str(tmp_path / "r.parquet")], method="mle")
    assert (found.skipped.count, found.tally.n) == (4, 1996)
    good = np.setdiff1d(np.arange(2000), [3, 700, 701, 1999])
    kept = Tally(study.mechanism, keep_reports=True).add(reports[good])
    one, other = sv.estimate(found.tally, "mle"), sv.estimate(kept, "mle")
    assert abs(likelihood(kept, one.p) - likelihood(kept, other.p)) <= 1e-9 * kept.n


def test_a_file_that_changes_between_passes_is_told(tmp_path: Path) -> None:
    study = named("integers")
    path = parquet(tmp_path / "r.parquet", study, some_reports(study, 3000), 500)
    found = collect(study, [path], method="mle")
    parquet(Path(path), study, some_reports(study, 3000, seed=2), 500)
    with refused(ChangedError, "r.parquet"):
        sv.estimate(found.tally, "mle")
    os.unlink(path)
    with refused(sv.SottovoceError, "r.parquet"):
        sv.estimate(found.tally, "mle")


def test_what_needs_the_reports_at_hand_says_so(tmp_path: Path) -> None:
    study = named("integers")
    files = cut(tmp_path, study, some_reports(study, 3000), 2)
    found = collect(study, files, method="mle")
    with refused(UnsupportedError, "'corrected'"):
        sv.estimate(found.tally, "corrected")
    assert collect(study, files, method="corrected").tally.keep_reports
    assert not collect(study, files).tally.keep_reports, "without a method they are totals"
    merged = found.tally + found.tally
    assert not merged.supports("mle"), "what was added to it may lie elsewhere"
    assert not found.tally.totals().supports("mle")
