"""What a plan of a questionnaire aims at: a half-width of every share, or of a single question."""

from __future__ import annotations

from dataclasses import dataclass

from sottovoce.errors import ParameterError
from sottovoce.study.asking import Asking, Theme
from sottovoce.study.planned_asking import shown_themes


@dataclass(frozen=True)
class StrategyGoal:
    """A half-width of the intervals of some rows of a plan, at their `places`. `about` is the only one, if it was named.

    It's that of shares, or of the mean if the row `is_mean`, which is in the units of the numbers.
    """

    within: float
    places: tuple[int, ...]
    about: str = ""
    is_mean: bool = False

    @classmethod
    def of(cls, asking: Asking, within: float, about: str | None) -> StrategyGoal:
        """The goal for every share, or for the question that it is about. A half-width that can't be reached raises an error."""
        rows = shown_themes(asking)
        places = [place for place, row in enumerate(rows) if not row.is_number] if about is None else [_place(asking, rows, about)]
        if not places:
            names = ", ".join(repr(row.name) for row in rows)
            raise ParameterError(f"All questions ask for numbers, whose means have their own units. Plan for one with --about: {names}.")
        row = rows[places[0]]
        if about is not None and row.is_number:
            most = float(row.domain.centres[-1] - row.domain.centres[0]) / 2
            if not 0 < within < most:
                raise ParameterError(f"within is {within:g}. Give the half-width of the mean of {about!r}, between 0 and {most:g}.")
        elif not 0 < within < 1:
            shares = f", because {about!r} is planned by its shares" if about is not None else ""
            numbers = [row.name for row in rows if row.is_number] if about is None else []
            means = f" For the mean of a number, add --about {numbers[0]}." if numbers else ""
            raise ParameterError(f"within is {within:g}. Give the half-width of a share, for example 0.02 for two points{shares}.{means}")
        return cls(within, tuple(places), about or "", about is not None and row.is_number)

    @property
    def words(self) -> str:
        """What the people are needed for."""
        if self.is_mean:
            return f"people for ± {self.within:g} on the mean of {self.about!r}"
        return f"people for ± {100 * self.within:g} points" + (f" on {self.about!r}" if self.about else "")


def _place(asking: Asking, rows: list[Theme], about: str) -> int:
    """The row of a question. One that has none raises an error that shows why."""
    found = next((place for place, row in enumerate(rows) if row.name == about), None)
    if found is not None:
        return found
    known = ", ".join(repr(row.name) for row in rows)
    if about in [name for theme in asking.clear for name in (theme.name, *theme.fields)]:
        raise ParameterError(f"{about!r} is asked in the clear, so no plan is needed for it. Choose one of {known}.")
    whole = next((row.name for row in rows if about in row.fields), None)
    if whole is not None:
        raise ParameterError(f"{about!r} is reported together with others, as {whole!r}. Plan for that one.")
    raise ParameterError(f"This questionnaire has no question {about!r}. Choose one of {known}.")
