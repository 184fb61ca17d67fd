"""Study files of several questions: what they say, what is refused, and what comes back out of the reports."""

from __future__ import annotations

import json
import math
from datetime import date
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from messages import refused
from sottovoce.errors import DomainError, ParameterError, ReportError, StudyError
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.strategy_plan import StrategyPlan

FILE = """
name = "wellbeing"
title = "How are you?"
opens = 2027-03-01
closes = 2027-04-01
[privacy]
notion = "ldp"
epsilon = 3.0
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
name = "mood"
text = "How do you feel?"
scale = ["awful", "fair", "great"]
other = "hard to say"
[[questions]]
name = "symptoms"
text = "Which of these did you have?"
choices = ["cough", "fever"]
"""
ULDP = """
name = "clinic"
title = "Your health"
[privacy]
notion = "uldp"
epsilon = 1.0
[[questions]]
name = "illness"
text = "Which of these do you have?"
items = ["hiv", "flu", "none"]
sensitive = ["hiv"]
prefer_not_to_say = true
[[questions]]
name = "pills"
text = "Do you take pills?"
items = ["yes", "no"]
sensitive = ["yes"]
[[questions]]
name = "town"
text = "Where do you live?"
items = ["north", "south"]
"""


def read(text: str) -> Questionnaire:
    study = Study.from_toml(text)
    assert isinstance(study, Questionnaire)
    return study


def ten(epsilon: float, size: int = 2, strategy: str = "") -> Questionnaire:
    items = json.dumps([f"a{k}" for k in range(size)])
    questions = "".join(f'[[questions]]\nname = "q{k}"\ntext = "Question {k}?"\nitems = {items}\n' for k in range(10))
    return read(f'name = "ten"\ntitle = "Ten"\n[privacy]\nnotion = "ldp"\nepsilon = {epsilon}\n{strategy}\n{questions}')


def answers(n: int, seed: int = 1) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    smokes = random.choice(["yes", "no", "prefer not to say"], n, p=[0.3, 0.6, 0.1])
    ticked = random.random((n, 2)) < [0.4, 0.1]
    return {
        "smokes": smokes,
        "packs": [random.choice(["one", "more"], p=[0.25, 0.75]) if each == "yes" else None for each in smokes],
        "age": random.normal(45, 12, n),
        "mood": random.choice(["awful", "fair", "great", "hard to say"], n, p=[0.2, 0.3, 0.4, 0.1]),
        "symptoms": [[label for label, on in zip(("cough", "fever"), row, strict=True) if on] for row in ticked],
    }


def test_a_file_of_several_questions() -> None:
    study = read(FILE)
    assert [(each.name, len(each.domain)) for each in study.questions[:4]] == [("smokes", 3), ("packs", 3), ("age", 20), ("mood", 4)]
    assert list(study.questions[4].fields) == ["symptoms: cough", "symptoms: fever"]
    assert study.mechanism.level == pytest.approx(3.0)
    assert study.mechanism.level <= 3.0
    assert "of 5 questions, drawn before you answer" in study.explain()
    asked = {name for form in study.mechanism.groups.values() for name in form.questions}
    assert asked == {"smokes", "packs", "age", "mood", "symptoms: cough", "symptoms: fever"}


def test_a_study_of_one_question_has_one() -> None:
    study = Study.from_toml('name = "a"\nquestion = "Well?"\nitems = ["yes", "no"]\n[privacy]\nnotion = "ldp"\nepsilon = 1.0')
    (question,) = study.questions
    assert (question.text, list(question.domain)) == ("Well?", ["yes", "no"])


@pytest.mark.parametrize("text", [FILE, ULDP])
def test_compiled_and_read_again(text: str) -> None:
    study = read(text)
    form = study.compile()
    again = Study.from_json(json.dumps(form))
    assert again.fingerprint == study.fingerprint
    assert isinstance(again, Questionnaire)
    assert again.mechanism == study.mechanism
    for change in ({"name": "another"}, {"forms": form["forms"][:1]}, {"privacy": {"notion": "ldp", "epsilon": "0.5"}}):
        with pytest.raises(StudyError):
            Study.from_json(json.dumps(form | change))
    with refused(StudyError, 3):
        Study.from_json(json.dumps(form | {"sottovoce": 3}))


def test_estimates_cover_the_truth() -> None:
    study = read(FILE)
    tally = sv.Tally(study.mechanism).add(study.perturb(answers(60_000), sv.SeededSource(5)))
    found = study.estimates(tally)
    truth = {"smokes": [0.3, 0.6, 0.1], "packs": [0.075, 0.225, 0.7], "symptoms: cough": [0.4, 0.6], "mood": [0.2, 0.3, 0.4, 0.1]}
    for name, shares in truth.items():
        low, high = found[name].interval(1 - 1e-6)
        assert ((low <= shares) & (shares <= high)).all(), name
        assert (high - low).max() < 0.12
    age = found["age"].mean(1 - 1e-6)
    assert age.low <= 45 <= age.high
    merged = sv.Tally(study.mechanism).add(study.perturb(answers(100), sv.SeededSource(6))) + tally
    assert merged.n == 60_100
    with refused(ReportError):
        study.tallies(sv.Tally(ten(2.0).mechanism))


