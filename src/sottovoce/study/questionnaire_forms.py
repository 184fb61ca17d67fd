"""Compiled questionnaires: the canonical form of several questions, their forms and tables, and the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sottovoce.domain import Domain
from sottovoce.errors import SottovoceError, StudyError
from sottovoce.mechanisms import Form, Forms, Mechanism, Part
from sottovoce.mechanisms.capped import capped_part
from sottovoce.names import checked_name
from sottovoce.notions import LDP, ULDP, RecordULDP
from sottovoce.study.compiled import QUESTIONNAIRE, domain_form, read_domain_form
from sottovoce.study.questionnaire_checks import check_budget, check_fields, check_questions, check_shape
from sottovoce.study.questionnaire_files import Pinned, Written
from sottovoce.study.questions import Question, sensitive_items
from sottovoce.wire import describe, restore


def canonical(written: Written, forms: Forms) -> dict[str, Any]:
    """The form that is hashed: texts, whole numbers, lists and objects, as in studies of one question."""
    return {
        "sottovoce": QUESTIONNAIRE,
        "name": written.name,
        "texts": {key: dict(texts) for key, texts in written.texts.items()},
        "dates": dict(written.dates),
        "languages": list(written.languages),
        "privacy": {"notion": written.notion, "epsilon": repr(written.epsilon)},
        "minimum": written.minimum,
        "questions": [_question(each) for each in written.questions],
        "parts": [
            {
                "fields": list(part.questions),
                "mechanism": part.name,
                "epsilon": repr(part.claim.epsilon),  # type: ignore[attr-defined]  # LDP or ULDP
                "channel": describe(part.channel),
            }
            | ({} if part.cap is None else {"at_most": part.cap})
            for part in forms.parts
        ],
        "forms": [
            {"form": name, "weight": str(weight), "parts": [forms.parts.index(part) for part in form.parts]}
            for (name, form), weight in zip(forms.groups.items(), forms.weights, strict=True)
        ],
    }


def _question(question: Question) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": question.name,
        "texts": {key: dict(texts) for key, texts in question.translations.items()},
        "answers": domain_form(question.answers),
        "weight": repr(question.weight),
    }
    for key in ("other", "refusal", "skipped", "together"):
        if getattr(question, key) is not None:
            found[key] = getattr(question, key)
    if question.choices:
        found["choices"] = 1
    if question.at_most is not None:
        found["at_most"] = question.at_most
    if question.sensitive:
        found["sensitive"] = [question.domain.code(item) for item in question.sensitive]
    if question.after:
        found["after"] = {name: list(answers) for name, answers in question.after.items()}
    return found


def read_compiled_questionnaire(form: Mapping[str, Any], where: str) -> tuple[Written, Forms]:
    """What a compiled questionnaire says. Its tables are judged again."""
    try:
        check_shape(form)
        questions = tuple(_read_question(each) for each in form["questions"])
        notion, epsilon = form["privacy"]["notion"], float(form["privacy"]["epsilon"])
        check_questions(questions, notion)
        fields = {name: (question, domain) for question in questions for name, domain in question.fields.items()}
        parts = dict(enumerate(_read_part(each, questions, notion) for each in form["parts"]))
        claim = LDP(epsilon) if notion == "ldp" else RecordULDP(epsilon)
        if len({each["form"] for each in form["forms"]}) < len(form["forms"]):
            raise StudyError("two forms have the same name")
        groups = {each["form"]: Form.of([parts[place] for place in each["parts"]], claim, f"form {each['form']}") for each in form["forms"]}
        forms = Forms(groups, [int(each["weight"]) for each in form["forms"]])
        if missing := [name for name in fields if not any(name in each.questions for each in forms.parts)]:
            raise StudyError(f"no form asks about {missing[0]!r}")
        written = Written(
            checked_name(form["name"]),
            form["texts"],
            form["dates"],
            tuple(form["languages"]),
            None,
            notion,
            epsilon,
            form["minimum"],
            questions,
            Pinned(),
            compiled=True,
        )
    except SottovoceError as error:
        raise StudyError(f"{where}: {error}") from None
    except (KeyError, TypeError, ValueError, IndexError, ArithmeticError, AttributeError) as error:
        raise StudyError(f"{where}: this compiled study is broken: {error!r}") from None
    return written, forms


def _read_question(form: Mapping[str, Any]) -> Question:
    answers = read_domain_form(form["answers"])
    texts = form["texts"]
    plain = Question(
        form["name"],
        next(iter(texts["text"].values())),
        answers,
        next(iter(texts.get("help", {"": ""}).values())),
        form.get("other"),
        form.get("refusal"),
        form.get("skipped"),
        form.get("choices") == 1,
        (),
        {name: tuple(each) for name, each in form.get("after", {}).items()},
        form.get("together"),
        float(form["weight"]),
        texts,
        form.get("at_most"),
    )
    if plain.at_most is not None and not (plain.choices and type(plain.at_most) is int and 1 <= plain.at_most < len(plain.fields)):
        raise StudyError(f"at_most is {plain.at_most!r}; it is a whole number below the number of choices")
    return replace(plain, sensitive=tuple(plain.domain.item(code) for code in form.get("sensitive", ())))


def _read_part(form: Mapping[str, Any], questions: Sequence[Question], notion: str) -> Part:
    """A part with what it claims: nothing, where nothing about it is sensitive."""
    fields = {name: (question, domain) for question in questions for name, domain in question.fields.items()}
    names = form["fields"]
    check_fields(names, questions, capped="at_most" in form)
    if (form["channel"]["kind"] == "capped") != ("at_most" in form) or form["channel"]["kind"] == "product":
        raise StudyError(f"a part about {names[0]!r} has a channel of the kind {form['channel']['kind']!r}, which is not for it")
    if "at_most" in form:
        question = fields[names[0]][0]
        if names != list(question.fields) or form["at_most"] != question.at_most:
            raise StudyError(f"a part has a cap of {form['at_most']!r}, which is not that of a question with several choices")
        check_budget(float(form["epsilon"]), shown=False)
        sizes = {name: len(domain) for name, domain in question.fields.items()}
        return capped_part(sizes, form["at_most"], restore(form["channel"]), LDP(float(form["epsilon"])))
    domain = Domain.joined({name: fields[name][1] for name in names})
    sensitive = () if notion == "ldp" else sensitive_items([fields[name][0] for name in names])
    epsilon = float(form["epsilon"])
    everything = notion == "ldp" or len(sensitive) == len(domain)
    claim = LDP(epsilon) if everything or not sensitive else ULDP(epsilon, sensitive)
    check_budget(epsilon, shown=not everything and not sensitive)
    return Part.of(Mechanism(domain, restore(form["channel"]), claim, form["mechanism"]), {name: len(fields[name][1]) for name in names})
