"""Questionnaires whose respondents choose a level: forms of their own, one draw within the level, and estimates from everybody."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from messages import refused, wording
from sottovoce.arithmetic import ONE
from sottovoce.errors import ClaimError, DomainError, ParameterError, StudyError
from sottovoce.findings.questionnaire import QuestionnaireFindings
from sottovoce.findings.questionnaire_precision import QuestionnairePrecision
from sottovoce.mechanisms import Form, Forms, Part
from sottovoce.notions import LDP, RecordULDP
from sottovoce.study import Study
from sottovoce.study.compiled import fingerprint_of
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.strategy_plan import StrategyPlan
from studies import QUESTIONNAIRES

ULDP = QUESTIONNAIRES["in-part"].replace("epsilon = 2.0", "levels = {careful = 0.5, usual = 2.0}")


def read(text: str) -> Questionnaire:
    study = Study.from_toml(text)
    assert isinstance(study, Questionnaire)
    return study


@pytest.fixture(scope="module")
def study() -> Questionnaire:
    return read(QUESTIONNAIRES["tiers"])


def table(people: int, seed: int = 1) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    ticked = random.random((people, 3)) < [0.4, 0.2, 0.1]
    return {
        "level": random.choice(["careful", "usual"], people, p=[0.6, 0.4]),
        "smokes": random.choice(["yes", "no", "prefer not to say"], people, p=[0.3, 0.6, 0.1]),
        "age": random.uniform(18, 98, people),
        "symptoms": [[name for name, on in zip(("cough", "fever", "none of these"), row, strict=True) if on] for row in ticked],
        "town": random.integers(40, size=people),
    }


def test_each_level_is_planned_for_its_own_budget(study: Questionnaire) -> None:
    """The forms of a level are those of a questionnaire with its ε."""
    assert study.levels == ("careful", "usual")
    for tier, epsilon in {"careful": 1.5, "usual": 4.0}.items():
        alone = read(QUESTIONNAIRES["tiers"].replace("levels = {careful = 1.5, usual = 4.0}", f"epsilon = {epsilon}"))
        names = study.mechanism.tiers[tier]
        assert names == tuple(f"{tier}/{name}" for name in alone.mechanism.names)
        assert [study.mechanism.groups[name].parts for name in names] == [form.parts for form in alone.mechanism.groups.values()]
        assert study.mechanism.levels[tier] == alone.mechanism.level <= epsilon
        assert study.mechanism.claims[tier] == LDP(epsilon)
    assert study.mechanism.claim == LDP(4.0)
    assert study.written.epsilon == 4.0
    weights = dict(zip(study.mechanism.names, study.mechanism.weights, strict=True))
    assert [sum(weights[name] for name in names) for names in study.mechanism.tiers.values()] == [ONE, ONE]


def test_the_form_is_drawn_within_the_level(study: Questionnaire) -> None:
    """One word for each person, whose form is that of a questionnaire with her level only, whatever the others choose."""
    forms, people = study.mechanism, 40_000
    levels = np.random.default_rng(3).integers(2, size=people)
    words = sv.SeededSource(4).take(people)
    source = sv.ReplaySource(words)
    drawn = forms.draw(people, source, levels)
    assert len(source.take(1)) == 0
    names = np.array(forms.names)[drawn]
    weights = dict(zip(forms.names, forms.weights, strict=True))
    for rank, (tier, mine) in enumerate(forms.tiers.items()):
        here = levels == rank
        assert set(names[here]) <= set(mine)
        alone = Forms({name: forms.groups[name] for name in mine}, [weights[name] for name in mine])
        assert np.array_equal(names[here], np.array(mine)[alone.draw(int(here.sum()), sv.ReplaySource(words[here]))])
        counts = np.array([(names[here] == name).sum() for name in mine])
        expected = np.array([weights[name] / ONE for name in mine]) * here.sum()
        assert ((counts - expected) ** 2 / expected).sum() < 60, tier  # chi-squared with at most 12 degrees of freedom


def test_the_form_does_not_depend_on_the_answers(study: Questionnaire) -> None:
    first, second = table(500, 1), table(500, 2)
    second["level"] = first["level"]
    drawn = [study.perturb(each, sv.SeededSource(3)).levels.tolist() for each in (first, second)]
    assert drawn[0] == drawn[1]


def test_the_names_of_levels_need_not_be_plain() -> None:
    study = read(QUESTIONNAIRES["tiers"].replace("{careful = 1.5, usual = 4.0}", '{"a" = 1.5, "a/1" = 4.0, "Σ b" = 1.5}'))
    assert len(set(study.mechanism.names)) == sum(map(len, study.mechanism.tiers.values()))
    again = Study.from_json(json.dumps(study.compile()))
    assert again.mechanism == study.mechanism
    assert (again.levels, again.fingerprint) == (("a", "a/1", "Σ b"), study.fingerprint)


def test_one_level_with_a_name_is_chosen_too() -> None:
    study = read(QUESTIONNAIRES["tiers"].replace(", usual = 4.0", ""))
    assert study.levels == ("careful",)
    with refused(DomainError, "careful"):
        study.perturb({name: column for name, column in table(3).items() if name != "level"})
    with refused(DomainError, "careful"):
        study.mechanism.draw(3)


@pytest.mark.parametrize("text", [QUESTIONNAIRES["tiers"], ULDP], ids=["ldp", "uldp"])
def test_estimates_use_everybody_and_cover_the_truth(text: str) -> None:
    study, people = read(text), 60_000
    answers = {name: column for name, column in table(people).items() if name in {"level", *(each.name for each in study.questions)}}
    answers["smokes"] = np.where(answers["smokes"] == "prefer not to say", "no", answers["smokes"])
    tally = sv.Tally(study.mechanism, keep_reports=True).add(study.perturb(answers, sv.SeededSource(7)))
    counted = study.tallies(tally)
    found = study.estimates(tally)
    for theme in study.asking.themes:
        asked = sum(block.n for block in tally.blocks if set(theme.fields) <= set(study.mechanism.groups[block.name].questions))
        assert counted[theme.name].n == found[theme.name].n == asked > 0
    truth = {
        "smokes": np.mean(answers["smokes"] == "yes"),
        "symptoms: cough": np.mean(["cough" in each for each in answers["symptoms"]]),
        "town": np.mean(answers["town"] == 0),
    }
    for name, share in truth.items():
        low, high = found[name].interval(1 - 1e-6)
        assert low[0] <= share <= high[0], name
    usual = np.isin(np.array(study.mechanism.names), study.mechanism.tiers["usual"])
    reports = study.perturb(answers, sv.SeededSource(7))
    some = study.estimates(sv.Tally(study.mechanism, keep_reports=True).add(reports[np.flatnonzero(usual[reports.levels])]))
    for name in truth:  # the reports of the careful level make them more precise
        assert found[name].stderr[0] <= some[name].stderr[0] * 1.001, name


def test_a_level_that_no_one_chose(study: Questionnaire) -> None:
    answers = table(3000) | {"level": ["usual"] * 3000}
    tally = sv.Tally(study.mechanism).add(study.perturb(answers, sv.SeededSource(1)))
    assert {block.name.partition("/")[0] for block in tally.blocks if block.n} == {"usual"}
    assert all(each.n for each in study.estimates(tally).values())


def asked(study: Questionnaire, tally: sv.Tally) -> Mapping[str, float]:
    return QuestionnairePrecision.of(study, tally, QuestionnaireFindings.of(study, tally)).asked


def test_the_outlook_counts_on_the_levels_that_people_choose(study: Questionnaire) -> None:
    weights = dict(zip(study.mechanism.names, study.mechanism.weights, strict=True))
    chance = {
        tier: sum(weights[name] for name in names if "age" in study.mechanism.groups[name].questions) / ONE
        for tier, names in study.mechanism.tiers.items()
    }
    assert chance["careful"] != chance["usual"]
    answers = table(1000) | {"level": ["careful"] * 900 + ["usual"] * 100}
    tally = sv.Tally(study.mechanism).add(study.perturb(answers, sv.SeededSource(1)))
    assert asked(study, tally)["age"] == pytest.approx(0.9 * chance["careful"] + 0.1 * chance["usual"])
    assert asked(study, sv.Tally(study.mechanism))["age"] == pytest.approx(sum(chance.values()) / 2)


def test_the_guarantee_is_explained_level_by_level(study: Questionnaire) -> None:
    wording(study.explain())
    wording(read(ULDP).explain())
    assert read(ULDP).mechanism.claims == {"careful": RecordULDP(0.5), "usual": RecordULDP(2.0)}


def test_a_level_is_planned(study: Questionnaire) -> None:
    plans = {level: StrategyPlan.of(study, 10_000, level=level) for level in (None, "careful", "usual")}
    assert plans[None] == plans["careful"]
    assert [plan.to_dict()["level"] for plan in plans.values()] == ["careful", "careful", "usual"]
    assert [plan.to_dict()["epsilon"] for plan in plans.values()] == [1.5, 1.5, 4.0]
    assert plans["usual"].used.total < plans["careful"].used.total
    with refused(StudyError, "loud"):
        StrategyPlan.of(study, level="loud")
    with refused(StudyError, "usual"):
        StrategyPlan.of(read(QUESTIONNAIRES["block"]), level="usual")


# ---- bad input ----


def test_bad_tables(study: Questionnaire) -> None:
    good = table(3)
    with refused(DomainError, "level"):
        study.perturb({name: column for name, column in good.items() if name != "level"})
    with refused(DomainError, "loud"):
        study.perturb(good | {"level": ["careful", "loud", "usual"]})
    with refused(DomainError, "None"):
        study.perturb(good | {"level": ["careful", None, "usual"]})
    with refused(DomainError):
        study.perturb(good | {"level": ["careful", "usual"]})
    with refused(DomainError, "level"):
        read(QUESTIONNAIRES["block"]).perturb(good)
    with refused(DomainError, 2):
        study.mechanism.draw(3, levels=np.array([0, 1, 2]))
    with refused(DomainError, 3):
        study.mechanism.draw(3, levels=np.array([0, 1]))


def alone(epsilon: float, claimed: float | None = None) -> Form:
    return Form.of([Part.of(sv.krr(sv.Domain(2), epsilon), {"a": 2})], LDP(claimed or epsilon))


def test_bad_forms() -> None:
    one, two = alone(1.0), alone(2.0)
    assert Forms({"low/1": one, "high/1": two}, [ONE, ONE], {"low": ["low/1"], "high": ["high/1"]}).levels == {"low": 1.0, "high": 2.0}
    with refused(ParameterError):  # they sum to one over both levels, and not within each
        Forms({"low/1": one, "high/1": two}, [ONE // 2, ONE // 2], {"low": ["low/1"], "high": ["high/1"]})
    with refused(ParameterError):
        Forms({"1": one, "2": two}, [ONE // 2, ONE // 2], {"low": ["1", "2"]})
    with refused(ParameterError):
        Forms({"1": one, "2": Form.of(two.parts, RecordULDP(2.0))}, [ONE, ONE], {"low": ["1"], "high": ["2"]})
    tiers: list[dict[str, list[str]]] = [
        {"low": ["1"]},
        {"low": ["2"], "high": ["1"]},
        {"low": ["1", "2"], "high": []},
        {"low": ["1"], "high": ["1"]},
    ]
    for wrong in tiers:
        with refused(DomainError):
            Forms({"1": one, "2": two}, [ONE, ONE], wrong)
    with refused(DomainError):
        Forms.of_levels({"low": Forms({"1": one}, [ONE]), "high": Forms({"1": two}, [ONE])})
    with refused(ClaimError, 1):
        alone(2.0, 1.0)
    many = {
        tier: Forms({f"{tier}/{k}": one for k in range(64)}, [ONE // 64] * 64, {tier: [f"{tier}/{k}" for k in range(64)]}) for tier in "abc"
    }
    with refused(ParameterError, 192, 128):
        Forms.of_levels(many)


def test_too_many_forms_are_refused_with_their_line() -> None:
    levels = ", ".join(f"l{k} = {1 + k / 100}" for k in range(40))
    with refused(StudyError, "40 levels", "128"):
        read(QUESTIONNAIRES["tiers"].replace("careful = 1.5, usual = 4.0", levels))


def broken(form: dict[str, Any], case: str) -> None:
    """Change a compiled study with levels, and give it the fingerprint that fits."""
    levels, forms = form["privacy"]["levels"], form["forms"]
    if case == "no levels":
        form["privacy"] = {"notion": "ldp", "epsilon": "4.0"}
    elif case == "swapped claims":
        levels[0]["epsilon"], levels[1]["epsilon"] = levels[1]["epsilon"], levels[0]["epsilon"]
    elif case == "a level twice":
        levels[1]["level"] = "careful"
    elif case == "unknown level":
        forms[0]["level"] = "loud"
    elif case == "a form of no level":
        del forms[0]["level"]
    elif case == "a form of the other level":
        forms[-1]["level"] = "careful"
    elif case == "a level without forms":
        levels.append({"level": "more", "epsilon": "5.0"})
    elif case == "not level by level":
        forms.reverse()
    elif case == "a name twice":
        forms[1]["form"] = forms[0]["form"]
    elif case == "weights":
        forms[0]["weight"] = str(int(forms[0]["weight"]) - 1)
    elif case == "one question is asked in one level only":
        of_age = {place for place, part in enumerate(form["parts"]) if "age" in part["fields"]}
        kept = [each for each in forms if each["level"] == "usual" or not of_age & set(each["parts"])]
        kept[0]["weight"] = str(ONE - sum(int(each["weight"]) for each in kept[1:] if each["level"] == "careful"))
        form["forms"] = kept
    hashed = {key: value for key, value in form.items() if key not in {"promise", "fingerprint"}}
    form["fingerprint"] = fingerprint_of(hashed)


CASES = [
    "no levels",
    "swapped claims",
    "a level twice",
    "unknown level",
    "a form of no level",
    "a form of the other level",
    "a level without forms",
    "not level by level",
    "a name twice",
    "weights",
    "one question is asked in one level only",
]


@pytest.mark.parametrize("case", CASES)
def test_broken_compiled_studies_are_refused(study: Questionnaire, case: str) -> None:
    form = json.loads(json.dumps(study.compile()))
    broken(form, case)
    with refused(StudyError, "study.json"):
        Study.from_json(json.dumps(form))
