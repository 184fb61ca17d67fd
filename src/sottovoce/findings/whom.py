"""Whose shares the findings of a question are, in words: who was asked it."""

from __future__ import annotations

from collections.abc import Sequence

from sottovoce.study.questions import Question

#: The longest text of an earlier question that a phrase quotes. Longer ones go by their names.
_LONGEST = 45
#: The people who answered a question that some refuse, and all of them.
ANSWERED, EVERYONE = "those who answered", "everyone"


def whom(question: Question, questions: Sequence[Question], *, whole: bool = False) -> str:
    """The people who are asked a question, for a phrase: "those who answered “daily” to “Do you smoke?”".

    The texts of long questions are replaced by their names, unless the `whole` of them is wanted.
    """
    if not question.after:
        return ANSWERED
    texts = {each.name: each.text if whole or len(each.text) <= _LONGEST else each.name for each in questions}
    conditions = [f"{_or([f'“{answer}”' for answer in answers])} to “{texts[name]}”" for name, answers in question.after.items()]
    return f"{ANSWERED} {' and '.join(conditions)}"


def asked(question: Question, questions: Sequence[Question], reported: str) -> str:
    """Who was asked a question, and how many people reported about it."""
    left_out = "" if question.refusal is None else " The shares leave out those who preferred not to answer."
    if not question.after:
        return f"{reported} about it.{left_out}"
    return f"Asked of {whom(question, questions, whole=True)}. {reported} about it, also if it didn’t apply to them.{left_out}"


def _or(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"