@pytest.mark.parametrize(("epsilon", "most"), [(2.0, 0.0112), (4.0, 0.0063)])
def test_ten_yes_or_no_questions(epsilon: float, most: float) -> None:
    """The error of a share with 30,000 people, against an even split in the same run; the split is what the plan says too."""
    planned, split = (_errors(ten(epsilon, strategy=text), 4) for text in ("", '[strategy]\nkind = "split"'))
    assert _rmse(planned) <= most
    assert _rmse(split) >= 2 * _rmse(planned)
    plan = StrategyPlan.of(ten(epsilon), 30_000)
    expected = [math.sqrt(plan.strategies[place].errors[0] / 2 / 30_000) for place in (0, -1)]
    assert [_rmse(planned), _rmse(split)] == pytest.approx(expected, rel=0.25)


def test_ten_questions_of_five_items() -> None:
    planned, split = (_errors(ten(2.0, 5, text), 8) for text in ("", '[strategy]\nkind = "split"'))
    largest = float(np.abs(planned).max(axis=1).mean())
    assert largest <= 0.036
    assert float(np.abs(split).max(axis=1).mean()) >= 3 * largest


def _errors(study: Questionnaire, runs: int) -> Any:
    """How far all shares are off, run by run."""
    random, size = np.random.default_rng(7), len(study.questions[0].domain)
    rows = []
    for run in range(runs):
        shares = random.dirichlet(np.full(size, 2.0), 10)
        table = {f"q{k}": random.choice([f"a{j}" for j in range(size)], 30_000, p=shares[k]) for k in range(10)}
        truth = {name: np.bincount([int(each[1:]) for each in column], minlength=size) / 30_000 for name, column in table.items()}
        found = study.estimates(sv.Tally(study.mechanism).add(study.perturb(table, sv.SeededSource(run))), "inversion")
        rows.append(np.concatenate([found[name].p - truth[name] for name in table]))
    return np.array(rows)


def _rmse(errors: Any) -> float:
    return float(np.sqrt((errors**2).mean()))


def test_the_form_says_nothing_about_the_answers() -> None:
    """The draw reads its words first: the same words give the same forms, whatever is answered."""
    study = ten(2.0)
    columns = [{f"q{k}": [f"a{(row + shift) % 2}" for row in range(200)] for k in range(10)} for shift in range(2)]
    drawn = [study.perturb(each, sv.SeededSource(3)).levels.tolist() for each in columns]
    assert drawn[0] == drawn[1]


def test_skip_logic_never_changes_what_is_sent() -> None:
    study = read(FILE)
    table = answers(500)
    sent = study.perturb(table, sv.SeededSource(1))
    other = study.perturb(table | {"smokes": ["no"] * 500, "packs": [None] * 500}, sv.SeededSource(1))
    assert sent.levels.tolist() == other.levels.tolist()
    assert len(sent.to_bytes()) == len(other.to_bytes())


def test_uldp_asks_clear_questions_always() -> None:
    study = read(ULDP)
    assert all("town" in form.questions for form in study.mechanism.groups.values())
    assert {len(form.questions) for form in study.mechanism.groups.values()} == {2}
    assert "sent as they are" in study.explain()
    assert study.mechanism.level <= 1.0
    assert study.questions[0].sensitive == ("hiv", "prefer not to say")
    random = np.random.default_rng(1)
    illness = random.choice(["hiv", "flu", "none", "prefer not to say"], 20_000, p=[0.05, 0.3, 0.6, 0.05])
    table = {
        "illness": illness,
        "pills": random.choice(["yes", "no"], 20_000),
        "town": random.choice(["north", "south"], 20_000, p=[0.7, 0.3]),
    }
    found = study.estimates(sv.Tally(study.mechanism).add(study.perturb(table, sv.SeededSource(2))))
    assert found["town"].n == 20_000
    assert found["town"].p[0] == pytest.approx((table["town"] == "north").mean(), abs=1e-12)
    low, high = found["illness"].interval(1 - 1e-6)
    assert low[0] <= 0.05 <= high[0]


