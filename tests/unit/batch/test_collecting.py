"""Reports in files: each is counted once, under its own study, and no bad one goes unsaid."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from files import ANSWERS, SOURCE, ldp, unreadable, write
from messages import refused, wording
from sottovoce.batch import retention
from sottovoce.batch.collecting import collect
from sottovoce.batch.dedup import SeenIds
from sottovoce.batch.perturbing import perturb_file
from sottovoce.batch.skipped_rows import BadRowsError
from sottovoce.batch.tally_files import save_tally
from sottovoce.batch.writers import writing_reports
from sottovoce.wire import body, lines, reports_of
from studies import STUDIES


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("ending", ["parquet", "ndjson"])
def test_reports_go_out_and_come_back(name: str, ending: str, tmp_path: Path) -> None:
    study = sv.Study.from_toml(STUDIES[name])
    texts = [" / ".join(map(str, item)) if isinstance(item, tuple) else str(item) for item in study.domain]
    levels = list(study.blocks)
    rows = "".join(f'"{texts[k % len(texts)]}",{levels[k % len(levels)]},\n' for k in range(300))
    write(tmp_path / "a.csv", "answer,level,tag\n" + rows)
    out = tmp_path / f"r.{ending}"
    assert perturb_file(study, str(tmp_path / "a.csv"), str(out), source=sv.SeededSource(9)).used == 300
    found = collect(study, [str(out)], strict=True)
    assert found.tally.n == 300 * study.reports
    assert not found.cautions
    save_tally(tmp_path / "t.arrow", study, found.tally)
    assert collect(study, [str(tmp_path / "t.arrow")]).tally == found.tally
    assert collect(study, [str(tmp_path / "t.arrow"), str(out)]).tally.n == 600 * study.reports
    other = sv.Study.from_toml(STUDIES[name].replace("Which of", "What of").replace("Wie", "Was"))
    with refused(sv.ReportError, "t.arrow"):
        collect(other, [str(tmp_path / "t.arrow")])
    if ending == "parquet":
        with refused(sv.ReportError, out):
            collect(other, [str(out)])
    else:
        ((reason, count),) = collect(other, [str(out)]).skipped.reasons.items()
        wording(reason)
        assert count == 300 * study.reports


def test_the_tally_of_a_file_is_that_of_its_reports(tmp_path: Path) -> None:
    study = sv.Study.from_toml(STUDIES["integers"])
    mechanism = study.blocks[""]
    reports = mechanism.perturb(np.arange(3000) % 30, SOURCE)
    with writing_reports(str(tmp_path / "r.parquet"), None, study) as out:
        out.write(reports[:1000])
        out.write(reports[1000:])
    write(tmp_path / "r.ndjson", lines(study.fingerprint, reports))
    expected = sv.Tally(mechanism, keep_reports=True).add(reports)
    assert collect(study, [str(tmp_path / "r.parquet")]).tally == expected
    assert collect(study, [str(tmp_path / "r.ndjson")]).tally == expected
    assert collect(study, [str(tmp_path / "r.ndjson")], keep=False).tally == sv.Tally(mechanism).add(reports)


def test_bad_reports_are_left_out_and_told(tmp_path: Path) -> None:
    mechanism = ldp().blocks[""]
    good = lines(ldp().fingerprint, mechanism.perturb(ANSWERS * 20, SOURCE)).decode().splitlines()
    first = json.loads(good[0])
    bad = [
        "null",
        "nonsense",
        "[]",
        json.dumps(first | {"report": "?"}),
        json.dumps(first | {"report": -1}),
        json.dumps(first | {"report": True}),
        json.dumps(first | {"id": "short"}),
        json.dumps(first | {"more": 1}),
        json.dumps(first | {"study": "0" * 32}),
        json.dumps(first | {"level": "usual"}),
        json.dumps({"study": first["study"], "id": first["id"]}),
        '{"study":"' + "x" * 50_000,
    ]
    path = write(tmp_path / "r.ndjson", "\n".join(x for pair in zip(good, bad * 9, strict=False) for x in pair) + "\n")
    found = collect(ldp(), [str(path)])
    assert found.tally.n == 100
    assert found.skipped.count == 100
    with unreadable(BadRowsError, "r.ndjson, line 2"):
        collect(ldp(), [str(path)], strict=True)


@pytest.mark.parametrize("wrong", [[0, 7], [0, 1], [599, 3]])
def test_bad_rows_of_parquet_reports(wrong: list[int], tmp_path: Path) -> None:
    mechanism = sv.Study.from_toml(STUDIES["ldp"] + '[mechanism]\nname = "krr"\n')
    codes = pa.array([None if k == wrong[0] else 9 if k == wrong[1] else k % 5 for k in range(600)], type=pa.uint8())
    table = pa.table({"report": codes})
    pq.write_table(table, tmp_path / "r.parquet")
    found = collect(mechanism, [str(tmp_path / "r.parquet")])
    assert (found.tally.n, found.skipped.count) == (598, 2)
    told = sorted(int(e.split("row ")[1]) for es in found.skipped.examples.values() for e in es)
    assert told == sorted(k + 1 for k in wrong)
    (caution,) = found.cautions
    wording(caution)
    assert str(tmp_path / "r.parquet") in caution


def test_broken_files_of_reports(tmp_path: Path) -> None:
    for name, data in [("a.parquet", b""), ("a.arrow", b"\xff\xff\xff\xff"), ("a.csv", b"report\n1\n")]:
        with unreadable(sv.SottovoceError, name):
            collect(ldp(), [str(write(tmp_path / name, data))])
    pq.write_table(pa.table({"answer": ["flu"]}), tmp_path / "b.parquet")
    with refused(sv.ReportError, "b.parquet", "'report'"):
        collect(ldp(), [str(tmp_path / "b.parquet")])
    pq.write_table(pa.table({"report": list(range(100_000))}), tmp_path / "c.parquet")
    whole = (tmp_path / "c.parquet").read_bytes()
    middle = len(whole) // 3
    write(tmp_path / "c.parquet", whole[:middle] + bytes(200) + whole[middle + 200 :])
    with pytest.raises(sv.SottovoceError):
        collect(ldp(), [str(tmp_path / "c.parquet")])


def test_many_reports_fall_back_to_their_totals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = sv.Study.from_toml(STUDIES["integers"])
    write(tmp_path / "r.ndjson", lines(study.fingerprint, study.blocks[""].perturb(np.arange(3000) % 30, SOURCE)))
    assert collect(study, [str(tmp_path / "r.ndjson")]).tally.keep_reports
    monkeypatch.setattr(retention, "KEPT_BYTES", 1000)
    found = collect(study, [str(tmp_path / "r.ndjson")])
    assert not found.tally.keep_reports
    assert found.tally.n == 3000
    wording(found.cautions[0])
    assert collect(study, [str(tmp_path / "r.ndjson")], method="mle").tally.keep_reports
    assert not collect(study, [str(tmp_path / "r.ndjson")], method="projected").tally.keep_reports


@given(st.lists(st.lists(st.integers(0, 30), max_size=20), max_size=8))
def test_what_was_seen_is_not_fresh(batches: list[list[int]]) -> None:
    seen, known = SeenIds(), set[int]()
    for batch in batches:
        expected = []
        for each in batch:
            expected.append(each not in known)
            known.add(each)
        # halves that agree in one part only are different identifiers
        names = [f"{each % 3:02x}" + "00" * 14 + f"{each // 3:02x}" for each in batch]
        assert seen.fresh(names).tolist() == expected


def test_a_report_that_came_twice_is_counted_once(tmp_path: Path) -> None:
    text = lines(ldp().fingerprint, ldp().blocks[""].perturb(ANSWERS * 30, SOURCE))
    write(tmp_path / "a.ndjson", text)
    write(tmp_path / "b.ndjson", text.splitlines(keepends=True)[7] + text)
    found = collect(ldp(), [str(tmp_path / "a.ndjson"), str(tmp_path / "b.ndjson")])
    assert found.tally == collect(ldp(), [str(tmp_path / "a.ndjson")]).tally
    ((reason, count),) = found.skipped.reasons.items()
    wording(reason)
    assert count == 151


def test_a_refused_report_does_not_use_up_its_id(tmp_path: Path) -> None:
    krr = sv.Study.from_toml(STUDIES["ldp"] + '[mechanism]\nname = "krr"\n')
    good = json.loads(lines(krr.fingerprint, krr.blocks[""].perturb(["flu"])))
    write(tmp_path / "a.ndjson", json.dumps(good | {"report": 99}) + "\n" + json.dumps(good) + "\n" + json.dumps(good) + "\n")
    found = collect(krr, [str(tmp_path / "a.ndjson")])
    assert (found.tally.n, found.skipped.count) == (1, 2)


def test_identifiers_are_fresh() -> None:
    told = [json.loads(line)["id"] for line in lines("x", ldp().blocks[""].perturb(ANSWERS * 100)).splitlines()]
    assert len(set(told)) == 500
    assert {len(each) for each in told} == {32}


@pytest.mark.parametrize("name", ["integers", "olh", "lifted", "lh_lip"])
def test_padding_and_other_spellings_are_refused(name: str) -> None:
    study = sv.Study.from_toml(STUDIES[name])
    mechanism = study.blocks[""]
    good = json.loads(lines(study.fingerprint, mechanism.perturb([mechanism.domain.item(0)])))
    assert len(reports_of(mechanism, [body(json.dumps(good).encode(), study.fingerprint)])) == 1
    for wrong in (good["report"] + "=", good["report"][:-4], good["report"] + "AAAA", good["report"].replace("=", ""), 3, "é"):
        if wrong == good["report"]:
            continue
        with pytest.raises(sv.ReportError):
            reports_of(mechanism, [body(json.dumps(good | {"report": wrong}).encode(), study.fingerprint)])
