"""Files: every answer that is one becomes a report, every report is counted once, and no bad row goes unsaid."""

from __future__ import annotations

import gzip
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.batch import collecting, rows, tables
from sottovoce.batch.answers import distinct_answers, read_answers, read_shares
from sottovoce.batch.collecting import collect, save_tally
from sottovoce.batch.inputs import Opened, expanded, left_aside, opened
from sottovoce.batch.outputs import replacing, writing_reports
from sottovoce.batch.perturbing import perturb_file
from sottovoce.batch.rows import BadRowsError, Skipped, salvage
from sottovoce.batch.seen import Seen
from sottovoce.wire import body, lines, reports_of
from studies import STUDIES

SOURCE = sv.SeededSource(3)
LDP = sv.Study.from_toml(STUDIES["ldp"])
ANSWERS = ["hiv", "cancer", "hepatitis", "flu", "none"]


def codes_of(study: sv.Study, path: Path, **options: Any) -> tuple[list[int], Skipped]:
    skipped = Skipped()
    with opened(str(path)) as source:
        parts = [answers.inputs(study) for answers in read_answers(study, source, skipped, **options)]
    return (np.concatenate(parts).tolist() if parts else []), skipped


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "answer\nflu\nnone\n",
        "answer\r\nflu\r\nnone\r\n",
        "flu\nnone\n",
        "\ufeffanswer\nflu\nnone",
        'person,answer\n"1","flu"\n2, none \n',
        "person;answer;day\n1;flu;x\n2;none;y\n",
        "answer\tperson\nflu\t1\nnone\t2\n",
        'answer\n"flu"\n"none"\n',
        'comment,answer\n"two\nlines",flu\n"and ""quotes""",none\n',
    ],
)
def test_csv_of_many_kinds(text: str, tmp_path: Path) -> None:
    assert codes_of(LDP, write(tmp_path / "a.csv", text))[0] == [3, 4]


def test_the_same_answers_from_every_format(tmp_path: Path) -> None:
    labels = (ANSWERS * 41)[:200]
    table = pa.table({"answer": labels, "person": range(200)})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=17)
    pq.write_table(pa.table({"answer": pa.array(labels).dictionary_encode()}), tmp_path / "d.parquet")
    write(tmp_path / "a.csv", "person,answer\n" + "".join(f"{k},{label}\n" for k, label in enumerate(labels)))
    write(tmp_path / "a.ndjson", "".join(json.dumps({"answer": label, "x": None}) + "\n" for label in labels))
    write(tmp_path / "a.csv.gz", gzip.compress((tmp_path / "a.csv").read_bytes()))
    expected = LDP.domain.encode(labels).tolist()
    for name in ("a.parquet", "d.parquet", "a.csv", "a.ndjson", "a.csv.gz"):
        assert codes_of(LDP, tmp_path / name)[0] == expected, name


def test_bad_rows_are_counted_and_shown_with_their_line(tmp_path: Path) -> None:
    text = b"person,answer\n1,flu\n2\n3,none\n4,fluu\n5,hiv,x\n6,\n7,caf\xe9\n\n9,hiv\n"
    codes, skipped = codes_of(LDP, write(tmp_path / "a.csv", text))
    assert codes == [3, 4, 0]
    assert (skipped.count, skipped.used) == (6, 3)
    told = {example.split("a.csv, ")[1] for examples in skipped.examples.values() for example in examples}
    assert told == {"line 3", "line 5: 'fluu'", "line 6", "line 7: nothing", "line 8: 'caf\\\\xe9'", "line 9: nothing"}
    assert sum(skipped.reasons.values()) == skipped.count
    lines_in = {line for line in text.split(b"\n") if line}
    assert len(lines_in) == 9


@given(st.lists(st.sampled_from(["flu", "none", "fluu", "", "a,b", '"flu"', "x\ty"]), min_size=1, max_size=60))
def test_every_line_is_used_or_told(tmp_path_factory: pytest.TempPathFactory, given: list[str]) -> None:
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    write(path, "person,answer\n" + "".join(f"{k},{line}\n" for k, line in enumerate(given)))
    codes, skipped = codes_of(LDP, path)
    good = [line for line in given if line.strip('"') in ANSWERS]
    assert codes == [ANSWERS.index(line.strip('"')) for line in good]
    assert skipped.count + skipped.used == len(given)
    assert skipped.used == len(good)
    for where in (example for examples in skipped.examples.values() for example in examples):
        number = int(where.split("line ")[1].split(":")[0])
        assert given[number - 2].strip('"') not in ANSWERS