def test_questions_asked_together_give_a_cross_table() -> None:
    text = FILE.replace('prefer_not_to_say = true\n[[questions]]\nname = "packs"', 'together = "habits"\n[[questions]]\nname = "packs"')
    text = text.replace('items = ["one", "more"]\nafter = {smokes = "yes"}', 'items = ["one", "more"]\ntogether = "habits"')
    study = read(text)
    assert study.asking.themes[0].name == "smokes+packs"
    random = np.random.default_rng(2)
    table = answers(40_000) | {"smokes": (first := random.choice(["yes", "no"], 40_000)), "packs": np.where(first == "yes", "more", "one")}
    found = study.estimates(sv.Tally(study.mechanism).add(study.perturb(table, sv.SeededSource(2))))
    cross = found["smokes+packs"]
    low, high = cross.interval(1 - 1e-6)
    truth = np.array([0.0, 0.5, 0.5, 0.0])
    assert ((low <= truth) & (truth <= high)).all()
    low, high = found["smokes"].interval(1 - 1e-6)
    assert low[0] <= 0.5 <= high[0]


def test_pinned_strategies() -> None:
    assert [len(form.parts) for form in ten(2.0, strategy='[strategy]\nkind = "split"').mechanism.groups.values()] == [10]
    three = ten(2.0, strategy='[strategy]\nkind = "sample"\nquestions = 3')
    assert {len(form.parts) for form in three.mechanism.groups.values()} == {3}
    assert three.mechanism.level <= 2.0
    four = ten(2.0, strategy='[strategy]\nkind = "block"\nquestions = 4')
    assert {part.sizes for form in four.mechanism.groups.values() for part in form.parts} == {(2, 2, 2, 2)}
    plan = StrategyPlan.of(four)
    assert "times smaller" in plan.reason


def test_languages() -> None:
    text = FILE.replace('title = "How are you?"', 'languages = ["en", "de"]\ntitle = {en = "How are you?", de = "Wie geht es?"}')
    text = text.replace('text = "Do you smoke?"', 'text.en = "Do you smoke?"\ntext.de = "Rauchst du?"')
    study = read(text)
    assert study.question == "How are you?"
    assert study.questions[0].translations["text"]["de"] == "Rauchst du?"
    assert study.fingerprint != read(FILE).fingerprint


@pytest.mark.parametrize(
    ("keys", "form"), [("", {}), ('ask = "drawn"\npaged = true\n', {}), ('ask = "all"\npaged = false\n', {"ask": "all", "paged": 0})]
)
def test_what_people_see(keys: str, form: dict[str, Any]) -> None:
    study = read(keys + FILE)
    compiled = study.compile()
    assert {key: compiled[key] for key in ("ask", "paged") if key in compiled} == form
    assert (study.fingerprint == read(FILE).fingerprint) == (not form)
    again = Study.from_json(json.dumps(compiled))
    assert isinstance(again, Questionnaire)
    assert (again.written.ask, again.written.paged) == (form.get("ask", "drawn"), not form)
    for change in ({"ask": "drawn"}, {"ask": "none"}, {"paged": 1}, {"paged": False}):
        with pytest.raises(StudyError):
            Study.from_json(json.dumps(compiled | change))


