"""Questionnaires that every client must refuse. The fingerprint fits unless that is what is wrong."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from refused import drop, put

import sottovoce as sv
from questionnaires import questionnaires
from sottovoce.mechanisms.capped import capped_subset
from sottovoce.study.compiled import fingerprint_of
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.wire import describe

Form = Any
Change = Callable[[Form], Any]
ONE = 1 << 64


@cache
def _good() -> dict[str, Questionnaire]:
    return questionnaires()


def refused() -> Iterator[tuple[str, dict[str, Any]]]:
    """Questionnaires that every client must refuse, with a fingerprint that fits unless that is what is wrong."""
    for kind, study in _good().items():
        yield f"questionnaire-broken-promise-{kind}", _changed(kind, _promise_more)
        yield f"questionnaire-fingerprint-{kind}", study.compile() | {"minimum": 7}
    for name, kind, change in CHANGES:
        yield f"questionnaire-{name}", _changed(kind, change)


def _changed(kind: str, change: Change) -> dict[str, Any]:
    form = copy.deepcopy(_good()[kind].compile())
    change(form)
    return form | {"fingerprint": fingerprint_of({key: value for key, value in form.items() if key not in {"promise", "fingerprint"}})}


def _promise_more(form: Form) -> None:
    """Promise a few hundredths more than the forms keep: each part keeps what it claims."""
    for each in form["privacy"].get("levels", [form["privacy"]]):
        each["epsilon"] = repr(float(each["epsilon"]) * 0.97)


def _identity(size: int) -> dict[str, Any]:
    return describe(sv.identity(sv.Domain(size)).channel)


def _clear(field: str, size: int, **more: Any) -> Change:
    """The answers to a field are sent as they are."""

    def change(form: Form) -> None:
        for part in form["parts"]:
            if part["fields"] == [field]:
                part.update({"mechanism": "identity", "epsilon": "inf", "channel": _identity(size)} | more)

    return change


def _part(field: str, **more: Any) -> Change:
    """Change the first part about a field."""
    return lambda form: next(part for part in form["parts"] if field in part["fields"]).update(more)


def _more_noise(form: Form) -> None:
    """A direct part that tells the truth a little more often, with a budget as before."""
    channel = next(part["channel"] for part in form["parts"] if part["channel"]["kind"] == "direct")
    channel["truth"] = str(int(channel["truth"]) + (1 << 55))
    channel["noise"][0] = str(int(channel["noise"][0]) - (1 << 55))


def _one_form_more(form: Form) -> None:
    """A form with the parts of two: each keeps its own budget, and together they don't."""
    first, second = form["forms"][:2]
    first["parts"] = [*first["parts"], *second["parts"]]


def _twice(form: Form) -> None:
    """A form with a part twice."""
    form["forms"][0]["parts"] *= 2


def _a_capped_channel(form: Form) -> None:
    form["parts"][0]["channel"] = describe(capped_subset({f"b{k}": 2 for k in range(5)}, 2, 1.0, chosen=1).channel)


def _a_product(form: Form) -> None:
    form["parts"][0]["channel"] = {"kind": "product", "parts": [form["parts"][0]["channel"]]}


def _depending(place: int, after: dict[str, list[str]]) -> Change:
    """Let a question depend on others."""
    return lambda form: form["questions"][place].update(after=after, skipped="does not apply")


def _never_asked(form: Form) -> None:
    """All people get the first form."""
    form["forms"] = [form["forms"][0] | {"weight": str(ONE)}]


def _levels_mixed(form: Form) -> None:
    """The forms of two levels take turns."""
    form["forms"].insert(0, form["forms"].pop())


def _labels(**labels: Any) -> Change:
    """Levels that are called so in German."""
    return lambda form: form["privacy"].update(labels={"de": labels})


def _one_level_without_forms(form: Form) -> None:
    form["privacy"]["levels"].append({"level": "open", "epsilon": "8.0"})


def _cap(size: int) -> Change:
    """Another cap everywhere but in the tables."""

    def change(form: Form) -> None:
        for each in (*form["questions"], *form["parts"]):
            if "at_most" in each:
                each["at_most"] = size

    return change


def _capped(**more: Any) -> Change:
    return lambda form: next(part for part in form["parts"] if "at_most" in part)["channel"].update(more)


