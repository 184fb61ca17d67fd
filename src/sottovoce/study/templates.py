"""Study files to begin with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from string import Template


@dataclass(frozen=True)
class Kind:
    """A kind of study: what it is for, and the words that its file begins with."""

    what: str
    name: str
    question: str
    items: tuple[str, ...] = ()
    epsilon: float = 1.0


KINDS = {
    "survey": Kind(
        "one question, a list of answers", "my-survey", "Which of these do you have?", ("hiv", "cancer", "hepatitis", "flu", "none")
    ),
    "questionnaire": Kind("several questions under one guarantee", "my-questionnaire", "How are you?", epsilon=3.0),
    "grid": Kind("places on a grid, some of them sensitive", "my-city", "Where are you at noon?"),
    "numbers": Kind("a number, such as an age, or a scale", "my-ages", "How old are you?"),
    "telemetry": Kind(
        "a setting out of many, all protected alike",
        "my-telemetry",
        "Which home page is set?",
        tuple(f"page-{k:02d}" for k in range(1, 41)),
        2.0,
    ),
    "personal": Kind("places on a grid, where people mark their own sensitive ones", "my-places", "Where are you at noon?"),
}


def template(
    kind: str, name: str | None, question: str | None, items: Sequence[str], sensitive: Sequence[str], epsilon: float | None = None
) -> str:
    """The text of a study file."""
    known = KINDS[kind]
    listed, budget = list(items or known.items), known.epsilon if epsilon is None else epsilon
    if sensitive:
        privacy = f'notion = "uldp"\nepsilon = {budget!r}\nsensitive = {_list(sensitive)}'
    elif items or epsilon is not None:
        privacy = (
            f'notion = "ldp"\nepsilon = {budget!r}                     # one report changes the odds of any answer by at most e^epsilon'
        )
    else:
        privacy = (
            'notion = "ipldp"                  # items without a budget are not sensitive\n'
            "[privacy.budgets]                 # the smaller, the better protected\nhiv = 0.1\ncancer = 0.5\nhepatitis = 1.0"
        )
    text = files("sottovoce.study").joinpath("forms", f"{kind}.toml").read_text(encoding="utf-8")
    return Template(text).substitute(
        name=json.dumps(name or known.name, ensure_ascii=False),
        question=json.dumps(question or known.question, ensure_ascii=False),
        items=_list(listed),
        epsilon=repr(budget),
        privacy=privacy,
    )


def _list(items: Sequence[str]) -> str:
    """A TOML list, on several lines where it is long."""
    texts = [json.dumps(item, ensure_ascii=False) for item in items]
    short = f"[{', '.join(texts)}]"
    return short if len(short) <= 100 else "[\n" + "".join(f"    {text},\n" for text in texts) + "]"
