"""Vectors of questionnaires: people with recorded words, the form that each draws, and exactly what her device sends."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

import sottovoce as sv
from sottovoce.channels import CappedChannel
from sottovoce.channels.columns import Ratio
from sottovoce.mechanisms import Form, Forms, Mechanism, Part
from sottovoce.notions import RecordULDP
from sottovoce.notions.beliefs import of_hundred, posterior
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.questions import Question

PEOPLE = 12
HEAD = 'name = "wellbeing"\ntitle = "How are you?"\n'


def asked(name: str, answers: str, *more: str) -> str:
    """A question of a study file."""
    return "\n".join(["[[questions]]", f'name = "{name}"', f'text = "{name}?"', answers, *more, ""])


def promised(epsilon: float | str, notion: str = "ldp", *strategy: str) -> str:
    """The guarantee of a study file, as ε or as levels, and its strategy."""
    budget = f"levels = {epsilon}" if isinstance(epsilon, str) else f"epsilon = {epsilon}"
    return "\n".join(["[privacy]", f'notion = "{notion}"', budget, *(["[strategy]", *strategy] if strategy else []), ""])


YES = 'items = ["yes", "no"]'
REFUSED, OTHER = "prefer_not_to_say = true", 'other = "something else"'
AGE = "numbers = {from = 18, to = 98, bins = 20}"
MOOD = 'scale = ["awful", "bad", "fair", "good", "great"]'
PLACE = "grid = {latitude = [40.70, 40.80], longitude = [-74.04, -73.92], shape = [4, 5]}"
BOXES = 'choices = ["cough", "fever", "headache", "rash", "nausea", "cramps"]'
HIDDEN = 'items = ["hiv", "cancer", "flu", "none"]'

TEXTS = {
    "sample": HEAD
    + promised(4.0, "ldp", 'kind = "sample"', "questions = 2")
    + asked("smokes", YES)
    + asked("age", AGE)
    + asked("mood", MOOD, OTHER)
    + asked("home", PLACE),
    "block": HEAD
    + promised(3.0, "ldp", 'kind = "block"', "questions = 3")
    + "".join(asked(f"q{k}", YES) for k in range(5))
    + asked("mood", MOOD),
    "split": HEAD + promised(6.0, "ldp", 'kind = "split"') + asked("smokes", YES) + asked("age", AGE) + asked("town", "items = 300"),
    "mixed": HEAD + promised(8.0) + "".join(asked(f"q{k}", YES) for k in range(4)) + asked("age", AGE) + asked("mood", "scale = [1, 5]"),
    "together": HEAD
    + promised(3.0)
    + asked("smokes", YES, 'together = "home"', REFUSED)
    + asked("drinks", YES, 'together = "home"', "weight = 2")
    + asked("town", "items = 40"),
    "capped": HEAD + promised(4.0) + asked("smokes", YES) + asked("symptoms", BOXES, "at_most = 2"),
    "capped-extras": HEAD
    + promised(4.0)
    + asked("smokes", YES)
    + asked("symptoms", BOXES, OTHER, REFUSED, "at_most = 3", 'after = {smokes = "yes"}'),
    "choices": HEAD + promised(2.0) + asked("smokes", YES) + asked("symptoms", BOXES, OTHER, REFUSED, 'after = {smokes = "yes"}'),
    "numbers": HEAD
    + promised(1.5)
    + asked("age", "numbers = {from = 18, to = 98, bins = 40, whole = true}")
    + asked("income", "numbers = {edges = [-inf, 0, 1000.5, 3000, inf]}"),
    "extras": 'ask = "all"\npaged = false\nlanguages = ["en", "de"]\nopens = 2020-01-01\ncloses = 9998-12-31\n'
     'consent = {en = "I agree.", de = "Ich stimme zu."}\n'
    + HEAD
    + promised(4.0)
    + asked("works", YES, REFUSED)
    + asked("job", 'items = ["nurse", "teacher"]', OTHER, REFUSED, 'after = {works = "yes"}')
    + asked("hours", AGE.replace("18", "0"), REFUSED, 'after = {works = "yes", job = ["nurse", "something else"]}')
    + asked("mood", MOOD, OTHER, REFUSED, 'after = {job = ["prefer not to say", "does not apply"]}'),
    "uldp": HEAD
    + promised(2.0, "uldp")
    + asked("illness", HIDDEN, 'sensitive = ["hiv", "cancer"]', REFUSED)
    + asked("pills", 'items = ["one", "more"]', 'after = {illness = "hiv"}')
    + asked("sport", YES, 'after = {illness = "none"}')
    + asked("symptoms", 'choices = ["cough", "fever"]')
    + asked("age", AGE, "sensitive = [{from = 18, to = 30}]")
    + asked("town", "items = 300")
    + asked("home", PLACE),
    "levels": 'languages = ["en", "de"]\n'
    + HEAD
    + promised("{careful = 1.5, usual = 4.0}\nlabels.de = {careful = 'vorsichtig', usual = 'üblich'}")
    + asked("smokes", YES, REFUSED)
    + asked("age", AGE)
    + asked("symptoms", 'choices = ["cough", "fever", "none of these"]')
    + asked("town", "items = 40"),
}  # fmt: skip

#: Keys of the canonical form that code points and UTF-16 units sort differently, and names that objects of some languages have anyway.
ORDERED = (
    'languages = ["en", "de"]\n'
    + HEAD
    + promised(4.0, "ldp", 'kind = "split"')
    + asked(
        "constructor",
        'items = ["\U0001f600 good", "\uff01 bad", "toString"]',
        'labels.de = {"\U0001f600 good" = "gut", "\uff01 bad" = "schlecht"}',
    )
    + asked("__proto__", YES, REFUSED, 'after = {constructor = "toString"}')
)


def channels(notion: str) -> Questionnaire:
    """A questionnaire with a part for every kind of channel, in two forms."""
    numbered = "numbers = {from = 0, to = 10, bins = 10}"

    def lifted(base: Callable[[sv.Domain, float], Mechanism], protected: Sequence[Any]) -> Callable[[sv.Domain], Mechanism]:
        return lambda domain: sv.utility_optimized(base(domain.subset(protected), 1.0), domain)

    if notion == "ldp":
        epsilon = 7.05
        makers: dict[str, tuple[str, Callable[[sv.Domain], Mechanism]]] = {
            "krr": ("items = 300", lambda domain: sv.krr(domain, 1.0)),
            "oue": ("items = 70", lambda domain: sv.oue(domain, 1.0)),
            "olh": ("items = 40", lambda domain: sv.olh(domain, 1.0)),
            "hadamard": ("items = 300", lambda domain: sv.hadamard(domain, 1.0)),
            "subset": ("items = 9", lambda domain: sv.subset_selection(domain, 1.0)),
            "matrix": ("items = 3", lambda domain: sv.from_matrix(domain, sv.krr(domain, 1.0).channel.matrix(), sv.LDP(1.001))),
            "window": (numbered, lambda domain: sv.window(domain, 1.0)),
        }
    else:
        epsilon = 7.05
        some = 'sensitive = ["a", "b", "c"]'
        letters = 'items = ["a", "b", "c", "d", "e"]\n' + some
        protected = ["a", "b", "c", "prefer not to say"]
        makers = {
            "urr": (letters, lambda domain: sv.urr(domain, 1.0, protected)),
            "ubd": (letters, lambda domain: sv.ubd(domain, 1.0, protected)),
            "oue": (letters, lifted(sv.oue, protected)),
            "subset": (letters, lifted(sv.subset_selection, protected)),
            "hadamard": (letters, lifted(sv.hadamard, protected)),
            "olh": (letters, lifted(sv.olh, protected)),
            "window": (numbered + "\nsensitive = [{from = 0, to = 5}]", lambda domain: lifted(sv.window, domain.between(0, 5))(domain)),
            "clear": ("items = 300", sv.identity),
        }
    text = HEAD + promised(epsilon, notion)
    for name, (answers, _) in makers.items():
        text += asked(name, answers, *([REFUSED] if "items" in answers and "sensitive" in answers else []))
    planned = sv.Study.from_toml(text)
    assert isinstance(planned, Questionnaire)
    parts = [Part.of(makers[each.name][1](each.domain), {each.name: len(each.domain)}) for each in planned.questions]
    claim = sv.LDP(epsilon) if notion == "ldp" else RecordULDP(epsilon)
    forms = Forms({"all": Form.of(parts, claim), "few": Form.of(parts[::-2], claim)}, [1 << 63, 1 << 63])
    return Questionnaire.of(planned.written, forms)


def questionnaires() -> dict[str, Questionnaire]:
    """One of every kind and strategy."""
    found: dict[str, Questionnaire] = {}
    for name, text in TEXTS.items():
        study = sv.Study.from_toml(text)
        assert isinstance(study, Questionnaire)
        found[name] = study
    ordered = sv.Study.from_toml(ORDERED)
    assert isinstance(ordered, Questionnaire)
    return found | {"channels": channels("ldp"), "channels-uldp": channels("uldp"), "ordered": ordered}


def questionnaire_case(number: int, study: Questionnaire) -> dict[str, Any]:
    """A compiled questionnaire, people, and for each level what an answer costs and what 1 in 100 and 50 in 100 can become."""
    random, source = np.random.default_rng(7000 + number), sv.SeededSource(7000 + number)
    tiers = list(study.mechanism.tiers)
    people = [_person(study, tiers[k % len(tiers)], random, source) for k in range(PEOPLE)]
    after = {tier: _beliefs(study.mechanism.raised(tier)) for tier in tiers}
    return {"study": study.compile(), "price": {tier: _price(study.mechanism, tier) for tier in tiers}, "beliefs": after, "people": people}


def _beliefs(ratio: Ratio) -> list[float]:
    return [of_hundred(ratio), math.ceil(100 * posterior(Fraction(1, 2), ratio))]


def _person(study: Questionnaire, level: str, random: np.random.Generator, source: sv.SeededSource) -> dict[str, Any]:
    words = source.take(4000)
    replayed = sv.ReplaySource(words)
    answers = {each.name: _answer(each, random) for each in study.questions}
    table: dict[str, Any] = {name: [tuple(each) if isinstance(each, list) and name == "home" else each] for name, each in answers.items()}
    reports = study.perturb(table | ({"level": [level]} if level else {}), replayed)
    read = words[: len(words) - replayed.remaining]
    submission = json.loads(sv.wire.lines(study.fingerprint, reports))
    form = study.mechanism.groups[submission["level"]]
    reported = [each.name for each in study.questions if set(each.fields) & set(form.questions)]
    return {
        "level": level,
        "answers": answers,
        "words": [f"{word:016x}" for word in read.tolist()],
        "asked": {"form": submission["level"], "level": level, "reported": reported, "needed": _needed(study.questions, reported)},
        "submission": {"level": submission["level"], "report": submission["report"]},
    }


def _answer(question: Question, random: np.random.Generator) -> Any:
    """An answer, also to a question that isn't asked: what is sent doesn't depend on it then."""
    if question.refusal is not None and random.random() < 0.2:
        return [question.refusal] if question.choices else question.refusal
    if question.choices:
        labels = list(question.choosable)
        most = len(labels) if question.at_most is None else question.at_most
        return [labels[k] for k in sorted(random.choice(len(labels), random.integers(0, most + 1), replace=False))]
    if question.answers.edges is not None:
        return [float(random.integers(-10, 120)), round(float(random.uniform(0, 100)), 2)][int(random.integers(2))]
    item: Any = question.choosable.item(int(random.integers(len(question.choosable))))
    return list(item) if isinstance(item, tuple) else item


def _needed(questions: Sequence[Question], reported: Sequence[str]) -> list[str]:
    """The questions that a person sees: those of her form, and the earlier ones on which they depend."""
    found = set(reported)
    for question in reversed(questions):
        if question.name in found:
            found.update(question.after)
    return [each.name for each in questions if each.name in found]


def _price(forms: Forms, level: str) -> Mapping[str, Any]:
    """The certified level in thousandths, rounded up, and whether some report shows an answer as it is."""
    parts = [part for name in forms.tiers[level] for part in forms.groups[name].parts]
    shown = any(not isinstance(part.channel, CappedChannel) and bool(np.any(part.channel.columns.invertible)) for part in parts)
    certified = Fraction(forms.levels[level])
    thousandths = next(k for k in range(80_001) if Fraction(k / 1000) >= certified)
    return {"epsilon": thousandths / 1000, "shown": int(shown)}