def test_bad_rows_of_ndjson_and_parquet(tmp_path: Path) -> None:
    text = '{"answer": "flu"}\nnot json\n{"answer": 7}\n[1]\n{}\n{"answer": null}\n{"answer": "none"}\n'
    codes, skipped = codes_of(LDP, write(tmp_path / "a.ndjson", text))
    assert (codes, skipped.count) == ([3, 4], 5)
    assert {e.split("line ")[1][0] for es in skipped.examples.values() for e in es} == set("23456")
    pq.write_table(pa.table({"answer": ["flu", None, "fluu", "none"]}), tmp_path / "a.parquet")
    codes, skipped = codes_of(LDP, tmp_path / "a.parquet")
    assert (codes, skipped.count) == ([3, 4], 2)
    assert any("row 3: 'fluu'" in e for es in skipped.examples.values() for e in es)


def test_a_strict_reader_refuses_the_first_bad_row_and_writes_nothing(tmp_path: Path) -> None:
    for text in ("person,answer\n1,flu\n2,fluu\n", "person,answer\n1,flu\n2\n", "person,answer\n1,flu\n2,\n"):
        with pytest.raises(BadRowsError, match="a.csv, line 3"):
            perturb_file(LDP, str(write(tmp_path / "a.csv", text)), str(tmp_path / "r.parquet"), strict=True, source=SOURCE)
    assert os.listdir(tmp_path) == ["a.csv"]


def test_a_file_of_something_else_is_given_up(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "answer\n" + "wrong\n" * 5000)
    with pytest.raises(sv.ReportError, match="none of the first 5,000 rows can be used"):
        codes_of(LDP, path)
    for text, message in [
        ("", "is empty"),
        ("reply\nflu\n", "has no column 'answer'; its columns are 'reply': name it with --column"),
        ("answer,answer\nflu,flu\n", "two columns of one name"),
    ]:
        with pytest.raises(sv.SottovoceError, match=message):
            codes_of(LDP, write(tmp_path / "a.csv", text))
    with pytest.raises(sv.SottovoceError, match="UTF-16"):
        codes_of(LDP, write(tmp_path / "a.csv", "answer\nflu\n".encode("utf-16")))
    with pytest.raises(sv.SottovoceError, match="not a Parquet file"):
        codes_of(LDP, write(tmp_path / "a.parquet", b"PAR1 nonsense"))
    assert codes_of(LDP, write(tmp_path / "b.csv", "reply\nflu\n"), column="reply")[0] == [3]


def test_answers_on_axes_and_grids(tmp_path: Path) -> None:
    axes = sv.Study.from_toml(STUDIES["axes"])
    text = "age,sex,answer2\nold,f,x\nyoung,m,x\nold,x,x\n"
    codes, skipped = codes_of(axes, write(tmp_path / "a.csv", text))
    assert (axes.domain.decode(codes), skipped.count) == ([("f", "old"), ("m", "young")], 1)
    assert axes.domain.decode(codes_of(axes, write(tmp_path / "b.csv", "answer\nf / old\nm/young\n"))[0]) == [("f", "old"), ("m", "young")]
    assert axes.domain.decode(codes_of(axes, write(tmp_path / "c.ndjson", '{"answer": ["f", "old"]}\n'))[0]) == [("f", "old")]
    grid = sv.Study.from_toml(STUDIES["grid"])
    text = "latitude,longitude\n40.75,-74.0\n40.8,-73.92\n41.0,-74.0\nx,-74.0\n,\n"
    codes, skipped = codes_of(grid, write(tmp_path / "g.csv", text))
    assert (grid.domain.decode(codes), skipped.count) == ([(2, 1), (3, 4)], 3)
    points = pa.table({"latitude": [40.75, 40.8], "longitude": [-74.0, -73.92]})
    pq.write_table(points, tmp_path / "g.parquet")
    assert codes_of(grid, tmp_path / "g.parquet")[0] == codes


