"""The headline of a question: what was found, in a sentence that pages, dashboards, terminals and JSON share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sottovoce.findings.formatting import percent_about
from sottovoce.findings.shares import VAGUE, Shares

if TYPE_CHECKING:
    from sottovoce.findings.questionnaire import QuestionFindings

#: Answers that a sentence names side by side.
_NAMED = 3


def headline(found: QuestionFindings) -> str:
    """The mean of numbers or a scale, the share of the first of two answers, or the most common answer.

    If some people refuse, or aren't asked, the sentence is about those who answered.
    """
    if words := _mean(found):
        return words
    shares = found.main
    if len(shares.p) == 2 and not found.question.choices:
        return _first(shares, " of those who answered" if found.question.unanswered else "")
    return _most_common(shares, "choice" if found.question.choices else "answer", among=bool(found.question.unanswered))


def _mean(found: QuestionFindings) -> str:
    """The mean, or the median if an open range hides the mean. Nothing if the answers have neither."""
    figure = next((each for each in found.figures if each.value is not None and (each.q is None or each.q == 0.5)), None)
    if figure is None:
        return ""
    value, low, high = figure.cells
    ends = f" ({low} to {high})" if low and high else ""
    whose = ["among those who answered"] * bool(found.question.unanswered)
    whose += [f"without “{found.question.other}”"] * (found.question.other is not None)  # which has no place among numbers
    return _capital(f"{' and '.join(whose)}{', ' * bool(whose)}the {figure.name} is {value}{ends}{_scale(found)}.")


def _scale(found: QuestionFindings) -> str:
    """Which numbers the mean of a scale lies between. Its labels count from one."""
    answers = found.question.answers
    if answers.edges is not None:
        return ""
    ends = [(f"{answers.centres[place]:g}", str(answers.item(code))) for place, code in ((0, 0), (-1, len(answers) - 1))]
    least, most = (number if number == label else f"{number} (“{label}”)" for number, label in ends)
    return f" on the scale from {least} to {most}"


def _first(shares: Shares, whose: str) -> str:
    """The first of two answers. The other one has the rest."""
    name, (low, high) = _quoted(shares, 0), _ends(shares, 0)
    if shares.remark(0) == VAGUE:
        return f"The reports can’t tell how many{whose} said {name}."
    return f"About {percent_about(float(shares.p[0]), low, high)}{whose} said {name}."


def _most_common(shares: Shares, what: str, *, among: bool) -> str:
    """The largest share, and those that the reports can't tell from it."""
    order = np.argsort(-shares.p, kind="stable").tolist()
    start = "Among those who answered, " if among else ""
    if shares.remark(order[0]):
        return _capital(f"{start}no {what} can be told from zero yet.")
    least = _ends(shares, order[0])[0]
    alike = [k for k in order if k == order[0] or least is None or (_ends(shares, k)[1] or 0.0) >= least]
    said = [f"{_quoted(shares, k)}, {_about(shares, k)}" for k in alike]
    if len(alike) == 1:
        return _capital(f"{start}the most common {what} is {said[0]}.")
    if len(alike) <= _NAMED:
        listed = "; ".join(said[:-1]) + f"; and {said[-1]}"
        return _capital(f"{start}the most common {what}s are {listed}. The reports can’t tell which comes first.")
    return _capital(f"{start}no {what} stands out: {said[0]}, is the largest, and {len(alike) - 1} others may be as common.")


def _about(shares: Shares, k: int) -> str:
    return percent_about(float(shares.p[k]), *_ends(shares, k))


def _ends(shares: Shares, k: int) -> tuple[float | None, float | None]:
    return (None, None) if shares.interval is None else (float(shares.interval.low[k]), float(shares.interval.high[k]))


def _quoted(shares: Shares, k: int) -> str:
    return f"“{shares.labels[k]}”"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
