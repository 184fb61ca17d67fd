"""sottovoce tally: reports are counted, and tallies add up."""

from __future__ import annotations

from pathlib import Path

from invoking import as_json, complaint, run
from messages import wording
from studies import STUDIES


def test_tallies_add_up(place: Path) -> None:
    (place / "reports").mkdir()
    for day in ("monday", "tuesday"):
        run(place, "perturb", "answers.csv", "-o", f"reports/{day}.parquet")
        run(place, "tally", "study.toml", f"reports/{day}.parquet", "-o", f"{day}.arrow")
    whole = as_json(place, "tally", "study.toml", "reports/*.parquet")
    merged = as_json(place, "tally", "study.toml", "monday.arrow", "tuesday.arrow", "-o", "week.arrow")
    assert merged["n"] == whole["n"] == 8000
    assert merged["blocks"] == whole["blocks"]
    from_tally, from_reports = as_json(place, "estimate", "week.arrow"), as_json(place, "estimate", "reports")
    assert from_tally["items"] == from_reports["items"]
    text = run(place, "tally", "monday.arrow", "tuesday.arrow", "-o", "week.arrow").stdout.decode()
    wording(text)
    assert "week.arrow" in text
    totals = as_json(place, "tally", "monday.arrow", "--totals")
    assert not totals["kept"]
    assert "monday.arrow" in complaint(place, "tally", "monday.arrow", "monday.arrow", kind="parameter")
    (place / "study.toml").write_text(STUDIES["uldp"].replace("1.0", "2.0"))
    assert "week.arrow" in complaint(place, "estimate", "week.arrow", kind="report")


def test_tallies_are_merged_by_the_command(place: Path) -> None:
    for day in ("mon", "tue"):
        run(place, "perturb", "answers.csv", "-o", f"{day}.parquet")
        run(place, "tally", f"{day}.parquet", "-o", f"{day}.arrow")
    assert not list(place.glob("*.parts")), "one file has no parts"
    found = as_json(place, "tally", "merge", "mon.arrow", "tue.arrow", "-o", "both.arrow")
    assert found["n"] == 8000
    run(place, "tally", "study.toml", "mon.parquet", "tue.parquet", "-o", "direct.arrow", "--parts", "kept")
    assert (place / "direct.arrow").read_bytes() == (place / "both.arrow").read_bytes()
    assert len(list((place / "kept").iterdir())) == 2
    assert "mon.parquet" in complaint(place, "tally", "merge", "mon.parquet", "tue.arrow", kind="parameter")
    said = run(place, "tally", "mon.parquet", "tue.parquet", "-o", "direct.arrow", "--parts", "kept").stderr.decode()
    wording(said)
    assert "2 files" in said
    said = complaint(place, "tally", "mon.parquet", "--parts", "kept", "--no-parts", kind="parameter")
    assert "--parts" in said
    assert "--no-parts" in said


def test_folders_say_what_they_leave_aside(place: Path) -> None:
    (place / "reports").mkdir()
    run(place, "perturb", "answers.csv", "-o", "reports/a.parquet")
    (place / "reports" / "notes.md").write_text("x")
    said = run(place, "tally", "reports").stderr.decode()
    wording(said)
    assert "reports/notes.md" in said