def test_tags_and_levels(tmp_path: Path) -> None:
    tags = sv.Study.from_toml(STUDIES["tags"])
    codes, skipped = codes_of(tags, write(tmp_path / "a.csv", "answer,tag\n0 / 0,\n0 / 1,home\n0 / 2,work\n0 / 3,gym\n"))
    assert (codes, skipped.count) == ([0, 20, 21], 1)
    levels = sv.Study.from_toml(STUDIES["levels"])
    path = write(tmp_path / "b.csv", "level,answer\ncareful,flu\nopen,none\nloud,none\n")
    out = tmp_path / "r.ndjson"
    skipped = perturb_file(levels, str(path), str(out), source=SOURCE)
    assert (skipped.used, skipped.count) == (2, 1)
    told = [json.loads(line) for line in out.read_text().splitlines()]
    assert [each["level"] for each in told] == ["careful", "open"]
    with pytest.raises(sv.SottovoceError, match="no column 'level', and its levels are careful, usual, open"):
        codes_of(levels, write(tmp_path / "c.csv", "answer\nflu\n"))
    perturb_file(levels, str(tmp_path / "c.csv"), str(out), level="usual", source=SOURCE)
    assert [block.n for block in collect(levels, [str(out)]).tally.blocks] == [0, 1, 0]
    with pytest.raises(sv.SottovoceError, match="'loud' is not a level of this study"):
        codes_of(levels, tmp_path / "c.csv", level="loud")


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
    with pytest.raises(sv.ReportError, match="another study"):
        collect(other, [str(tmp_path / "t.arrow")])
    if ending == "parquet":
        with pytest.raises(sv.ReportError, match="another study"):
            collect(other, [str(out)])
    else:
        assert collect(other, [str(out)]).skipped.reasons == {"it was made under another study": 300 * study.reports}


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
    mechanism = LDP.blocks[""]
    good = lines(LDP.fingerprint, mechanism.perturb(ANSWERS * 20, SOURCE)).decode().splitlines()
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
    found = collect(LDP, [str(path)])
    assert found.tally.n == 100
    assert found.skipped.count == 100
    with pytest.raises(BadRowsError, match="r.ndjson, line 2"):
        collect(LDP, [str(path)], strict=True)


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
    assert found.cautions == [f"{tmp_path / 'r.parquet'} does not say which study its reports were made under."]


def test_broken_files_of_reports(tmp_path: Path) -> None:
    for name, data, message in [
        ("a.parquet", b"", "not a Parquet file"),
        ("a.arrow", b"\xff\xff\xff\xff", "not a tally"),
        ("a.csv", b"report\n1\n", "reports are read from Parquet or NDJSON"),
    ]:
        with pytest.raises(sv.SottovoceError, match=message):
            collect(LDP, [str(write(tmp_path / name, data))])
    pq.write_table(pa.table({"answer": ["flu"]}), tmp_path / "b.parquet")
    with pytest.raises(sv.ReportError, match="no column 'report'"):
        collect(LDP, [str(tmp_path / "b.parquet")])
    pq.write_table(pa.table({"report": list(range(100_000))}), tmp_path / "c.parquet")
    whole = (tmp_path / "c.parquet").read_bytes()
    middle = len(whole) // 3
    write(tmp_path / "c.parquet", whole[:middle] + bytes(200) + whole[middle + 200 :])
    with pytest.raises(sv.SottovoceError):
        collect(LDP, [str(tmp_path / "c.parquet")])


def test_many_reports_fall_back_to_their_totals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = sv.Study.from_toml(STUDIES["integers"])
    write(tmp_path / "r.ndjson", lines(study.fingerprint, study.blocks[""].perturb(np.arange(3000) % 30, SOURCE)))
    assert collect(study, [str(tmp_path / "r.ndjson")]).tally.keep_reports
    monkeypatch.setattr(collecting, "KEPT", 1000)
    found = collect(study, [str(tmp_path / "r.ndjson")])
    assert not found.tally.keep_reports
    assert found.tally.n == 3000
    assert "too many to keep" in found.cautions[0]
    assert collect(study, [str(tmp_path / "r.ndjson")], method="mle").tally.keep_reports
    assert not collect(study, [str(tmp_path / "r.ndjson")], method="projected").tally.keep_reports


