"""Questionnaires through files: a column for each question, reports in every form, and the same estimates from all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from messages import refused
from sottovoce.batch.collecting import collect
from sottovoce.batch.perturbing import perturb_file
from sottovoce.batch.reading import Reading
from sottovoce.batch.skipped_rows import BadRowsError
from sottovoce.batch.tally_files import save_tally
from sottovoce.errors import ParameterError
from sottovoce.findings.pages.questionnaire import questionnaire_page
from sottovoce.findings.questionnaire import QuestionnaireFindings
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire

FILE = """
name = "wellbeing"
title = "How are you?"
[privacy]
notion = "ldp"
epsilon = 4.0
[[questions]]
name = "smokes"
text = "Do you smoke?"
items = ["yes", "no"]
prefer_not_to_say = true
[[questions]]
name = "packs"
text = "How many packs a week?"
items = ["one", "more"]
after = {smokes = "yes"}
[[questions]]
name = "age"
text = "How old are you?"
numbers = {from = 18, to = 98, bins = 20}
[[questions]]
name = "town"
text = "Which street?"
items = 60
[[questions]]
name = "symptoms"
text = "Which of these did you have?"
choices = ["cough", "fever"]
[[questions]]
name = "home"
text = "Where do you live?"
grid = {latitude = [0, 1], longitude = [0, 1], shape = [2, 2]}
"""
HEAD = "smokes,packs,age,town,symptoms,home.latitude,home.longitude"


@pytest.fixture(scope="module")
def study() -> Questionnaire:
    found = Study.from_toml(FILE)
    assert isinstance(found, Questionnaire)
    return found


def written(folder: Path, rows: int) -> str:
    random = np.random.default_rng(1)
    lines = [HEAD]
    for _ in range(rows):
        smokes = str(random.choice(["yes", "no", "prefer not to say"]))
        packs = str(random.choice(["one", "more"])) if smokes == "yes" else ""
        ticked = ";".join(label for label in ("cough", "fever") if random.random() < 0.3)
        lines.append(
            f"{smokes},{packs},{random.normal(45, 12):.1f},{random.integers(60)},{ticked},{random.random():.2f},{random.random():.2f}"
        )
    path = folder / "answers.csv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_every_form_gives_the_same_tally_and_estimates(study: Questionnaire, tmp_path: Path) -> None:
    """Parquet and NDJSON, whole and in parts, kept or as totals, through a compiled study and a tally file."""
    answers = written(tmp_path, 3000)
    for name in ("reports.parquet", "reports.ndjson"):
        skipped = perturb_file(study, answers, str(tmp_path / name), source=sv.SeededSource(9))
        assert (skipped.used, skipped.count) == (3000, 0)
    again = Study.from_json(json.dumps(study.compile()))
    one, two, three = (
        collect(each, [str(tmp_path / name)]).tally
        for each, name in ((study, "reports.parquet"), (study, "reports.ndjson"), (again, "reports.parquet"))
    )
    assert one == two == three
    assert one.n == 3000
    save_tally(str(tmp_path / "tally.arrow"), study, one)
    assert collect(study, [str(tmp_path / "tally.arrow")]).tally == one
    table = pq.read_table(tmp_path / "reports.parquet")
    for place, rows in enumerate((table[:1000], table[1000:])):
        pq.write_table(rows, tmp_path / f"part{place}.parquet")
    assert collect(study, [str(tmp_path / f"part{place}.parquet") for place in range(2)]).tally == one
    found = QuestionnaireFindings.of(study, one)
    assert found.to_dict() == QuestionnaireFindings.of(study, three).to_dict()
    told = found.to_dict()["questions"]
    assert list(told) == ["smokes", "packs", "age", "town", "symptoms", "home"]
    assert sum(row["p"] for row in told["packs"]["answered"]) == pytest.approx(1)
    assert {"value", "low", "high"} <= set(told["age"]["mean"])
    assert len(told["home"]["items"]) == 4
    whole = found.to_frame()
    assert set(whole["study"]) == {study.name}
    assert {name: set(rows["n"]) for name, rows in whole.groupby("question")} == {name: {each["n"]} for name, each in told.items()}
    frame = whole[whole["quantity"] == "share"]
    means = whole[whole["quantity"] == "mean"].set_index("question")
    assert means[["value", "low", "high"]].to_dict("index") == {
        name: {end: each["mean"][end] for end in ("value", "low", "high")} for name, each in told.items() if "mean" in each
    }
    assert means["p"].isna().all()
    assert means["item"].isna().all()
    assert len(frame) == sum(len(each["items"]) + len(each.get("answered", ())) for each in told.values())
    for name, each in told.items():
        for of, key in (("everyone", "items"), ("those who answered", "answered")):
            rows = frame[(frame["question"] == name) & (frame["of"] == of)]
            assert rows[["item", "p"]].to_dict("records") == [{"item": row["item"], "p": row["p"]} for row in each.get(key, ())]
    assert {"everyone", "those who answered"} == set(frame["of"])
    totals = study.estimates(one.totals())
    assert totals["smokes"].p == pytest.approx(study.estimates(one)["smokes"].p)


def test_a_report_twice_counts_once(study: Questionnaire, tmp_path: Path) -> None:
    perturb_file(study, written(tmp_path, 100), str(tmp_path / "reports.ndjson"), source=sv.SeededSource(9))
    lines = (tmp_path / "reports.ndjson").read_text()
    (tmp_path / "reports.ndjson").write_text(lines + lines)
    assert collect(study, [str(tmp_path / "reports.ndjson")]).tally.n == 100


def test_rows_that_cannot_be_used_are_counted_by_reason(study: Questionnaire, tmp_path: Path) -> None:
    good = "yes,one,40,3,cough,0.5,0.5"
    bad = [
        "maybe,one,40,3,cough,0.5,0.5",
        ",one,40,3,cough,0.5,0.5",
        "yes,,40,3,cough,0.5,0.5",
        "yes,one,old,3,cough,0.5,0.5",
        "yes,one,40,60,cough,0.5,0.5",
        "yes,one,40,3,cough;cold,0.5,0.5",
        "yes,one,40,3,cough;cough,0.5,0.5",
        "yes,one,40,3,cough,1.5,0.5",
        "yes,does not apply,40,3,cough,0.5,0.5",
        "yes;no,one,40,3,cough,0.5,0.5",
    ]
    clipped = ["no,anything,17,3,,0.5,0.5", "prefer not to say,,120,3,fever;cough,1,1"]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join([HEAD, good, *bad, *clipped]) + "\n")
    skipped = perturb_file(study, str(path), str(tmp_path / "reports.parquet"), source=sv.SeededSource(1))
    assert (skipped.used, skipped.count, skipped.clipped) == (3, len(bad), (1, 1))
    assert skipped.reasons == {
        "'smokes': it isn't an item": 1,
        "'smokes': it is empty": 1,
        "'packs': it is empty": 1,
        "'age': it isn't a number": 1,
        "'town': it isn't an item": 1,
        "'symptoms': 'cold' isn't one of the choices": 1,
        "'symptoms': 'cough' is named twice": 1,
        "'home': it isn't on the grid": 1,
        "'packs': it isn't an item": 1,
        "'smokes': it names several answers, but the question takes one": 1,
    }
    assert "line 3" in next(iter(skipped.examples.values()))[0]
    with pytest.raises(BadRowsError):
        perturb_file(study, str(path), str(tmp_path / "strict.parquet"), strict=True, source=sv.SeededSource(1))
    assert not (tmp_path / "strict.parquet").exists()


@pytest.mark.parametrize(
    ("head", "value"),
    [(HEAD.replace("age", "years"), "age"), (f"{HEAD},weight", "weight"), (HEAD.replace("home.latitude", "home"), "home.latitude")],
)
def test_columns_that_are_missing_or_too_many(study: Questionnaire, tmp_path: Path, head: str, value: str) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(f"{head}\n{','.join(['yes'] * (head.count(',') + 1))}\n")
    with refused(ParameterError, value):
        perturb_file(study, str(path), str(tmp_path / "reports.parquet"), source=sv.SeededSource(1))
    with refused(ParameterError):
        perturb_file(study, str(path), str(tmp_path / "reports.parquet"), reading=Reading(column="age"), source=sv.SeededSource(1))


def test_reports_of_another_questionnaire_are_told_apart(study: Questionnaire, tmp_path: Path) -> None:
    other = Study.from_toml(FILE.replace("epsilon = 4.0", "epsilon = 3.0"))
    perturb_file(study, written(tmp_path, 50), str(tmp_path / "reports.ndjson"), source=sv.SeededSource(9))
    found = collect(other, [str(tmp_path / "reports.ndjson")])
    assert (found.tally.n, found.skipped.count) == (0, 50)


def test_broken_reports_are_refused(study: Questionnaire, tmp_path: Path) -> None:
    perturb_file(study, written(tmp_path, 20), str(tmp_path / "reports.parquet"), source=sv.SeededSource(9))
    table = pq.read_table(tmp_path / "reports.parquet")
    records: list[Any] = table["report"].to_pylist()
    records[0], records[1] = records[0] + b"\0", b""
    pq.write_table(
        table.set_column(table.schema.get_field_index("report"), "report", pa.array(records, pa.binary())), tmp_path / "bad.parquet"
    )
    found = collect(study, [str(tmp_path / "bad.parquet")])
    assert (found.tally.n, found.skipped.count) == (18, 2)


CAPPED = """
name = "week"
title = "Your week"
[privacy]
notion = "ldp"
epsilon = 4.0
[[questions]]
name = "smokes"
text = "Do you smoke?"
items = ["yes", "no"]
[[questions]]
name = "age"
text = "How old are you?"
numbers = {from = 18, to = 98, bins = 20}
prefer_not_to_say = true
after = {smokes = "yes"}
[[questions]]
name = "symptoms"
text = "Which of these did you have?"
choices = ["cough", "fever", "headache", "rash", "nausea", "cramps"]
at_most = 2
prefer_not_to_say = true
other = true
"""


def test_caps_and_refusals_in_files(tmp_path: Path) -> None:
    study = Study.from_toml(CAPPED)
    assert isinstance(study, Questionnaire)
    assert any(part.cap == 2 for part in study.mechanism.parts)
    good = ["yes,40,cough;fever", "yes,prefer not to say,prefer not to say", "no,,", "no,whatever,other;rash", "yes,99,other"]
    bad = [
        "yes,40,cough;fever;rash",
        "yes,40,prefer not to say;cough",
        "yes,40,cough;cough",
        "yes,does not apply,cough",
        "yes,,cough",
        "yes,old,cough",
    ]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(["smokes,age,symptoms", *good, *bad]) + "\n")
    skipped = perturb_file(study, str(path), str(tmp_path / "reports.ndjson"), source=sv.SeededSource(1))
    assert (skipped.used, skipped.count, skipped.clipped) == (5, 6, (0, 1))
    assert skipped.reasons == {
        "'symptoms': 3 choices are named, but at most 2 are possible": 1,
        "'symptoms': 'prefer not to say' comes with a choice": 1,
        "'symptoms': 'cough' is named twice": 1,
        "'age': it isn't a number": 2,
        "'age': it is empty": 1,
    }
    random = np.random.default_rng(1)
    labels = ["cough", "fever", "headache", "rash", "nausea", "cramps", "other"]
    rows = [
        f"{random.choice(['yes', 'no'])},{random.integers(18, 98)},{';'.join(random.choice(labels, random.integers(0, 3), replace=False))}"
        for _ in range(3000)
    ]
    path.write_text("\n".join(["smokes,age,symptoms", *rows]) + "\n")
    for name in ("reports.parquet", "reports.ndjson"):
        perturb_file(study, str(path), str(tmp_path / name), source=sv.SeededSource(9))
    again = Study.from_json(json.dumps(study.compile()))
    one, two = collect(study, [str(tmp_path / "reports.parquet")]).tally, collect(again, [str(tmp_path / "reports.ndjson")]).tally
    assert one == two
    assert one.n == 3000
    save_tally(str(tmp_path / "tally.arrow"), study, one)
    assert collect(study, [str(tmp_path / "tally.arrow")]).tally == one
    assert [block.name for block in one.blocks if block.piles is None] == [  # sets are read box by box, from their totals
        name for name, form in study.mechanism.groups.items() if all(part.channel.statistic.sufficient for part in form.parts)
    ]
    shown = QuestionnaireFindings.of(study, one)
    page = questionnaire_page(shown)
    assert page.count("“prefer not to say” ") >= 2  # of numbers, and of the boxes: who isn't among the others
    assert "“does not apply” " in page
    told = shown.to_dict()["questions"]
    assert [row["item"] for row in told["symptoms"]["answered"]] == labels
    assert {"value", "low", "high"} == set(told["age"]["mean"])
    assert study.estimates(one.totals())["symptoms: cough"].p == pytest.approx(study.estimates(one)["symptoms: cough"].p)


# ---- levels ----

LEVELS = CAPPED.replace("epsilon = 4.0", "levels = {careful = 1.0, usual = 4.0}")


def tiers_of(path: Path) -> list[str]:
    """The level of each report of a file."""
    return [json.loads(line)["level"].rpartition("/")[0] for line in path.read_text().splitlines()]


@pytest.fixture(scope="module")
def tiers() -> Questionnaire:
    found = Study.from_toml(LEVELS)
    assert isinstance(found, Questionnaire)
    return found


def test_a_column_has_the_level_of_each_person(tiers: Questionnaire, tmp_path: Path) -> None:
    path, out = tmp_path / "answers.csv", tmp_path / "reports.ndjson"
    rows = ["yes,40,cough,usual", "no,,fever, careful ", "no,,,usual"] * 50
    path.write_text("\n".join(["smokes,age,symptoms,level", *rows]) + "\n")
    skipped = perturb_file(tiers, str(path), str(out), source=sv.SeededSource(1))
    assert (skipped.used, skipped.count) == (150, 0)
    assert tiers_of(out) == ["usual", "careful", "usual"] * 50
    forms = [json.loads(line)["level"] for line in out.read_text().splitlines()]
    assert {block.name: block.n for block in collect(tiers, [str(out)]).tally.blocks} == {
        name: forms.count(name) for name in tiers.mechanism.names
    }
    pq.write_table(pa.table({"level": ["usual"] * 3, "smokes": ["no"] * 3, "age": [""] * 3, "symptoms": [""] * 3}), tmp_path / "a.parquet")
    perturb_file(tiers, str(tmp_path / "a.parquet"), str(out), source=sv.SeededSource(1))
    assert tiers_of(out) == ["usual"] * 3


def test_one_level_for_everybody(tiers: Questionnaire, tmp_path: Path) -> None:
    """Whether the file has a column of levels or not."""
    path, out = tmp_path / "answers.csv", tmp_path / "reports.ndjson"
    for head, row in (("smokes,age,symptoms", "yes,40,cough"), ("smokes,level,age,symptoms", "yes,usual,40,cough")):
        path.write_text("\n".join([head, *[row] * 20]) + "\n")
        perturb_file(tiers, str(path), str(out), level="careful", source=sv.SeededSource(1))
        assert tiers_of(out) == ["careful"] * 20


def test_rows_with_another_level_are_counted(tiers: Questionnaire, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    rows = ["yes,40,cough,usual", "yes,40,cough,loud", "yes,40,cough,", "maybe,40,cough,loud", *["yes,40,cough,usual/1"] * 5]
    path.write_text("\n".join(["smokes,age,symptoms,level", *rows]) + "\n")
    skipped = perturb_file(tiers, str(path), str(tmp_path / "reports.ndjson"), source=sv.SeededSource(1))
    reasons = {"'smokes': it isn't an item": 1, "its level is none of careful, usual": 6, "it has no level": 1}
    assert (skipped.used, skipped.reasons) == (1, reasons)
    assert "line 3" in skipped.examples["its level is none of careful, usual"][0]
    assert "'loud'" in skipped.examples["its level is none of careful, usual"][0]
    path = tmp_path / "answers.ndjson"
    path.write_text('{"smokes": "no", "age": "", "symptoms": "", "level": "usual"}\n{"smokes": "no", "age": "", "symptoms": ""}\n')
    skipped = perturb_file(tiers, str(path), str(tmp_path / "reports.ndjson"), source=sv.SeededSource(1))
    assert (skipped.used, skipped.reasons) == (1, {"it has no level": 1})
    with pytest.raises(BadRowsError):
        perturb_file(tiers, str(path), str(tmp_path / "strict.ndjson"), strict=True, source=sv.SeededSource(1))


def test_levels_that_a_study_does_not_have(study: Questionnaire, tiers: Questionnaire, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("smokes,age,symptoms\nyes,40,cough\n")
    with refused(ParameterError, "level"):
        perturb_file(tiers, str(path), str(tmp_path / "reports.ndjson"), source=sv.SeededSource(1))
    with refused(ParameterError, "loud"):
        perturb_file(tiers, str(path), str(tmp_path / "reports.ndjson"), level="loud", source=sv.SeededSource(1))
    with refused(ParameterError, "usual"):
        perturb_file(study, str(path), str(tmp_path / "reports.ndjson"), level="usual", source=sv.SeededSource(1))
    path.write_text(f"{HEAD},level\nno,,40,3,,0.5,0.5,usual\n")
    with refused(ParameterError, "level"):
        perturb_file(study, str(path), str(tmp_path / "reports.ndjson"), source=sv.SeededSource(1))
