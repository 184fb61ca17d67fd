"""Questionnaires that an earlier version wrote are read, and give the same. The files are in tests/recorded/questionnaires."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import sottovoce as sv
from paths import ROOT
from sottovoce.batch.collecting import collect
from sottovoce.store import Store
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.wire import read_stream
from tests.recorded.record_questionnaires import FEW, SUBMISSIONS, figures

FOLDER = ROOT / "tests" / "recorded" / "questionnaires"
KINDS = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


def opened(kind: str) -> tuple[Questionnaire, dict[str, Any]]:
    found = sv.Study.load(FOLDER / kind / "study.json")
    assert isinstance(found, Questionnaire)
    return found, json.loads((FOLDER / kind / "expected.json").read_text())


def counts(tally: sv.Tally) -> dict[str, Any]:
    return {block.name: [block.n, block.counts.tolist()] for block in tally.blocks}


@pytest.mark.parametrize("kind", KINDS)
def test_recorded_files_are_counted_and_estimated_the_same(kind: str) -> None:
    study, expected = opened(kind)
    assert study.fingerprint == expected["fingerprint"]
    old = json.loads((FOLDER / kind / "study.json").read_text())
    assert study.compile() == old | {"promise": study.explain()}  # the guarantee in words isn't part of the fingerprint
    for name in ("reports.ndjson.gz", "reports.parquet"):
        tally = collect(study, [str(FOLDER / kind / name)], keep=True, strict=True).tally
        assert counts(tally) == expected["counts"]
        for field, shares in figures(study, tally).items():
            assert shares == pytest.approx(expected["estimates"][field], abs=1e-8)
    assert counts(collect(study, [str(FOLDER / kind / "tally.arrow")]).tally) == expected["counts"]
    data = (FOLDER / kind / "few.arrow").read_bytes()
    assert [len(reports) for _, reports in read_stream(data, study.fingerprint, study.mechanism)] == [FEW]


def test_a_recorded_store_is_read(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "store.sqlite", tmp_path / "store.sqlite")
    store = Store(str(tmp_path / "store.sqlite"))
    store.ready()
    for kind in KINDS:
        entry = store.entry(kind)
        assert counts(store.tally(entry)) == opened(kind)[1]["counts"]
        assert (store.recount(entry).holds, store.count(entry)) == (True, SUBMISSIONS)
        store.seal(entry)
        assert counts(store.tally(entry)) == opened(kind)[1]["counts"]
    store.close()