def test_files_folders_and_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports").mkdir()
    for name in ("b.parquet", "a.parquet", "notes.md"):
        write(tmp_path / "reports" / name, b"x")
    assert expanded(["reports/*.parquet"]) == ["reports/a.parquet", "reports/b.parquet"]
    assert expanded(["reports", "-"]) == ["reports/a.parquet", "reports/b.parquet", "-"]
    with pytest.raises(FileNotFoundError):
        expanded(["reports/*.csv"])
    with pytest.raises(FileNotFoundError):
        expanded(["none.csv"])
    for again in (["reports", "reports/a.parquet"], ["reports/a.parquet", "./reports/../reports/a.parquet"]):
        with pytest.raises(sv.ParameterError, match="named more than once"):
            expanded(again)
    (tmp_path / "reports" / "again.parquet").symlink_to(tmp_path / "reports" / "a.parquet")
    with pytest.raises(sv.ParameterError, match="by another name"):
        expanded(["reports"])
    (tmp_path / "reports" / "again.parquet").unlink()
    for name in ("c.ndjson.gz", "D.NDJSON"):
        write(tmp_path / "reports" / name, b"x")
    assert len(expanded(["reports"])) == 4
    assert left_aside(["reports"]) == ["reports/notes.md"]


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "old")

    def interrupted() -> None:
        with replacing(path) as file:
            file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert os.listdir(tmp_path) == ["a.txt"]
    assert path.read_text() == "old"
    with replacing(path) as file:
        file.write(b"new")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["a.txt"]
    with pytest.raises(IsADirectoryError), replacing(tmp_path):
        pass


def test_shares_from_tables_and_lists(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "item,count\nflu,30\nnone,60\nflu,10\n")
    assert read_shares(LDP, str(tmp_path / "a.csv")).round(3).tolist() == [0, 0, 0, 0.4, 0.6]
    write(tmp_path / "b.csv", "flu\nnone\nnone\nnone\n")
    assert read_shares(LDP, str(tmp_path / "b.csv")).round(3).tolist() == [0, 0, 0, 0.25, 0.75]
    tags = sv.Study.from_toml(STUDIES["tags"])
    write(tmp_path / "c.csv", "item,tag,count\n0 / 0,,3\n0 / 0,home,1\n")
    assert read_shares(tags, str(tmp_path / "c.csv"))[0] == 1
    assert read_shares(tags, str(tmp_path / "c.csv"), marked=True)[[0, 20]].tolist() == [0.75, 0.25]
    for text in ("item,count\nflu,-1\n", "item,count\nfluu,1\n", "item,share\nflu,nan\n", "item,share\nflu,0\n"):
        with pytest.raises(sv.SottovoceError):
            read_shares(LDP, str(write(tmp_path / "d.csv", text)))


def test_distinct_answers(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "id,answer\n1,flu\n2,none\n3,none\n4,\n")
    assert distinct_answers(str(tmp_path / "a.csv"), "answer") == ["none", "flu"]
    with pytest.raises(sv.ParameterError, match="has no column 'reply'"):
        distinct_answers(str(tmp_path / "a.csv"), "reply")
    with pytest.raises(sv.ParameterError, match="1 different answers"):
        distinct_answers(str(write(tmp_path / "b.csv", "answer\nflu\n")), "answer")


@given(st.lists(st.booleans(), max_size=70))
def test_salvage_finds_exactly_the_bad_ones(flags: list[bool]) -> None:
    bad: list[int] = []

    def make(part: Any) -> list[int]:
        if any(flags[k] for k in part):
            raise sv.ReportError("bad")
        return list(part)

    made = salvage(range(len(flags)), make, lambda row, reason: bad.append(row))
    assert bad == [k for k, flag in enumerate(flags) if flag]
    assert [k for part in made for k in part] == [k for k, flag in enumerate(flags) if not flag]


def test_reasons_are_counted_even_when_they_are_many() -> None:
    skipped = Skipped()
    for k in range(200):
        skipped.add(f"line {k}", f"reason {k}")
    assert sum(skipped.reasons.values()) == 200
    assert len(skipped.reasons) <= rows._REASONS + 1
    assert skipped.to_dict()["count"] == 200


@given(st.lists(st.lists(st.integers(0, 30), max_size=20), max_size=8))
def test_what_was_seen_is_not_fresh(batches: list[list[int]]) -> None:
    seen, known = Seen(), set[int]()
    for batch in batches:
        expected = []
        for each in batch:
            expected.append(each not in known)
            known.add(each)
        assert seen.fresh([f"{each:02x}" + "00" * 15 for each in batch]).tolist() == expected


