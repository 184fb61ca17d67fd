"""Compiled questionnaires that someone wrote by hand: what claims more than it keeps, or means nothing, is refused with a sentence."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from messages import refused
from sottovoce.errors import DomainError, ParameterError, StudyError
from sottovoce.mechanisms.capped import capped_subset
from sottovoce.study.compiled import fingerprint_of
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.strategy_plan import StrategyPlan
from sottovoce.wire import describe

HEAD = 'name = "clinic"\ntitle = "Your health"\n[privacy]\nnotion = "uldp"\nepsilon = 1.0\n'
QUESTIONS = (
    '[[questions]]\nname = "hiv"\ntext = "HIV?"\nitems = ["yes", "no"]\nsensitive = ["yes", "no"]\n'
    '[[questions]]\nname = "age"\ntext = "Age?"\nitems = ["a", "b", "c"]\n'
    '[[questions]]\nname = "drugs"\ntext = "Which?"\nchoices = ["x", "y", "z"]\n'
)
TOGETHER = HEAD.replace("uldp", "ldp") + "".join(
    f'[[questions]]\nname = "{name}"\ntext = "?"\nitems = {size}\n{extra}'
    for name, size, extra in (("a", 2, 'together = "t"\n'), ("b", 3, 'together = "t"\n'), ("c", 2, ""))
)

Form = dict[str, Any]


@cache
def compiled(text: str = HEAD + QUESTIONS) -> Form:
    return sv.Study.from_toml(text).compile()


def forged(form: Form) -> sv.Study:
    form["fingerprint"] = fingerprint_of({key: value for key, value in form.items() if key not in {"promise", "fingerprint"}})
    return sv.Study.from_json(json.dumps(form))


def identity(size: int) -> Form:
    return describe(sv.identity(sv.Domain(size)).channel)


def clear(form: Form, fields: list[str], size: int) -> None:
    """Replace the part about a field by one that shows the answers to some fields as they are."""
    (part,) = [each for each in form["parts"] if each["fields"] == fields[:1]]
    part |= {"fields": fields, "mechanism": "identity", "epsilon": "inf", "channel": identity(size)}


def in_the_clear(form: Form) -> None:
    clear(form, ["hiv"], 2)


def a_box_in_the_clear(form: Form) -> None:
    clear(form, ["drugs: x"], 2)


def boxes_in_the_clear(form: Form) -> None:
    form["parts"] = [part for part in form["parts"] if not part["fields"][0].startswith("drugs")]
    form["parts"].append(
        {"fields": ["drugs: x", "drugs: y", "drugs: z"], "mechanism": "identity", "epsilon": "inf", "channel": identity(8)}
    )
    form["forms"] = [{"form": "1", "weight": str(1 << 64), "parts": list(range(len(form["parts"])))}]


def a_box_with_a_clear_question(form: Form) -> None:
    (part,) = [each for each in form["parts"] if each["fields"] == ["age"]]
    part |= {"fields": ["age", "drugs: x"], "channel": identity(6)}


def two_of_one_name(form: Form) -> None:
    form["questions"][2] |= {"name": "hiv", "answers": {"items": ["yes", "no", "z"]}}
    form["questions"] = [form["questions"][0], form["questions"][2], form["questions"][1] | {"after": {"hiv": ["yes"]}, "skipped": "n/a"}]


def a_capped_channel(form: Form) -> None:
    form["parts"][0]["channel"] = describe(capped_subset({f"b{k}": 2 for k in range(5)}, 2, 1.0, chosen=1).channel)


def a_product(form: Form) -> None:
    channel = form["parts"][0]["channel"]
    form["parts"][0]["channel"] = {"kind": "product", "parts": [channel]}


def deep_products(form: Form) -> None:
    channel = form["parts"][0]["channel"]
    for _ in range(100):
        channel = {"kind": "product", "parts": [channel]}
    form["parts"][0]["channel"] = channel


def setting(*path: Any) -> Callable[[Any], Callable[[Form], None]]:
    """Writes a value at a place of the form."""

    def to(value: Any) -> Callable[[Form], None]:
        def change(form: Form) -> None:
            place = form
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value

        return change

    return to


def depending(place: int, after: Form) -> Callable[[Form], None]:
    """Lets a question depend on others."""
    return lambda form: form["questions"][place].update(after=after, skipped="n/a")


CHANGES: dict[str, Callable[[Form], None]] = {
    "a sensitive question in the clear": in_the_clear,
    "a box in the clear": a_box_in_the_clear,
    "all boxes in the clear": boxes_in_the_clear,
    "a box beside a clear question": a_box_with_a_clear_question,
    "two questions of one name": two_of_one_name,
    "a capped channel": a_capped_channel,
    "a product": a_product,
    "products in products": deep_products,
    "a larger cap": setting("parts", 0, "at_most")(2),
    "dates that are a number": setting("dates")(5),
    "a day that is none": setting("dates")({"opens": "foo"}),
    "days the wrong way round": setting("dates")({"opens": "2027-02-01", "closes": "2027-01-01"}),
    "a title that is a text": setting("texts", "title")("How?"),
    "no title": setting("texts", "title")({}),
    "a title that is a number": setting("texts", "title")({"": 5}),
    "a title with half a character": setting("texts", "title")({"": "\ud800"}),
    "a question without a text": setting("questions", 0, "texts")({"text": {}}),
    "after a later question": depending(0, {"age": ["a"]}),
    "after itself": depending(1, {"age": ["a"]}),
    "after choices": depending(2, {"drugs": ["x"]}),
    "after an answer that is not there": depending(1, {"hiv": ["maybe"]}),
    "after nothing": depending(1, {"hiv": []}),
    "skipped without after": setting("questions", 1, "skipped")("n/a"),
    "a form without a name": setting("forms", 0, "form")(None),
    "a form called by a number": setting("forms", 0, "form")(1),
    "two forms of one name": setting("forms", 1, "form")("1"),
    "a weight that is none": setting("questions", 0, "weight")("nan"),
    "a negative weight": setting("questions", 0, "weight")("-1"),
    "no weight": setting("questions", 0, "weight")("0"),
    "a huge minimum": setting("minimum")(10**30),
    "no budget": setting("privacy", "epsilon")("inf"),
    "an unknown key": setting("more")(1),
    "an unknown key of a part": setting("parts", 0, "more")(1),
    "a part about nothing": setting("parts", 0, "fields")([]),
    "a part about something else": setting("parts", 0, "fields")(["weight"]),
    "a part that is not there": setting("forms", 0, "parts")([99]),
    "a sensitive item that is not there": setting("questions", 0, "sensitive")([0, 7]),
    "a negative sensitive item": setting("questions", 0, "sensitive")([0, -1]),
    "a sensitive item that is listed twice": setting("questions", 0, "sensitive")([0, 1, 1]),
    "an empty text": setting("questions", 0, "texts")({"text": {"": " "}}),
    "items that are written alike": setting("questions", 1, "answers", "items")([1, "1", "c"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_questionnaire_is_refused(change: str) -> None:
    form = copy.deepcopy(compiled())
    assert forged(copy.deepcopy(form)).fingerprint
    CHANGES[change](form)
    with refused(StudyError, "study.json"):
        forged(form)


@pytest.mark.parametrize("fields", [["b", "a"], ["a"], ["a", "a"], ["a", "c"]])
def test_questions_that_are_asked_together_stay_so(fields: list[str]) -> None:
    form = copy.deepcopy(compiled(TOGETHER))
    (part,) = [part for part in form["parts"] if part["fields"] == ["a", "b"]]
    part["fields"] = fields
    with refused(StudyError, "study.json"):
        forged(form)


def test_codes_of_boxes_are_checked() -> None:
    part = capped_subset({f"b{k}": 2 for k in range(5)}, 2, 1.0)
    with refused(DomainError, "5 boxes"):
        part.channel.combined([np.array([1, 7])], part.sizes)
    with refused(DomainError, "5 boxes"):
        part.channel.combined([np.array([1, -1])] * 5, part.sizes)


@pytest.mark.parametrize(("boxes", "cap"), [(10**6, 10**5), (10**9, 3), (20_000, 10_000)])
def test_channels_that_would_take_for_ever_are_refused_at_once(boxes: int, cap: int) -> None:
    form = {"kind": "capped", "boxes": boxes, "marks": 0, "cap": cap, "chosen": 3, "include": str(1 << 63)}
    from sottovoce.wire import restore

    with refused(ParameterError, f"{boxes:,}"):
        restore(form)


def test_small_budgets_and_many_questions() -> None:
    for epsilon, number in ((1e-6, 5), (1e-4, 20), (1e-3, 5), (40.0, 3)):
        text = f'name = "q"\ntitle = "T"\n[privacy]\nnotion = "ldp"\nepsilon = {epsilon!r}\n[strategy]\nkind = "split"\n'
        text += "".join(f'[[questions]]\nname = "q{k}"\ntext = "?"\nitems = ["yes", "no"]\n' for k in range(number))
        if epsilon < 1e-5:
            with refused(StudyError, "1e-06"):
                sv.Study.from_toml(text)
            continue
        study = sv.Study.from_toml(text)
        assert isinstance(study, Questionnaire)
        assert 0.99 * epsilon <= study.mechanism.level <= epsilon
    text = 'name = "q"\ntitle = "T"\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n'
    text += f'[[questions]]\nname = "q"\ntext = "?"\nchoices = {json.dumps([f"c{k}" for k in range(150)])}\n'
    with refused(StudyError, "150"):
        sv.Study.from_toml(text)
    capped = sv.Study.from_toml(text + "at_most = 3\n")
    assert len(capped.questions[0].fields) == 150


@pytest.mark.parametrize(
    "question",
    [
        'name = "a: b"\nitems = 3',
        'name = "q"\nchoices = ["x;y", "z"]',
        'name = "q"\nchoices = ["x", "z"]\nprefer_not_to_say = "no; never"',
        'name = "q"\nnumbers = {from = 0, to = 10, bins = 5}\nprefer_not_to_say = "5"',
        'name = "q"\nitems = 3\nweight = 1e-9',
    ],
)
def test_names_and_labels_that_mean_something_else(question: str) -> None:
    text = f'name = "q"\ntitle = "T"\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n[[questions]]\ntext = "?"\n{question}\n'
    with refused(StudyError, "study.toml"):
        sv.Study.from_toml(text)


def test_a_compiled_questionnaire_is_planned_already() -> None:
    study = forged(copy.deepcopy(compiled()))
    assert isinstance(study, Questionnaire)
    with refused(ParameterError, "sottovoce check"):
        StrategyPlan.of(study)
    with refused(DomainError, "missing"):
        study.mechanism.perturb({})