BOTH = ["symptoms: cough", "symptoms: fever"]
_Q, _F = "questions.0", "forms.0"
#: Names, kinds of questionnaires, and what is done to them.
CHANGES: list[tuple[str, str, Change]] = [
    ("version", "sample", put("sottovoce", 1)),
    ("unknown-key", "sample", put("extra", 1)),
    ("unknown-key-of-a-question", "sample", put(f"{_Q}.extra", 1)),
    ("unknown-key-of-a-part", "sample", put("parts.0.extra", 1)),
    ("unknown-key-of-a-form", "sample", put(f"{_F}.extra", 1)),
    ("unknown-key-of-privacy", "sample", put("privacy.tags", ["home"])),
    ("unknown-text", "sample", put("texts.footer", {"": "Well?"})),
    ("unknown-date", "sample", put("dates.pauses", "2027-01-01")),
    ("no-title", "sample", drop("texts.title")),
    ("a-title-in-no-language", "sample", put("texts.title", {})),
    ("a-title-that-is-a-text", "sample", put("texts.title", "How?")),
    ("a-title-that-is-a-number", "sample", put("texts.title", {"": 5})),
    ("a-title-with-half-a-character", "sample", put("texts.title", {"": "\ud800"})),
    ("a-title-that-turns-around", "sample", put("texts.title", {"": "sure\u202e"})),
    ("a-question-without-a-text", "sample", put(f"{_Q}.texts", {"text": {}})),
    ("languages-of-numbers", "sample", put("languages", [1])),
    ("dates-that-are-a-number", "sample", put("dates", 5)),
    ("a-day-that-is-none", "sample", put("dates", {"opens": "2027-02-30"})),
    ("days-the-wrong-way-round", "sample", put("dates", {"opens": "2027-02-01", "closes": "2027-01-01"})),
    ("ask-some", "sample", put("ask", "some")),
    ("ask-drawn", "sample", put("ask", "drawn")),
    ("paged", "sample", put("paged", 1)),
    ("paged-false", "sample", put("paged", value=False)),
    ("no-minimum", "sample", put("minimum", 0)),
    ("a-huge-minimum", "sample", put("minimum", 10**10)),
    ("no-questions", "sample", put("questions", [])),
    ("no-privacy", "sample", put("privacy", {})),
    ("no-epsilon", "sample", drop("privacy.epsilon")),
    ("an-infinite-epsilon", "sample", put("privacy.epsilon", "inf")),
    ("an-epsilon-of-null", "sample", put("privacy.epsilon", None)),
    ("another-notion", "sample", put("privacy.notion", "lip")),
    ("epsilon-and-levels", "levels", put("privacy.epsilon", "8.0")),
    ("levels-alike", "levels", put("privacy.levels.1.level", "careful")),
    ("level-without-a-name", "levels", put("privacy.levels.0.level", "")),
    ("level-without-forms", "levels", _one_level_without_forms),
    ("levels-mixed", "levels", _levels_mixed),
    ("label-of-no-level", "levels", _labels(open="offen")),
    ("labels-of-levels-alike", "levels", _labels(careful="gut", usual=" GUT")),
    ("labels-of-levels-swapped", "levels", _labels(careful="usual", usual="careful")),
    ("label-of-a-level-in-another-language", "levels", put("privacy.labels", {"fr": {"careful": "prudent"}})),
    ("label-of-a-level-that-nobody-sees", "levels", _labels(careful="\u200b")),
    ("label-of-a-level-that-is-empty", "levels", _labels(careful="")),
    ("label-of-a-level-that-turns-around", "levels", _labels(careful="gut\u202e")),
    ("labels-of-levels-that-are-none", "levels", _labels()),
    ("labels-without-levels", "sample", put("privacy.labels", {"de": {"": "gut"}})),
    ("level-swapped", "levels", lambda form: form["privacy"]["levels"].reverse()),
    ("form-of-no-level", "levels", drop(f"{_F}.level")),
    ("form-of-another-level", "levels", put(f"{_F}.level", "usual")),
    ("form-of-a-level-without-levels", "sample", put(f"{_F}.level", "careful")),
    ("form-without-a-name", "sample", put(f"{_F}.form", None)),
    ("form-called-by-a-number", "sample", put(f"{_F}.form", 1)),
    ("forms-of-one-name", "sample", put("forms.1.form", "1")),
    ("form-without-parts", "sample", put(f"{_F}.parts", [])),
    ("form-with-a-part-that-is-not-there", "sample", put(f"{_F}.parts", [99])),
    ("form-with-a-part-before-the-first", "sample", put(f"{_F}.parts", [-1])),
    ("form-with-a-part-twice", "split", _twice),
    ("form-with-the-parts-of-two", "numbers", _one_form_more),
    ("weights-do-not-sum", "sample", put(f"{_F}.weight", "1")),
    ("weight-of-nothing", "block", lambda form: [each.update(weight=str(ONE * k)) for k, each in enumerate(form["forms"])]),
    ("weight-not-text", "split", put(f"{_F}.weight", ONE - 1)),
    ("never-asked", "sample", _never_asked),
    ("another-answer", "sample", put(f"{_Q}.answers", {"items": ["yes", "no", "perhaps"]})),
    ("answers-alike", "sample", put(f"{_Q}.answers", {"items": ["yes", "yes"]})),
    ("two-questions-of-one-name", "sample", put("questions.1.name", "smokes")),
    ("a-question-called-level", "sample", put(f"{_Q}.name", "level")),
    ("a-question-with-a-colon", "sample", put(f"{_Q}.name", "a: b")),
    ("a-weight-that-is-none", "sample", put(f"{_Q}.weight", "nan")),
    ("a-negative-weight", "sample", put(f"{_Q}.weight", "-1")),
    ("a-weight-of-zero", "sample", put(f"{_Q}.weight", "0")),
    ("sensitive-under-ldp", "sample", put(f"{_Q}.sensitive", [0])),
    ("choices-that-are-two", "choices", put("questions.1.choices", 2)),
    ("a-refusal-called-yes", "choices", put("questions.1.refusal", "yes")),
    ("an-item-that-is-there-already", "together", put(f"{_Q}.refusal", "no")),
    ("after-a-later-question", "extras", _depending(0, {"mood": ["good"]})),
    ("after-itself", "extras", put("questions.1.after", {"job": ["nurse"]})),
    ("after-numbers", "extras", put("questions.3.after", {"hours": ["prefer not to say"]})),
    ("after-an-answer-that-is-not-there", "extras", put("questions.1.after", {"works": ["perhaps"]})),
    ("after-no-answer", "extras", put("questions.1.after", {"works": []})),
    ("after-nothing", "extras", put("questions.1.after", {})),
    ("after-without-skipped", "extras", drop("questions.1.skipped")),
    ("skipped-without-after", "extras", drop("questions.1.after")),
    ("after-choices", "uldp", _depending(4, {"symptoms": ["cough"]})),
    ("sensitive-in-the-clear", "uldp", _clear("illness", 5)),
    ("sensitive-numbers-in-the-clear", "uldp", _clear("age", 20)),
    ("box-in-the-clear", "uldp", _clear("symptoms: cough", 2)),
    ("box-beside-a-clear-question", "uldp", _part("town", fields=["town", "symptoms: cough"], channel=_identity(600))),
    ("boxes-in-the-clear", "uldp", _part("symptoms: cough", fields=BOTH, channel=_identity(4), epsilon="inf")),
    ("clear-with-a-budget", "uldp", _part("town", epsilon="1.0")),
    ("sensitive-without-a-budget", "uldp", _part("illness", epsilon="inf")),
    ("refusal-not-sensitive", "uldp", put(f"{_Q}.sensitive", [0, 1])),
    ("answers-that-reveal-a-sensitive-one", "uldp", put("questions.1.sensitive", [0, 1])),
    ("more-sensitive-items", "channels-uldp", put(f"{_Q}.sensitive", [0, 1, 2, 3, 5])),
    ("sensitive-item-that-is-not-there", "uldp", put(f"{_Q}.sensitive", [0, 1, 4, 7])),
    ("sensitive-item-before-the-first", "uldp", put(f"{_Q}.sensitive", [0, 1, 4, -1])),
    ("uldp-called-ldp", "uldp", put("privacy.notion", "ldp")),
    ("part-about-nothing", "sample", put("parts.0.fields", [])),
    ("part-about-something-else", "sample", put("parts.0.fields", ["weight"])),
    ("part-about-a-question-twice", "block", put("parts.0.fields", ["q0", "q0", "q1"])),
    ("part-with-a-smaller-budget", "sample", put("parts.0.epsilon", "0.5")),
    ("part-with-no-budget", "sample", put("parts.0.epsilon", "inf")),
    ("part-that-tells-more", "sample", _more_noise),
    ("part-with-another-channel", "sample", put("parts.0.channel", _identity(2))),
    ("part-with-a-capped-channel", "sample", _a_capped_channel),
    ("part-with-a-product", "sample", _a_product),
    ("part-with-a-mechanism-of-no-name", "sample", put("parts.0.mechanism", None)),
    ("together-apart", "together", _part("smokes", fields=["smokes"])),
    ("together-the-other-way-round", "together", _part("smokes", fields=["drinks", "smokes"])),
    ("cap-of-more", "capped", _cap(3)),
    ("cap-of-all", "capped", _cap(6)),
    ("cap-without-a-cap", "capped", lambda form: next(part for part in form["parts"] if "at_most" in part).pop("at_most")),
    ("cap-of-a-question-without-one", "capped", drop("questions.1.at_most")),
    ("cap-of-other-boxes", "capped", _part("symptoms: cough", fields=["symptoms: fever", "symptoms: cough"])),
    ("capped-told-more", "capped", _capped(include=str(ONE - (1 << 50)))),
    ("capped-against-its-set", "capped", _capped(include="1")),
    ("capped-always", "capped", _capped(include=str(ONE))),
    ("capped-of-nothing", "capped", _capped(chosen=0)),
    ("capped-of-too-many", "capped", _capped(chosen=7)),
    ("capped-with-a-mark", "capped", _capped(marks=1)),
    ("capped-of-a-million-boxes", "capped", _capped(boxes=10**6)),
]  # fmt: skip