def test_a_report_that_came_twice_is_counted_once(tmp_path: Path) -> None:
    text = lines(LDP.fingerprint, LDP.blocks[""].perturb(ANSWERS * 30, SOURCE))
    write(tmp_path / "a.ndjson", text)
    write(tmp_path / "b.ndjson", text.splitlines(keepends=True)[7] + text)
    found = collect(LDP, [str(tmp_path / "a.ndjson"), str(tmp_path / "b.ndjson")])
    assert found.tally == collect(LDP, [str(tmp_path / "a.ndjson")]).tally
    assert found.skipped.reasons == {"its id was counted already": 151}


def test_quotes_and_line_breaks(tmp_path: Path) -> None:
    for text, line in [('answer\nflu\n"none\nhiv\nflu\n', 3), ('answer,c\nflu,1\nflu,"oops\nhiv,2\nnone,4\n', 3)]:
        with pytest.raises(sv.ParameterError, match=f"line {line}: a quote is not closed"):
            codes_of(LDP, write(tmp_path / "a.csv", text))
    swallowed = write(tmp_path / "a.csv", 'answer,c\nflu,"oops\nhiv,2\nnone,"\nfluu,x\n')
    codes, skipped = codes_of(LDP, swallowed)
    assert codes == [3]
    assert "a quote is missing" in next(iter(skipped.remarks.values()))
    assert skipped.examples == {"it is not an item": [f"{swallowed}, line 5: 'fluu'"]}
    with pytest.raises(BadRowsError, match="a quote is missing"):
        perturb_file(LDP, str(swallowed), str(tmp_path / "r.ndjson"), strict=True, source=SOURCE)
    many = "id,answer\n" + "".join(f'{k},"{"two" if k % 1000 == 0 else "flu"}"\n' for k in range(600_000))
    codes, skipped = codes_of(LDP, write(tmp_path / "b.csv", many))
    assert (len(codes), skipped.count, skipped.remarks) == (599_400, 600, {})
    assert skipped.examples["it is not an item"][:2] == [f"{tmp_path / 'b.csv'}, line 2: 'two'", f"{tmp_path / 'b.csv'}, line 1002: 'two'"]
    inches = 'answer,c\nflu,5" pipe\n' + "none,x\n" * 2_000_000
    codes, skipped = codes_of(LDP, write(tmp_path / "c.csv", inches))
    assert (len(codes), skipped.count) == (2_000_001, 0)


@given(
    st.lists(st.lists(st.text(alphabet='ab,"\n é', max_size=4), min_size=2, max_size=2), min_size=1, max_size=12),
    st.integers(1, 40),
)
def test_blocks_of_any_size_give_the_rows_that_python_reads(rows_: list[list[str]], block: int) -> None:
    """The same rows, and the line of each, however the file is cut into blocks."""
    import csv
    import io

    sink = io.StringIO()
    csv.writer(sink, lineterminator="\n").writerows([["answer", "c"], *rows_])
    data = sink.getvalue().encode()
    source = Opened("x", "csv", io.BufferedReader(io.BytesIO(data)), data, len(data), io.BytesIO(data))
    found: list[bytes | None] = []
    old, tables.BLOCK = tables.BLOCK, block
    try:
        for batch in tables.read_columns(source, lambda names: ["answer"], Skipped(), lambda line: False):
            texts = batch.columns["answer"].to_pylist()
            for row, text in enumerate(texts):
                line = int(batch.where(row).split("line ")[1])
                expected = 2 + sum(field.count("\n") for each in rows_[: len(found)] for field in each) + len(found)
                assert line == expected
                found.append(text)
    finally:
        tables.BLOCK = old
    assert [text or b"" for text in found] == [each[0].encode() for each in rows_]


