"""Whose shares the findings of a question are, in words: who was asked it."""

from __future__ import annotations

from collections.abc import Sequence

from sottovoce.findings.formatting import counted
from sottovoce.study.questions import Question

#: The longest text of an earlier question that a phrase quotes. Longer ones go by their names.
_LONGEST = 60
#: The people who answered a question that some refuse, all of them, and those to whom a question applied.
ANSWERED, EVERYONE, ASKED = "those who answered", "everyone", "those asked"


def whom(question: Question, questions: Sequence[Question], *, whole: bool = False) -> str:
    """The people who are asked a question, for a phrase: "those who answered “daily” to “Do you smoke?”".

    The texts of long questions are replaced by their names, unless the `whole` of them is wanted.
    """
    if not question.after:
        return ANSWERED
    texts = {each.name: each.text if whole or len(each.text) <= _LONGEST else each.name for each in questions}
    conditions = [f"{_or([f'“{answer}”' for answer in answers])} to “{texts[name]}”" for name, answers in question.after.items()]
    return f"{ANSWERED} {' and '.join(conditions)}"


def asked(question: Question, questions: Sequence[Question], reports: int, people: int) -> str:
    """Who was asked a question, and how many of all reports cover it."""
    who = f"Asked of {whom(question, questions, whole=True)}. " if question.after else ""
    left_out = "" if question.refusal is None else " The shares leave out those who preferred not to answer."
    return f"{who}{covered(question, reports, people)}{left_out}"


def covered(question: Question, reports: int, people: int) -> str:
    """How many of the reports of all people cover a question."""
    of_all = counted(people, "report covers", "reports cover")
    some = f"All {of_all}" if reports == people > 1 else f"{reports:,} of {of_all}"
    return f"{some} this question{', also those of people to whom it didn’t apply' * bool(question.after)}."


def _or(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"