BAD = {
    "ask": ("[privacy]", 'ask = "some"\n[privacy]'),
    "paged": ("[privacy]", "paged = 1\n[privacy]"),
    "title": ('title = "How are you?"\n', ""),
    "question": ('title = "How are you?"', 'title = "How are you?"\nquestion = "Well?"'),
    "mechanism": ("[privacy]", '[mechanism]\nname = "krr"\n[privacy]'),
    "closes": ("closes = 2027-04-01", "closes = 2027-02-01"),
    "opens": ("opens = 2027-03-01", 'opens = "soon"'),
    "a time of day": ("closes = 2027-04-01", "closes = 2027-04-01T12:00:00"),
    "too many items": ('items = ["one", "more"]', "items = 20000"),
    "too many combinations": (
        'after = {smokes = "yes"}',
        'together = "t"\n[[questions]]\nname = "x"\ntext = "X"\nitems = 9999\ntogether = "t"',
    ),
    "a single choice": ('choices = ["cough", "fever"]', 'choices = ["cough"]'),
    "a choice twice": ('choices = ["cough", "fever"]', 'choices = ["cough", "cough"]'),
    "choices that are a text": ('choices = ["cough", "fever"]', 'choices = "cough"'),
    "a scale and items": ('items = ["one", "more"]', 'items = ["one", "more"]\nscale = ["one", "more"]'),
    "levels": ("epsilon = 3.0", "epsilon = 3.0\nlevels = {low = 1.0}"),
    "an infinite level": ("epsilon = 3.0", "levels = {low = 1.0, open = inf}"),
    "a level of nothing": ("epsilon = 3.0", "levels = {low = 0}"),
    "no levels": ("epsilon = 3.0", "levels = {}"),
    "tags": ("epsilon = 3.0", 'epsilon = 3.0\ntags = ["mine"]'),
    "lip": ('notion = "ldp"', 'notion = "lip"'),
    "ipldp": ('notion = "ldp"', 'notion = "ipldp"'),
    "no epsilon": ("epsilon = 3.0\n", ""),
    "misspelt": ('text = "Do you smoke?"', 'txt = "Do you smoke?"'),
    "name twice": ('name = "packs"', 'name = "smokes"'),
    "name taken": ('name = "packs"', 'name = "level"'),
    "no text": ('text = "Do you smoke?"\n', ""),
    "no items": ('items = ["yes", "no"]\n', ""),
    "after a later one": ('after = {smokes = "yes"}', 'after = {mood = "great"}'),
    "after itself": ('after = {smokes = "yes"}', 'after = {packs = "one"}'),
    "after what": ('after = {smokes = "yes"}', 'after = {smokes = "maybe"}'),
    "a lone together": ('after = {smokes = "yes"}', 'together = "alone"'),
    "sensitive": ('items = ["one", "more"]', 'items = ["one", "more"]\nsensitive = ["one"]'),
    "refusal of places": (
        "numbers = {from = 18, to = 98, bins = 20}",
        "grid = {latitude = [0, 1], longitude = [0, 1], shape = [2, 2]}\nprefer_not_to_say = true",
    ),
    "places after": (
        "numbers = {from = 18, to = 98, bins = 20}",
        'grid = {latitude = [0, 1], longitude = [0, 1], shape = [2, 2]}\nafter = {smokes = "yes"}',
    ),
    "after numbers": ('choices = ["cough", "fever"]', 'choices = ["cough", "fever"]\nafter = {age = "18"}'),
    "at_most": ('choices = ["cough", "fever"]', 'choices = ["cough", "fever"]\nat_most = 2'),
    "at_most of items": ('items = ["one", "more"]', 'items = ["one", "more"]\nat_most = 1'),
    "at_most none": ('choices = ["cough", "fever"]', 'choices = ["cough", "fever"]\nat_most = 0'),
    "a refusal called yes": ('choices = ["cough", "fever"]', 'choices = ["cough", "fever"]\nprefer_not_to_say = "yes"'),
    "items and choices": ('choices = ["cough", "fever"]', 'choices = ["cough", "fever"]\nitems = ["a", "b"]'),
    "weight": ('choices = ["cough", "fever"]', 'choices = ["cough", "fever"]\nweight = 0'),
    "strategy": ("[privacy]", '[strategy]\nkind = "guess"\n[privacy]'),
    "strategy of too many": ("[privacy]", '[strategy]\nkind = "sample"\nquestions = 9\n[privacy]'),
    "strategy of nothing": ("[privacy]", "[strategy]\nquestions = 2\n[privacy]"),
    "other language": ('text = "Do you smoke?"', 'text = {en = "Do you smoke?"}'),
    "no list": ("[[questions]]", "[questions]"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files(case: str) -> None:
    old, new = BAD[case]
    text = FILE.partition('[[questions]]\nname = "packs"')[0] if case == "no list" else FILE
    assert old in text
    with refused(StudyError, "study.toml"):
        Study.from_toml(text.replace(old, new, 1))


def test_a_file_without_questions() -> None:
    with refused(StudyError, r"[[questions]]"):
        Study.from_toml(FILE.partition("[[questions]]")[0])


def test_a_file_in_which_nothing_is_sensitive() -> None:
    plain = "".join(line for line in ULDP.splitlines(keepends=True) if not line.startswith(("sensitive", "prefer")))
    with refused(StudyError, "sensitive = [...]"):
        Study.from_toml(plain)


def test_one_question_is_planned() -> None:
    """An even split is the same, so it isn't compared."""
    study = read(FILE.partition('[[questions]]\nname = "packs"')[0])
    assert StrategyPlan.of(study).reason == "Each person reports about everything."


def test_a_study_can_be_open_for_a_day() -> None:
    study = read(FILE.replace("closes = 2027-04-01", "closes = 2027-03-01"))
    assert study.closed_on(date(2027, 2, 28)) == "This study opens on 2027-03-01."
    assert study.closed_on(date(2027, 3, 1)) is None
    assert study.closed_on(date(2027, 3, 2)) == "This study closed on 2027-03-01."
    assert Study.from_json(json.dumps(study.compile())).fingerprint == study.fingerprint


def test_bad_tables() -> None:
    study = read(FILE)
    table = answers(3)
    with refused(DomainError, "smoked"):
        study.perturb(table | {"smoked": ["yes"] * 3})
    with refused(DomainError, "age"):
        study.perturb({name: column for name, column in table.items() if name != "age"})
    with refused(DomainError):
        study.perturb(table | {"age": [1.0]})
    with refused(DomainError, "cold"):
        study.perturb(table | {"symptoms": [["cold"], [], []]})
    with refused(ParameterError, "as a whole"):
        study.plan(target=0.05)
    with refused(StudyError, "weight"):
        study.view("weight")
