"""sottovoce plan, simulate and compare: what to expect of a study."""

from __future__ import annotations

from pathlib import Path

import pytest

from invoking import as_json, complaint, run
from messages import wording
from processes import SHARES
from studies import QUESTIONNAIRES, STUDIES


def test_plan(place: Path) -> None:
    told = as_json(place, "plan", "--people", "5000", "--target", "0.01")
    assert told["n"] == 5000
    assert [option["tv"] for option in told["options"]] == sorted(option["tv"] for option in told["options"])
    wording(told["reason"])
    asked = ("--items", "400", "--sensitive", "76", "--epsilon", "1", "--target", "0.05")
    text = run(place, "plan", *asked, "--chart", "plan.svg").stdout.decode()
    wording(text)
    assert "ubd" in text
    assert (place / "plan.svg").read_text().startswith("<svg")
    (place / "truth.csv").write_text("item,share\nflu,0.5\nnone,0.5\n")
    told = as_json(place, "plan", "-n", "5000", "--truth", "truth.csv")
    wording(told["reason"])
    said = complaint(place, "plan", "--epsilon", "1", kind="parameter")
    assert all(each in said for each in ("--epsilon", "--sensitive", "--items"))


def test_plan_what_people_ask(place: Path) -> None:
    """Each goal on the command line: in words, as a column, as JSON; and what doesn't fit is explained."""
    for asked in (
        ("--item", "hiv", "--within", "0.02"),
        ("--item", "hiv", "--within", "0.02", "--at-most", "0.05"),
        ("--within", "0.02", "--confidence", "0.9", "-n", "5000"),
        ("--group", "hiv,cancer", "--group", "flu", "-n", "5000"),
        ("--find", "0.05", "-n", "5000"),
    ):
        wording(run(place, "plan", *asked).stdout.decode())
    told = as_json(place, "plan", "--item", "hiv", "--within", "0.02")
    assert (told["within"], told["confidence"]) == (0.02, 0.95)
    assert told["options"][0]["people"] > 0
    assert as_json(place, "plan", "--items", "10", "--epsilon", "1", "--item", "3", "-n", "500")["goal"] == "half-width on item 3"
    assert "'hvi'" in complaint(place, "plan", "--item", "hvi", "--within", "0.02", kind="domain")
    assert "margin" in complaint(place, "plan", "--margin", "age", "--within", "0.02", kind="parameter")
    assert "find" in complaint(place, "plan", "--item", "hiv", "--find", "0.02", kind="parameter")


def test_plan_for_an_axis_and_for_shorter_reports(tmp_path: Path) -> None:
    axes = "".join(f'q{axis} = ["no", "yes"]\n' for axis in range(10))
    (tmp_path / "study.toml").write_text(f'name = "ten"\nquestion = "?"\n[axes]\n{axes}[privacy]\nnotion = "ldp"\nepsilon = 2.0\n')
    wording(run(tmp_path, "plan", "--margin", "q3", "-n", "30000").stdout.decode())
    wording(run(tmp_path, "plan", "-n", "30000").stdout.decode())
    one = " / ".join(["no"] * 10)
    assert one in as_json(tmp_path, "plan", "--item", one, "--within", "0.02")["goal"]
    both = as_json(tmp_path, "plan", "--margin", "q3", "--margin", "q4", "--within", "0.05")
    assert both["goal"] == "half-width on every combination of 'q3' and 'q4'"


def test_levels_are_planned_by_their_name(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDIES["levels"].replace("{careful", "{open = inf, careful").replace(", open = inf}", "}"))
    assert "'careful'" in run(tmp_path, "plan").stdout.decode()
    assert "'usual'" in run(tmp_path, "plan", "--level", "usual").stdout.decode()


