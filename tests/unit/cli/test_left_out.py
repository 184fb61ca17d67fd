"""Rows that were left out on the way are mentioned in what people read."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq

import sottovoce as sv
from invoking import as_json, run
from messages import refused, wording
from sottovoce.errors import ReportError

ANSWERS = "answer\n" + "flu\n" * 4_000 + "none\n" * 1_000 + "Flu\n" * 300 + "nothing\n" * 12


def cautions(folder: Path, *files: str) -> list[str]:
    """The cautions about rows that were left out, the same on the page and for programs."""
    found = as_json(folder, "estimate", *files, "--html", "page.html", "--method", "projected")["cautions"]
    said = [each for each in found if "left out" in each]
    page = (folder / "page.html").read_text()
    assert all(each.replace("'", "&#39;") in page for each in said)
    wording("\n".join(said))
    return said


def test_answers_that_were_left_out_are_mentioned_in_the_report(place: Path) -> None:
    (place / "a.csv").write_text(ANSWERS)
    run(place, "perturb", "a.csv", "-o", "r.parquet")
    (said,) = cautions(place, "r.parquet")
    assert "312 of 5,312 rows" in said
    run(place, "perturb", "a.csv", "-o", "s.parquet")
    (said,) = cautions(place, "r.parquet", "s.parquet")
    assert "624 of 10,624 rows" in said
    for _ in range(2):  # the second time the files were counted before
        run(place, "tally", "r.parquet", "s.parquet", "-o", "t.arrow")
        assert cautions(place, "t.arrow") == [said]
    run(place, "tally", "r.parquet", "-o", "one.arrow")
    run(place, "tally", "s.parquet", "-o", "two.arrow")
    run(place, "tally", "merge", "one.arrow", "two.arrow", "-o", "both.arrow")
    assert cautions(place, "both.arrow") == [said]
    piped = (place / "r.parquet").read_bytes()
    assert "312 of 5,312" in as_json(place, "estimate", "-", stdin=piped)["cautions"][0]


def test_nothing_is_said_if_nothing_was_left_out(place: Path) -> None:
    run(place, "perturb", "answers.csv", "-o", "r.parquet")
    assert b"sottovoce.left_out" not in (pq.read_metadata(place / "r.parquet").metadata or {})
    assert cautions(place, "r.parquet") == []


def test_reports_that_were_left_out_are_mentioned_after_they_were_counted(place: Path) -> None:
    lines = run(place, "perturb", "answers.csv").stdout.decode()
    (place / "r.ndjson").write_text(lines + '{"report": 1}\n' * 3)
    (said,) = cautions(place, "r.ndjson")
    assert "3 of 4,003 rows were left out" in said
    run(place, "tally", "r.ndjson", "-o", "t.arrow")
    (said,) = cautions(place, "t.arrow")
    assert "3 reports were left out" in said


def test_lines_of_json_are_counted_like_rows_and_reports_as_lines_say_what_is_lost(place: Path) -> None:
    rows = [json.dumps({"answer": each}) for each in ["flu"] * 4_000 + ["none"] * 1_000 + ["nothing"] * 12]
    (place / "a.ndjson").write_text("\n".join([*rows, "{bad", "[1]"]) + "\n")
    whole = as_json(place, "perturb", "a.ndjson", "-o", "r.parquet")["skipped"]
    assert (whole["count"], whole["remarks"]) == (14, [])
    (said,) = cautions(place, "r.parquet")
    assert "14 of 5,014 rows" in said
    lines = as_json(place, "perturb", "a.ndjson", "-o", "r.ndjson")["skipped"]
    assert lines["count"] == 14
    assert lines["remarks"]
    assert lines["remarks"][0] in run(place, "perturb", "a.ndjson").stderr.decode()
    wording(lines["remarks"][0])


def test_tallies_in_python_carry_what_was_left_out(place: Path) -> None:
    (place / "a.csv").write_text(ANSWERS)
    run(place, "perturb", "a.csv", "-o", "r.parquet")
    lines = run(place, "perturb", "answers.csv").stdout.decode()
    (place / "r.ndjson").write_text(lines + '{"report": 1}\n' * 3)
    study = sv.Study.load(place / "study.toml")
    parquet, ndjson = (study.tally(place / name) for name in ("r.parquet", "r.ndjson"))
    for tally in (parquet + ndjson, study.tally([place / "r.parquet", place / "r.ndjson"]), (parquet + ndjson).totals()):
        said = "\n".join(tally.notes)
        assert "312 of 5,312 rows" in said
        assert "(3 × " in said
        assert "312 of 5,312 rows" in str(tally)
        assert "312 of 5,312 rows" in tally._repr_html_()
        for estimate in (sv.estimate(tally, "projected"), study.estimate(tally, "projected")):
            assert tuple(estimate.notes) == tally.notes
            assert "312 of 5,312 rows" in str(estimate)
    wording(said)
    assert parquet == study.tally(place / "r.parquet").with_notes([]), "notes aren't counts"
    assert sv.Tally.from_bytes(study.mechanism, parquet.to_bytes()).notes == ()


def test_files_without_a_usable_report_are_refused_in_python(place: Path) -> None:
    study = sv.Study.load(place / "study.toml")
    (place / "bad.ndjson").write_text('{"report": 99}\n{bad\n')
    for count in (study.tally, lambda path: sv.Tally.from_files(study, path), lambda path: study.estimate(path, force=True)):
        with refused(ReportError, "bad.ndjson"):
            count(place / "bad.ndjson")