def test_marks_are_never_lost_in_silence(tmp_path: Path) -> None:
    """A mark that is not read would let an answer leave unprotected."""
    tags = sv.Study.from_toml(STUDIES["tags"])
    for name, text in [
        ("a.csv", "answer\n0 / 1\n"),
        ("b.csv", "answer,Tag\n0 / 1,home\n"),
        ("c.csv", "answer,tags\n0 / 1,home\n"),
        ("d.ndjson", '{"answer": "0 / 1"}\n'),
    ]:
        with pytest.raises(sv.ParameterError, match="no column 'tag'"):
            codes_of(tags, write(tmp_path / name, text))
    assert codes_of(tags, tmp_path / "a.csv", unmarked=True)[0] == [1]
    assert codes_of(tags, write(tmp_path / "e.csv", "answer , tag\n0 / 1, home\n"))[0] == [20]
    codes, skipped = codes_of(
        tags, write(tmp_path / "f.ndjson", '{"answer": "0 / 1"}\n{"answer": "0 / 2", "tag": "home"}\n{"answer": "0 / 3", "tag": null}\n')
    )
    assert (codes, skipped.count) == ([20, 3], 1)


def test_a_short_first_read_and_a_long_header(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def slowly() -> None:
        with open(pipe, "wb", buffering=0) as file:
            for part in (b"ans", b"wer\nfl", b"u\nnone\n"):
                file.write(part)
                time.sleep(0.05)

    with ThreadPoolExecutor() as pool:
        pool.submit(slowly)
        assert codes_of(LDP, pipe)[0] == [3, 4]
    wide = ",".join([*(f"column{k}" for k in range(3000)), "answer"])
    assert codes_of(LDP, write(tmp_path / "w.csv", wide + "\n" + "x," * 3000 + "flu\n"))[0] == [3]


def test_odd_files(tmp_path: Path) -> None:
    assert codes_of(LDP, write(tmp_path / "a.ndjson", b'\xef\xbb\xbf{"answer": "flu"}\n\n'))[1].count == 0
    assert codes_of(LDP, write(tmp_path / "a.csv", "answer\nflu\n\n\n"))[1].count == 0
    codes, skipped = codes_of(LDP, write(tmp_path / "b.csv", b"answer,c\nflu,1\nhiv,caf\xe9,extra\nnone,2\n"))
    assert (codes, skipped.count) == ([3, 4], 1)
    for name, data, message in [
        ("cr.csv", b"answer\rflu\r", "carriage returns"),
        ("q.csv", b'"answer\nflu\n', "a quote of the header"),
        ("cut.csv.gz", gzip.compress(b"answer\n" + b"flu\n" * 1000)[:40], "cut or broken"),
    ]:
        with pytest.raises((sv.ParameterError, OSError), match=message):
            codes_of(LDP, write(tmp_path / name, data))
    twice = pa.Table.from_arrays([pa.array(["flu"]), pa.array(["none"])], names=["answer", "answer"])
    pq.write_table(twice, tmp_path / "twice.parquet")
    with pytest.raises(sv.ParameterError, match="two columns of one name"):
        codes_of(LDP, tmp_path / "twice.parquet")
    levels = sv.Study.from_toml(STUDIES["levels"])
    pq.write_table(pa.table({"level": [["usual"]], "report": [b"x"]}), tmp_path / "lists.parquet")
    assert collect(levels, [str(tmp_path / "lists.parquet")]).skipped.count == 1


def test_a_refused_report_does_not_use_up_its_id(tmp_path: Path) -> None:
    krr = sv.Study.from_toml(STUDIES["ldp"] + '[mechanism]\nname = "krr"\n')
    good = json.loads(lines(krr.fingerprint, krr.blocks[""].perturb(["flu"])))
    write(tmp_path / "a.ndjson", json.dumps(good | {"report": 99}) + "\n" + json.dumps(good) + "\n" + json.dumps(good) + "\n")
    found = collect(krr, [str(tmp_path / "a.ndjson")])
    assert (found.tally.n, found.skipped.count) == (1, 2)


def test_outputs_follow_links_and_keep_what_is_special(tmp_path: Path) -> None:
    target = write(tmp_path / "target.txt", "old")
    target.chmod(0o600)
    (tmp_path / "link.txt").symlink_to(target)
    with replacing(tmp_path / "link.txt") as file:
        file.write(b"new")
    assert (tmp_path / "link.txt").is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o600
    with replacing("/dev/null") as file:
        file.write(b"gone")
    assert not Path("/dev/null").is_file()


def test_identifiers_are_fresh() -> None:
    told = [json.loads(line)["id"] for line in lines("x", LDP.blocks[""].perturb(ANSWERS * 100)).splitlines()]
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
