"""A questionnaire about people of UCI Adult, and answers as they give them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from experiments.data import Data
from sottovoce.study.questionnaire import Questionnaire

if TYPE_CHECKING:
    import pandas as pd

#: The questions that are asked besides age, and what all of them promise together.
HEAD = 'name = "adult"\ntitle = "Work and income"\n[privacy]\nnotion = "ldp"\nepsilon = 4.0\nminimum = 1\n'
QUESTIONS = ("education", "marital_status", "occupation", "sex", "income")


def counts() -> pd.DataFrame:
    """How many people gave each answer to each question."""
    return Data().table("adult_answers.csv")


def file_of(found: pd.DataFrame) -> str:
    """The study file: age as a number, and the answers that occur to all other questions."""
    parts = [HEAD, '[[questions]]\nname = "age"\ntext = "How old are you?"\nnumbers = {from = 17, to = 91, bins = 37, whole = true}\n']
    for name in QUESTIONS:
        items = found[found.question == name].answer.tolist()
        parts.append(f'[[questions]]\nname = "{name}"\ntext = "Your {name.replace("_", " ")}?"\nitems = {json.dumps(items)}\n')
    return "".join(parts)


def answers_of(found: pd.DataFrame, people: int, seed: int) -> dict[str, NDArray[np.str_]]:
    """The answers of people who answer each question independently, with the shares of Adult."""
    dice, columns = np.random.default_rng(seed), {}
    for name in ("age", *QUESTIONS):
        rows = found[found.question == name]
        columns[name] = dice.choice(rows.answer.to_numpy(dtype=str), people, p=rows["count"] / rows["count"].sum())
    return columns


def figures(study: Questionnaire, tally: sv.Tally, method: str | None = None) -> dict[str, Any]:
    """All that is estimated, as numbers to the last bit."""
    return {
        name: (each.n, each.method, each.p.tolist(), each.interval().low.tolist(), each.interval().high.tolist())
        for name, each in study.estimates(tally, method).items()
    }
