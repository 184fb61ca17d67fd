"""Commands as a stranger gets them wrong: each says what is wrong with which value, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from invoking import complaint, run

STUDY = 'name = "x"\nquestion = "Which?"\nitems = ["a", "b", "c"]\n[privacy]\nnotion = "ldp"\nepsilon = 1\n'


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", ["s.toml", "empty"]),
        (STUDY.replace("= 1\n", "= 1000\n"), ["line 6", "1000", "40"]),
        (STUDY.replace("= 1\n", "= inf\n"), ["line 6", "infinite", "40"]),
        (STUDY.replace("[privacy]", "minimum = 10\n[privacy]"), ["line 4", "minimum", "[privacy]"]),
        (STUDY.replace("[privacy]", "epsilon = 10\n[privacy]"), ["line 4", "epsilon", "[privacy]"]),
        (STUDY + '[mechanism]\nname = "window"\n', ["line 8", "order", "scale"]),
        (STUDY + '[mechanism]\nname = "krr"\ntheta = 0.3\n', ["line 9", "theta"]),
        (STUDY + "sensitive = [{x = 1}]\n", ["line 7", "axis"]),
    ],
)
def test_study_files(text: str, values: list[str], tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(text)
    said = complaint(tmp_path, "check", "s.toml", kind="study")
    assert [value for value in values if value not in said] == []


def test_files_that_are_no_studies(place: Path) -> None:
    run(place, "perturb", "answers.csv", "-o", "r.parquet")
    assert "binary" in complaint(place, "check", "r.parquet", kind="study")
    assert "folder" in complaint(place, "check", ".", code=3)
    (place / "cut.json").write_text('{"name": "x", ')
    assert "cut.json" in complaint(place, "check", "cut.json", kind="study")


def test_folders(place: Path) -> None:
    (place / "empty").mkdir()
    assert ".parquet" in complaint(place, "tally", "empty", "-o", "t.arrow", code=3)
    assert "folder" in complaint(place, "new", "survey", "-o", "empty", code=3)
    assert "folder" in complaint(place, "serve", "--config", "empty", code=3)
    assert "folder" in complaint(place, "store", "studies", "--db", "empty", kind="store")


def test_files_that_are_not_there(place: Path) -> None:
    for arguments in (
        ["simulate", "-n", "100", "--truth", "none.csv"],
        ["new", "survey", "--items-from", "none.csv", "-o", "new.toml"],
        ["perturb", "none.csv", "-o", "r.parquet"],
    ):
        assert complaint(place, *arguments, code=3) == "sottovoce: none.csv: File not found. Check its name.\n"
    assert "--config" in complaint(place, "serve", "--config", "none.toml", code=3)


def test_stores(place: Path) -> None:
    (place / "a.csv").write_text("answer\nflu\n" * 1000)
    assert "SQLite" in complaint(place, "store", "studies", "--db", "a.csv", kind="store")
    run(place, "store", "add", "study.toml")
    assert "no/b.sqlite" not in complaint(place, "store", "backup", "no/b.sqlite", kind="parameter")
    assert "e.csv" in complaint(place, "export", "clinic-2026", "-o", "e.csv", kind="parameter")
    assert "65,535" in complaint(place, "serve", "--port", "99999")


def test_figures_of_items_without_an_order(place: Path) -> None:
    for arguments in (["plan", "--about", "mean", "--within", "2"], ["simulate", "-n", "100", "--about", "mean"]):
        assert "scale" in complaint(place, *arguments, kind="domain")
    assert "[grid]" in complaint(place, "map", kind="parameter")