def test_levels_of_questionnaires_are_planned_by_their_name(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(QUESTIONNAIRES["tiers"])
    first, second = (run(tmp_path, "plan", *option).stdout.decode() for option in ((), ("--level", "usual")))
    assert "ε = 1.5 for the whole record, 4 questions, level 'careful'" in first
    assert "ε = 4 for the whole record, 4 questions, level 'usual'" in second
    told = as_json(tmp_path, "plan", "--level", "usual")
    assert (told["level"], told["epsilon"]) == ("usual", 4.0)
    assert "'loud'" in complaint(tmp_path, "plan", "--level", "loud", kind="study")
    (tmp_path / "study.toml").write_text(QUESTIONNAIRES["block"])
    assert "level" not in as_json(tmp_path, "plan")
    assert "'usual'" in complaint(tmp_path, "plan", "--level", "usual", kind="study")
    assert "--find" in complaint(tmp_path, "plan", "--find", "0.1", kind="parameter")


def test_simulate_and_compare(place: Path) -> None:
    (place / "truth.csv").write_text("item,share\n" + "".join(f"{item},{share}\n" for item, share in SHARES.items()))
    told = as_json(place, "simulate", "--truth", "truth.csv", "-n", "5000", "--runs", "20", "--method", "mle", "--method", "projected")
    assert [each["method"] for each in told["methods"]] == ["mle", "projected"]
    for each in told["methods"]:
        assert each["tv"] == pytest.approx(each["predicted"], rel=0.5)
        assert each["held"] > 0.85
    assert "Zipf" in run(place, "simulate", "--runs", "3").stdout.decode()
    told = as_json(place, "compare", "-m", "urr", "-m", "krr", "-n", "5000", "--runs", "10", "--truth", "truth.csv")
    assert [each["mechanism"] for each in told["mechanisms"]] == ["urr", "krr"]
    assert told["mechanisms"][0]["tv"] < told["mechanisms"][1]["tv"]
    assert "urap" in run(place, "compare", "--runs", "3").stdout.decode()
    assert "'magic'" in complaint(place, "compare", "-m", "magic", kind="parameter")


@pytest.mark.parametrize("mechanism", ["krr", "oue", "subset_selection"])
def test_simulations_of_very_many_people(place: Path, mechanism: str) -> None:
    """No reports are made, and the default method is one that totals support."""
    privacy = '[privacy]\nnotion = "ldp"\nepsilon = 1.0\n'
    text = f'name = "many"\nquestion = "?"\nitems = {list("abcdef")}\n{privacy}[mechanism]\nname = "{mechanism}"\n'
    (place / "many.toml").write_text(text, encoding="utf-8")
    (found,) = as_json(place, "simulate", "many.toml", "-n", str(10**11), "--runs", "10")["methods"]
    assert found["tv"] == pytest.approx(found["predicted"], rel=0.6)
    assert (found["method"], found["from_totals"]) == (("mle", False) if mechanism == "krr" else ("projected", True))
    told = run(place, "simulate", "many.toml", "-n", str(10**11), "--runs", "3").stdout.decode()
    assert ("--method mle" in told) == (mechanism != "krr")
    assert "0.0000" not in told


@pytest.mark.parametrize("about", ["mean", "median", "upper quartile", "distance"])
def test_a_figure_of_numbers_is_simulated(place: Path, about: str) -> None:
    """All runs come within 8 years of the truth, and few within an hour of it."""
    run(place, "new", "numbers", "-o", "ages.toml")
    asked = ("--people", "20000", "--runs", "12", "--about", about)
    figures = {
        within: as_json(place, "simulate", "ages.toml", *asked, "--within", within)["methods"][0]["figure"] for within in ("8", "0.0001")
    }
    assert figures["8"]["reached"] == 1
    assert figures["0.0001"]["reached"] < 1
    assert 0 < figures["8"]["error"] <= figures["8"]["most"] < 8
    if about == "distance":
        assert figures["8"]["half_width"] is None
        assert figures["8"]["held"] is None
    else:
        assert figures["8"]["held"] > 0.7
        assert figures["8"]["error"] < figures["8"]["half_width"] < 8
    shown = run(place, "simulate", "ages.toml", *asked, "--within", "8").stdout.decode()
    assert "a bell around the middle" in shown
    assert "100%" in shown


def test_what_simulate_is_asked_of_numbers_is_checked(place: Path) -> None:
    assert "--about" in complaint(place, "simulate", "--within", "2", kind="parameter")
    assert "have no order" in complaint(place, "simulate", "--about", "mean", kind="domain")


def test_errors_of_questions_that_can_be_skipped_are_those_of_everyone(tmp_path: Path) -> None:
    for name, skipped in (("block", True), ("split", False)):
        (tmp_path / "study.toml").write_text(QUESTIONNAIRES[name])
        said = run(tmp_path, "plan", "study.toml", "--people", "5000").stdout.decode()
        assert ("everyone who is asked, with those who prefer not to say" in " ".join(said.split())) is skipped
        assert as_json(tmp_path, "plan", "study.toml", "--people", "5000")["of"] == "everyone asked"


def test_errors_as_large_as_all_values_are_not_numbers(tmp_path: Path) -> None:
    """With few people an interval covers most of what is possible: the plan shows that, as results do."""
    (tmp_path / "study.toml").write_text(QUESTIONNAIRES["split"])
    few, many = (run(tmp_path, "plan", "study.toml", "--people", people).stdout.decode() for people in ("5", "100000"))
    assert "can't tell" in few
    assert "5 people are too few" in " ".join(few.split())
    assert "can't tell" not in many


def test_a_question_has_no_mechanism(tmp_path: Path) -> None:
    study = QUESTIONNAIRES["split"].replace('name = "smokes"', 'name = "smokes"\nmechanism = "krr"', 1)
    (tmp_path / "study.toml").write_text(study)
    assert "no mechanism of their own" in complaint(tmp_path, "check", "study.toml")
