"""Answers in files: every one of them becomes a code, and no bad row goes unsaid."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from files import ANSWERS, SOURCE, codes_of, ldp, unreadable, write
from messages import refused
from sottovoce.batch.answers import distinct_answers, read_shares
from sottovoce.batch.collecting import collect
from sottovoce.batch.perturbing import perturb_file
from sottovoce.batch.reading import Reading
from sottovoce.batch.skipped_rows import BadRowsError
from studies import STUDIES


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
    assert codes_of(ldp(), write(tmp_path / "a.csv", text))[0] == [3, 4]


def test_the_same_answers_from_every_format(tmp_path: Path) -> None:
    labels = (ANSWERS * 41)[:200]
    table = pa.table({"answer": labels, "person": range(200)})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=17)
    pq.write_table(pa.table({"answer": pa.array(labels).dictionary_encode()}), tmp_path / "d.parquet")
    write(tmp_path / "a.csv", "person,answer\n" + "".join(f"{k},{label}\n" for k, label in enumerate(labels)))
    write(tmp_path / "a.ndjson", "".join(json.dumps({"answer": label, "x": None}) + "\n" for label in labels))
    write(tmp_path / "a.csv.gz", gzip.compress((tmp_path / "a.csv").read_bytes()))
    expected = ldp().domain.encode(labels).tolist()
    for name in ("a.parquet", "d.parquet", "a.csv", "a.ndjson", "a.csv.gz"):
        assert codes_of(ldp(), tmp_path / name)[0] == expected, name


def test_bad_rows_are_counted_and_shown_with_their_line(tmp_path: Path) -> None:
    text = b"person,answer\n1,flu\n2\n3,none\n4,fluu\n5,hiv,x\n6,\n7,caf\xe9\n\n9,hiv\n"
    codes, skipped = codes_of(ldp(), write(tmp_path / "a.csv", text))
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
    codes, skipped = codes_of(ldp(), path)
    good = [line for line in given if line.strip('"') in ANSWERS]
    assert codes == [ANSWERS.index(line.strip('"')) for line in good]
    assert skipped.count + skipped.used == len(given)
    assert skipped.used == len(good)
    for where in (example for examples in skipped.examples.values() for example in examples):
        number = int(where.split("line ")[1].split(":")[0])
        assert given[number - 2].strip('"') not in ANSWERS


def test_bad_rows_of_ndjson_and_parquet(tmp_path: Path) -> None:
    text = '{"answer": "flu"}\nnot json\n{"answer": 7}\n[1]\n{}\n{"answer": null}\n{"answer": "none"}\n'
    codes, skipped = codes_of(ldp(), write(tmp_path / "a.ndjson", text))
    assert (codes, skipped.count) == ([3, 4], 5)
    assert {e.split("line ")[1][0] for es in skipped.examples.values() for e in es} == set("23456")
    pq.write_table(pa.table({"answer": ["flu", None, "fluu", "none"]}), tmp_path / "a.parquet")
    codes, skipped = codes_of(ldp(), tmp_path / "a.parquet")
    assert (codes, skipped.count) == ([3, 4], 2)
    assert any("row 3: 'fluu'" in e for es in skipped.examples.values() for e in es)


def test_a_strict_reader_refuses_the_first_bad_row_and_writes_nothing(tmp_path: Path) -> None:
    for text in ("person,answer\n1,flu\n2,fluu\n", "person,answer\n1,flu\n2\n", "person,answer\n1,flu\n2,\n"):
        with refused(BadRowsError, "a.csv, line 3"):
            perturb_file(ldp(), str(write(tmp_path / "a.csv", text)), str(tmp_path / "r.parquet"), strict=True, source=SOURCE)
    assert os.listdir(tmp_path) == ["a.csv"]


def test_a_file_of_something_else_is_given_up(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "answer\n" + "wrong\n" * 5000)
    with refused(sv.ReportError, "a.csv", "5,000"):
        codes_of(ldp(), path)
    for text, *values in [
        ("",),
        ("reply\nflu\n", "'answer'", "'reply'", "--column"),
        ("answer,answer\nflu,flu\n",),
    ]:
        with refused(sv.SottovoceError, "a.csv", *values):
            codes_of(ldp(), write(tmp_path / "a.csv", text))
    with refused(sv.SottovoceError, "a.csv", "UTF-16"):
        codes_of(ldp(), write(tmp_path / "a.csv", "answer\nflu\n".encode("utf-16")))
    with unreadable(sv.SottovoceError, "a.parquet"):
        codes_of(ldp(), write(tmp_path / "a.parquet", b"PAR1 nonsense"))
    assert codes_of(ldp(), write(tmp_path / "b.csv", "reply\nflu\n"), reading=Reading(column="reply"))[0] == [3]


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
    with refused(sv.SottovoceError, "'level'", "careful", "usual", "open"):
        codes_of(levels, write(tmp_path / "c.csv", "answer\nflu\n"))
    perturb_file(levels, str(tmp_path / "c.csv"), str(out), level="usual", source=SOURCE)
    assert [block.n for block in collect(levels, [str(out)]).tally.blocks] == [0, 1, 0]
    with refused(sv.SottovoceError, "'loud'"):
        codes_of(levels, tmp_path / "c.csv", level="loud")


def test_shares_from_tables_and_lists(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "item,count\nflu,30\nnone,60\nflu,10\n")
    assert read_shares(ldp(), str(tmp_path / "a.csv")).round(3).tolist() == [0, 0, 0, 0.4, 0.6]
    write(tmp_path / "b.csv", "flu\nnone\nnone\nnone\n")
    assert read_shares(ldp(), str(tmp_path / "b.csv")).round(3).tolist() == [0, 0, 0, 0.25, 0.75]
    tags = sv.Study.from_toml(STUDIES["tags"])
    write(tmp_path / "c.csv", "item,tag,count\n0 / 0,,3\n0 / 0,home,1\n")
    assert read_shares(tags, str(tmp_path / "c.csv"))[0] == 1
    assert read_shares(tags, str(tmp_path / "c.csv"), marked=True)[[0, 20]].tolist() == [0.75, 0.25]
    for text in ("item,count\nflu,-1\n", "item,count\nfluu,1\n", "item,share\nflu,nan\n", "item,share\nflu,0\n"):
        with refused(sv.SottovoceError, "d.csv"):
            read_shares(ldp(), str(write(tmp_path / "d.csv", text)))


def test_distinct_answers(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "id,answer\n1,flu\n2,none\n3,none\n4,\n")
    assert distinct_answers(str(tmp_path / "a.csv")) == ["flu", "none"]
    with refused(sv.ParameterError, "'reply'"):
        distinct_answers(str(tmp_path / "a.csv"), Reading(column="reply"))
    with refused(sv.ParameterError, "b.csv", 1):
        distinct_answers(str(write(tmp_path / "b.csv", "answer\nflu\n")))


def test_marks_are_never_lost_in_silence(tmp_path: Path) -> None:
    """A mark that is not read would let an answer leave unprotected."""
    tags = sv.Study.from_toml(STUDIES["tags"])
    for name, text in [
        ("a.csv", "answer\n0 / 1\n"),
        ("b.csv", "answer,Tag\n0 / 1,home\n"),
        ("c.csv", "answer,tags\n0 / 1,home\n"),
        ("d.ndjson", '{"answer": "0 / 1"}\n'),
    ]:
        with refused(sv.ParameterError, name, "'tag'"):
            codes_of(tags, write(tmp_path / name, text))
    assert codes_of(tags, tmp_path / "a.csv", unmarked=True)[0] == [1]
    assert codes_of(tags, write(tmp_path / "e.csv", "answer , tag\n0 / 1, home\n"))[0] == [20]
    codes, skipped = codes_of(
        tags, write(tmp_path / "f.ndjson", '{"answer": "0 / 1"}\n{"answer": "0 / 2", "tag": "home"}\n{"answer": "0 / 3", "tag": null}\n')
    )
    assert (codes, skipped.count) == ([20, 3], 1)
    assert list(skipped.reasons) == ["it has no tag"]
