"""Compiled questionnaires: the canonical form of several questions, their forms and tables, and the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sottovoce.domain import Domain
from sottovoce.errors import SottovoceError, StudyError
from sottovoce.mechanisms import Form, Forms, Mechanism, Part
from sottovoce.mechanisms.capped import capped_part
from sottovoce.names import checked_name, checked_text
from sottovoce.notions import LDP, ULDP, Notion, RecordULDP
from sottovoce.study.compiled import QUESTIONNAIRE, domain_form, read_domain_form
from sottovoce.study.question_labels import Labels
from sottovoce.study.questionnaire_checks import check_budget, check_fields, check_level_labels, check_questions, check_shape
from sottovoce.study.questionnaire_files import Pinned, Written
from sottovoce.study.questions import Question, sensitive_items
from sottovoce.wire import describe, restore


def canonical(written: Written, forms: Forms) -> dict[str, Any]:
    """The form that is hashed: texts, whole numbers, lists and objects, as in studies of one question."""
    level = {name: tier for tier, names in forms.tiers.items() for name in names}
    shown = ({} if written.ask == "drawn" else {"ask": written.ask}) | ({} if written.paged else {"paged": 0})
    return shown | {
        "sottovoce": QUESTIONNAIRE,
        "name": written.name,
        "texts": {key: dict(texts) for key, texts in written.texts.items()},
        "dates": dict(written.dates),
        "languages": list(written.languages),
        "privacy": {"notion": written.notion} | _epsilon(written.levels) | _labels(written.labels),
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
            ({"level": level[name]} if level[name] else {})
            | {"form": name, "weight": str(weight), "parts": [forms.parts.index(part) for part in form.parts]}
            for (name, form), weight in zip(forms.groups.items(), forms.weights, strict=True)
        ],
    }


def _epsilon(levels: Mapping[str, float]) -> dict[str, Any]:
    """The ε of all respondents, or of each level that they can choose."""
    if "" in levels:
        return {"epsilon": repr(levels[""])}
    return {"levels": [{"level": name, "epsilon": repr(epsilon)} for name, epsilon in levels.items()]}


def _labels(labels: Labels) -> dict[str, Any]:
    """The key for labels, which is left out if there are none: fingerprints of studies without labels stay as they are."""
    return {"labels": {language: dict(names) for language, names in labels.items()}} if labels else {}


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
    found |= _labels(question.labels)
    if question.after:
        found["after"] = {name: list(answers) for name, answers in question.after.items()}
    return found


def read_compiled_questionnaire(form: Mapping[str, Any], where: str) -> tuple[Written, Forms]:
    """The content of a compiled questionnaire. Its tables are checked again."""
    try:
        check_shape(form)
        questions = tuple(_read_question(each) for each in form["questions"])
        notion, levels = form["privacy"]["notion"], _read_levels(form["privacy"])
        check_questions(questions, notion, form["languages"])
        labels = check_level_labels(form["privacy"], form["languages"])
        fields = {name: (question, domain) for question in questions for name, domain in question.fields.items()}
        parts = dict(enumerate(_read_part(each, questions, notion) for each in form["parts"]))
        if {each.get("level", "") for each in form["forms"]} != set(levels):
            raise StudyError("The levels of the forms don't match those of the guarantee. Compile the study again.")
        forms = Forms.of_levels(
            {level: _read_forms(form["forms"], level, parts, _claim(notion, epsilon)) for level, epsilon in levels.items()}
        )
        if list(forms.groups) != [each["form"] for each in form["forms"]]:
            raise StudyError("The forms aren't listed level by level with different names. Compile the study again.")
        for level, names in forms.tiers.items():
            asked = {name for each in names for name in forms.groups[each].questions}
            if missing := [name for name in fields if name not in asked]:
                raise StudyError(f"No form {f'of level {level!r} ' if level else ''}asks about {missing[0]!r}. Compile the study again.")
        written = Written(
            checked_name(form["name"]),
            form["texts"],
            form["dates"],
            tuple(form["languages"]),
            None,
            notion,
            levels,
            form["minimum"],
            questions,
            Pinned(),
            compiled=True,
            ask=form.get("ask", "drawn"),
            paged="paged" not in form,
            labels=labels,
        )
    except SottovoceError as error:
        raise StudyError(f"{where}: {error}") from None
    except (KeyError, TypeError, ValueError, IndexError, ArithmeticError, AttributeError) as error:
        raise StudyError(f"{where}: This compiled study is damaged ({error!r}). Compile it again.") from None
    return written, forms


def _read_levels(privacy: Mapping[str, Any]) -> dict[str, float]:
    """The ε of each level, "" if people choose none."""
    if "levels" not in privacy:
        return {"": float(privacy["epsilon"])}
    found = {checked_text(each["level"], "the level"): float(each["epsilon"]) for each in privacy["levels"]}
    if len(found) < len(privacy["levels"]) or not found or any(not name or name != name.strip() for name in found):
        raise StudyError("Two levels have the same name. Compile the study again.")
    return found


def _claim(notion: str, epsilon: float) -> Notion:
    return LDP(epsilon) if notion == "ldp" else RecordULDP(epsilon)


def _read_forms(listed: Sequence[Mapping[str, Any]], level: str, parts: Mapping[int, Part], claim: Notion) -> Forms:
    """The forms of a level."""
    mine = [each for each in listed if each.get("level", "") == level]
    groups = {each["form"]: Form.of([parts[place] for place in each["parts"]], claim, f"form {each['form']}") for each in mine}
    return Forms(groups, [int(each["weight"]) for each in mine], {level: tuple(groups)})


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
        form.get("labels", {}),
    )
    if plain.at_most is not None and not (plain.choices and type(plain.at_most) is int and 1 <= plain.at_most < len(plain.fields)):
        raise StudyError(f"at_most is {plain.at_most!r}. Give a whole number below the number of choices.")
    return replace(plain, sensitive=tuple(plain.domain.item(code) for code in form.get("sensitive", ())))


def _read_part(form: Mapping[str, Any], questions: Sequence[Question], notion: str) -> Part:
    """A part with what it claims: nothing, where nothing about it is sensitive."""
    fields = {name: (question, domain) for question in questions for name, domain in question.fields.items()}
    names = form["fields"]
    check_fields(names, questions, capped="at_most" in form)
    if (form["channel"]["kind"] == "capped") != ("at_most" in form) or form["channel"]["kind"] == "product":
        raise StudyError(
            f"A part about {names[0]!r} has a channel of the wrong kind, {form['channel']['kind']!r}. Compile the study again."
        )
    if "at_most" in form:
        question = fields[names[0]][0]
        if names != list(question.fields) or form["at_most"] != question.at_most:
            raise StudyError(
                f"A part has a cap of {form['at_most']!r}, which isn't that of a question with several choices. Compile the study again."
            )
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
