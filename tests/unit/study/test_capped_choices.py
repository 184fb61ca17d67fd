"""Several choices with a cap, and refusals: what plans choose, what is refused, and what comes back out of the reports."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from messages import refused
from sottovoce.arithmetic import log_above
from sottovoce.errors import DomainError, StudyError
from sottovoce.estimators.answered import mean_among
from sottovoce.findings.questionnaire import QuestionnaireFindings
from sottovoce.mechanisms import Form, Part
from sottovoce.mechanisms.capped import capped_subset
from sottovoce.notions import LDP, RecordULDP
from sottovoce.study import Study
from sottovoce.study.planned_asking import best_of_each_kind, chosen
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.strategy_plan import StrategyPlan

LETTERS = "abcdefghijklmnopqrst"


def read(*questions: str, epsilon: float = 2.0, notion: str = "ldp", more: str = "") -> Questionnaire:
    head = f'name = "week"\ntitle = "Your week"\n[privacy]\nnotion = "{notion}"\nepsilon = {epsilon}\n{more}\n'
    study = Study.from_toml(head + "".join(f"[[questions]]\n{each}\n" for each in questions))
    assert isinstance(study, Questionnaire)
    return study


def boxes(count: int = 20, at_most: int | None = 3, name: str = "symptoms", more: str = "") -> str:
    cap = "" if at_most is None else f"at_most = {at_most}"
    return f'name = "{name}"\ntext = "Which?"\nchoices = {json.dumps(list(LETTERS[:count]))}\n{cap}\n{more}'


SMOKES = 'name = "smokes"\ntext = "Do you smoke?"\nitems = ["yes", "no"]'


def ticks(n: int, count: int, at_most: int, seed: int = 1) -> Any:
    """People who choose 0 to at_most of the boxes, the first ones more often."""
    random = np.random.default_rng(seed)
    weights = np.arange(count, 0, -1) / (count * (count + 1) / 2)
    return [[LETTERS[k] for k in random.choice(count, random.integers(0, at_most + 1), replace=False, p=weights)] for _ in range(n)]


def sets_of(study: Questionnaire) -> list[Part]:
    return [part for part in study.mechanism.parts if part.cap is not None]


def tally_of(study: Questionnaire, table: dict[str, Any], seed: int = 1) -> sv.Tally:
    return sv.Tally(study.mechanism).add(study.perturb(table, sv.SeededSource(seed)))


def test_the_boxes_are_reported_as_a_whole_if_that_is_better() -> None:
    """A small cap makes the set the better report. With a cap near the number of boxes and a larger ε, blocks of boxes are."""
    few, many = read(boxes(20, 3)), read(boxes(8, 7), epsilon=4.0)
    (part,) = sets_of(few)
    assert (part.cap, len(part.questions)) == (3, 20)
    assert sets_of(many) == []
    for study in (few, many):
        found = [each.strategy.total for each in best_of_each_kind(study.asking)]
        assert chosen(study.asking, study.written.strategy).strategy.total == min(found) == found[0]
    assert sets_of(read(boxes(20, None))) == []  # a cap is never guessed


def test_several_questions_with_caps_are_each_planned() -> None:
    study = read(boxes(20, 2, "one"), boxes(4, 3, "two"), SMOKES, epsilon=4.0)
    assert {tuple(study.in_words(part.questions)) for part in sets_of(study)} == {("one",)}
    names = [frozenset(), frozenset(["one"]), frozenset(["two"]), frozenset(["one", "two"])]
    best = min(each.total for sets in names for each in replace(study.asking, sets=sets).strategies())
    assert chosen(study.asking, study.written.strategy).strategy.total == pytest.approx(best)


def test_the_plan_says_how_the_boxes_are_reported() -> None:
    plan = StrategyPlan.of(read(boxes(20, 3), SMOKES), 10_000)
    assert plan.used_sets == ("symptoms",)
    assert "'symptoms'" in plan.reason
    assert [row[:2] for row in plan.rows] == [["symptoms", "20 boxes, at most 3"], ["smokes", "2"]]
    assert plan.to_dict()["strategies"][0]["sets"] == ["symptoms"]
    assert plan.to_dict()["strategies"][-1]["sets"] == []
    single = StrategyPlan.of(read(boxes(8, 7), epsilon=4.0), 10_000, 0.02)
    assert single.used_sets == ()
    assert "one by one" in single.reason
    assert single.needed(single.used) is not None


@pytest.mark.parametrize(("count", "at_most", "epsilon", "whole"), [(20, 3, 2.0, True), (8, 7, 4.0, False)])
def test_the_error_is_the_planned_one(count: int, at_most: int, epsilon: float, whole: bool) -> None:
    """30,000 people who choose half as many boxes as they may, each equally often: then the plan's shares are the truth."""
    study, random = read(boxes(count, at_most), epsilon=epsilon), np.random.default_rng(2)
    assert bool(sets_of(study)) is whole
    errors = []
    for run in range(4):
        people = [
            [LETTERS[k] for k in random.choice(count, at_most // 2 + (random.random() < 0.5 * (at_most % 2)), replace=False)]
            for _ in range(30_000)
        ]
        found = study.estimates(tally_of(study, {"symptoms": people}, run), "inversion")
        truth = {label: np.mean([label in each for each in people]) for label in LETTERS[:count]}
        errors += [found[f"symptoms: {label}"].p[0] - share for label, share in truth.items()]
    # the plan's error also has that of drawing the people
    share = at_most / (2 * count)
    planned = StrategyPlan.of(study, 30_000).half_width(StrategyPlan.of(study).used, 0, 30_000) / 1.959964
    noise = math.sqrt(planned**2 - share * (1 - share) / 30_000)
    assert float(np.sqrt(np.mean(np.square(errors)))) == pytest.approx(noise, rel=0.2)


def test_pinned_strategies_plan_the_boxes_too() -> None:
    (form,) = read(boxes(20, 3), SMOKES, more='[strategy]\nkind = "split"').mechanism.groups.values()
    assert [part.cap for part in form.parts] == [3, None]
    three = read(boxes(20, 3), SMOKES, more='[strategy]\nkind = "sample"\nquestions = 3')  # three of 21 boxes and questions
    assert {len(form.parts) for form in three.mechanism.groups.values()} == {3}
    with refused(StudyError, 30):
        read(boxes(20, 3), SMOKES, more='[strategy]\nkind = "sample"\nquestions = 30')


def test_compiled_and_read_again() -> None:
    study = read(boxes(20, 3, more="prefer_not_to_say = true\nother = true"), SMOKES)
    form = study.compile()
    again = Study.from_json(json.dumps(form))
    assert again.fingerprint == study.fingerprint
    assert again.mechanism == study.mechanism
    assert again.questions[0].at_most == 3
    others = [boxes(20, 4, more="prefer_not_to_say = true\nother = true"), boxes(20, None, more="prefer_not_to_say = true\nother = true")]
    assert len({read(each, SMOKES).fingerprint for each in others} | {study.fingerprint}) == 3
    place = next(k for k, part in enumerate(form["parts"]) if "at_most" in part)
    for change in ({"at_most": 4}, {"fields": form["parts"][place]["fields"][:-1]}, {"epsilon": "1.0"}):
        parts = [dict(part) for part in form["parts"]]
        parts[place] |= change
        with pytest.raises(StudyError):
            Study.from_json(json.dumps(form | {"parts": parts}))
    for changed in ({"cap": 4}, {"boxes": 19}, {"marks": 0}, {"include": "1"}):
        parts = [dict(part) for part in form["parts"]]
        parts[place]["channel"] = parts[place]["channel"] | changed
        with pytest.raises(StudyError):
            Study.from_json(json.dumps(form | {"parts": parts}))
    with refused(StudyError, 21):
        Study.from_json(json.dumps(form | {"questions": [form["questions"][0] | {"at_most": 21}, *form["questions"][1:]]}))


def test_the_level_of_the_whole_record() -> None:
    """By enumeration of all records and reports: a set, and a question beside it."""
    part = capped_subset({"s: a": 3, "s: b": 3, "s: c": 3}, 2, 0.75)
    other = Part.of(sv.krr(sv.Domain(2), 0.5), {"q": 2})
    rows = []
    for row, second in itertools.product(part.channel.matrix(exact=True).tolist(), other.channel.matrix(exact=True).tolist()):
        rows.append([x * y for x in row for y in second])
    assert all(sum(row) == 1 for row in rows)
    worst = max(max(column) / min(column) for column in zip(*rows, strict=True))
    for claim in (LDP(1.25), RecordULDP(1.25)):
        form = Form.of([part, other], claim)
        assert form.certify().level == log_above(Fraction(worst)) <= 1.25
    with pytest.raises(sv.SottovoceError):
        Form.of([part, other], LDP(1.2))


@pytest.mark.parametrize("notion", ["ldp", "uldp"])
def test_estimates_cover_the_truth(notion: str) -> None:
    study = read(boxes(20, 3), SMOKES + ('\nsensitive = ["yes"]' if notion == "uldp" else ""), notion=notion)
    assert len(sets_of(study)) == 1
    table = {"symptoms": ticks(60_000, 20, 3), "smokes": np.random.default_rng(2).choice(["yes", "no"], 60_000)}
    tally = tally_of(study, table)
    found = study.estimates(tally)
    for label in LETTERS:
        truth = float(np.mean([label in each for each in table["symptoms"]]))
        low, high = found[f"symptoms: {label}"].interval(1 - 1e-6)
        assert low[0] <= truth <= high[0]
        assert high[0] - low[0] < 0.1
    again = Study.from_json(json.dumps(study.compile()))
    assert isinstance(again, Questionnaire)
    restored = again.estimates(sv.Tally(again.mechanism).add(study.perturb(table, sv.SeededSource(1))))
    assert restored["symptoms: a"].p.tolist() == found["symptoms: a"].p.tolist()
    shown = QuestionnaireFindings.of(study, tally).to_dict()["questions"]["symptoms"]
    assert [row["item"] for row in shown["items"]] == list(LETTERS)
    assert "answered" not in shown


@pytest.mark.parametrize("at_most", [3, None])
def test_refusals_of_several_choices_are_left_out_of_the_shares(at_most: int | None) -> None:
    """A fifth is not asked and a tenth refuses; shares among those who answered are covered, reported as sets or one by one."""
    after = 'prefer_not_to_say = true\nother = "something else"\nafter = {smokes = "yes"}'
    study = read(SMOKES, boxes(12, at_most, more=after), epsilon=4.0)
    assert bool(sets_of(study)) is (at_most is not None)
    assert study.questions[1].answered.tolist() == [True, True, False, False]
    n, random = 60_000, np.random.default_rng(5)
    smokes = random.choice(["yes", "no"], n, p=[0.8, 0.2])
    rows: list[Any] = ticks(n, 12, 3)
    rows = [["something else"] if random.random() < 0.1 and len(row) < 3 else row for row in rows]
    rows = [["prefer not to say"] if random.random() < 0.1 else row for row in rows]
    rows = [row if on == "yes" else None for row, on in zip(rows, smokes, strict=True)]
    tally = tally_of(study, {"smokes": smokes, "symptoms": rows})
    answered = [row for row in rows if row is not None and row != ["prefer not to say"]]
    found = QuestionnaireFindings.of(study, tally, level=1 - 1e-6).questions[1]
    assert found.among is not None
    within, all_people = found.among.interval, found.shares.interval
    assert within is not None
    assert all_people is not None
    assert list(found.among.labels) == [*LETTERS[:12], "something else"]
    for place, label in enumerate(found.among.labels):
        truth = float(np.mean([label in row for row in answered]))
        assert within.low[place] <= truth <= within.high[place], label
        assert within.high[place] - within.low[place] < 0.25
        assert all_people.low[place] <= truth * len(answered) / n <= all_people.high[place]
    assert list(found.shares.labels)[13:] == ["prefer not to say", "does not apply"]
    low, high = all_people.low[13:], all_people.high[13:]
    unanswered = np.array([sum(row == ["prefer not to say"] for row in rows if row is not None), (smokes == "no").sum()]) / n
    assert ((low <= unanswered) & (unanswered <= high)).all()


def test_numbers_with_refusals_have_a_mean_among_those_who_answered() -> None:
    age = 'name = "age"\ntext = "How old?"\nnumbers = {from = 18, to = 98, bins = 20}\nprefer_not_to_say = true\nafter = {smokes = "yes"}'
    study = read(SMOKES, age, epsilon=4.0)
    assert len(study.questions[1].domain) == 22
    n, random = 60_000, np.random.default_rng(5)
    smokes = random.choice(["yes", "no"], n, p=[0.8, 0.2])
    ages: list[Any] = [
        None if on == "no" else "prefer not to say" if random.random() < 0.1 else float(value)
        for on, value in zip(smokes, np.clip(random.normal(45, 12, n), 18, 98), strict=True)
    ]
    tally = tally_of(study, {"smokes": smokes, "age": ages})
    found = QuestionnaireFindings.of(study, tally, level=1 - 1e-6).questions[1]
    mean = found.mean(1 - 1e-6)
    assert found.among is not None
    truth = float(np.mean([value for value in ages if isinstance(value, float)]))
    assert mean.low <= truth <= mean.high
    assert mean.high - mean.low < 8
    assert len(found.among.labels) == 20
    estimate, question = study.estimates(tally)["age"], study.questions[1]
    assert mean == found.mean_among == mean_among(estimate, np.arange(22) < 20, question.answers, 1 - 1e-6)


def test_refusals_are_sensitive() -> None:
    age = (
        'name = "age"\ntext = "How old?"\nnumbers = {from = 0, to = 80, bins = 8}\nsensitive = [{from = 0, to = 15}]'
        '\nprefer_not_to_say = true\nafter = {smokes = "yes"}'
    )
    study = read(SMOKES, age, boxes(6, 2, more="prefer_not_to_say = true"), notion="uldp")
    assert study.questions[1].sensitive[-2:] == ("prefer not to say", "does not apply")
    assert len(study.questions[1].sensitive) == 4
    theme = next(theme for theme in study.asking.themes if theme.name == "symptoms: a")
    assert theme.sensitive == ("yes", "no", "prefer not to say")
    assert study.mechanism.level <= 2.0


def test_bad_choices() -> None:
    study = read(boxes(6, 2, more="prefer_not_to_say = true"))
    with refused(DomainError, 3, 2):
        study.perturb({"symptoms": [["a"], ["a", "b", "c"]]})
    with refused(DomainError, "twice"):
        study.perturb({"symptoms": [["a", "a"]]})
    with refused(DomainError, "prefer not to say"):
        study.perturb({"symptoms": [["a", "prefer not to say"]]})
    with refused(DomainError, "z"):
        study.perturb({"symptoms": [["z"]]})
    sent = study.perturb({"symptoms": [["prefer not to say"], "prefer not to say", [], ["a", "b"]]}, sv.SeededSource(1))
    assert len(sent) == 4
