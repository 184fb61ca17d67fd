"""The plan of a questionnaire: how each strategy would do, question by question, and how many people it takes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sottovoce.errors import ParameterError
from sottovoce.estimators.intervals import deviate
from sottovoce.estimators.remarks import VAGUE, remark_of
from sottovoce.printable import Printable, Tabular
from sottovoce.study.asking import Asking, Theme
from sottovoce.study.planned_asking import PlannedAsking, best_of_each_kind, chosen, even_split, shown_themes
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.strategy_goal import StrategyGoal
from sottovoce.tallies.arguments import checked_people
from sottovoce.utility.asking import conjoined
from sottovoce.utility.plan import PEOPLE
from sottovoce.utility.strategy import Strategy


@dataclass(frozen=True)
class StrategyPlan(Printable, Tabular):
    """The strategies of a questionnaire, the best first, with `n` people and for the half-width of a `goal`, if these were asked for.

    If people choose a level, they are those of one level, and all of the people choose it.
    Errors are half-widths of intervals: of a share at its worst, and of the mean of numbers in their own units. They are those of everyone,
    also if only some people are asked a question.
    """

    study: Questionnaire
    asking: Asking
    level: str
    strategies: tuple[Strategy, ...]
    used: Strategy
    #: For each strategy the questions with several choices whose boxes it reports as a whole, and for the one that is used.
    sets: tuple[tuple[str, ...], ...]
    used_sets: tuple[str, ...]
    #: For each strategy n times the variance of the widest share of each question.
    variances: Mapping[Strategy, tuple[float, ...]] = field(repr=False)
    n: int | None
    goal: StrategyGoal | None
    confidence: float

    @classmethod
    def of(
        cls,
        study: Questionnaire,
        n: int | None = None,
        within: float | None = None,
        confidence: float | None = None,
        level: str | None = None,
        about: str | None = None,
    ) -> StrategyPlan:
        """The plan for so many people, or for so wide an interval of every share, or both. It's of a level, by default the first.

        If it's `about` a question, `within` is the half-width of its shares, or of the mean of numbers in their units.
        """
        if about is not None and within is None:
            raise ParameterError(f"The plan is about {about!r}, but nothing is to be reached. Give the half-width as well (--within).")
        if confidence is not None and not 0 < confidence < 1:
            raise ParameterError(f"The confidence is {confidence:g}. Give a number strictly between 0 and 1, for example 0.95.")
        if study.written.compiled:
            raise ParameterError(
                "This questionnaire is compiled, so its strategy is fixed. Plan the study file instead, or run: sottovoce check"
            )
        people = checked_people(n) if n is not None else None if within is not None else study.people or PEOPLE
        asking = study.asking_at(level)
        goal = None if within is None else StrategyGoal.of(asking, within, about)
        found = [*best_of_each_kind(asking), even_split(asking)]
        pinned = study.written.strategy
        used = found[0] if pinned.kind == "auto" else chosen(asking, pinned)
        return cls(
            study,
            asking,
            level or next(iter(study.levels), ""),
            tuple(each.shown for each in found),
            used.shown,
            tuple(_sets(each) for each in found),
            _sets(used),
            {each.shown: each.widest for each in (*found, used)},
            people,
            goal,
            0.95 if confidence is None else confidence,
        )

    @property
    def themes(self) -> Sequence[Theme]:
        return shown_themes(self.asking)

    def half_width(self, strategy: Strategy, place: int, n: int) -> float:
        """How far the interval of a share reaches to either side: or that of the mean, of numbers."""
        error = deviate(self.confidence) * math.sqrt(self.variances[strategy][place] / n)
        return error * self._range(place)

    def needed(self, strategy: Strategy) -> int | None:
        """The people with whom every share, or what the goal is about, comes within the half-width of the goal."""
        if self.goal is None:
            return None
        return math.ceil(max(self.half_width(strategy, place, 1) for place in self.goal.places) ** 2 / self.goal.within**2)

    def named(self, strategy: Strategy) -> str:
        """A strategy in words."""
        least, most = strategy.asked
        number = str(least) if least == most else f"{least} to {most}"
        if strategy is self.strategies[-1]:
            return "even split"
        words = {"split": "everything", "sample": f"{number} alone", "block": f"{number} jointly", "mixed": number}
        return f"{strategy.kind}: {words[strategy.kind]}"

    @property
    def reason(self) -> str:
        """What is asked of each person, and what splitting would have cost."""
        best, even = self.strategies[0], self.strategies[-1]
        least, most = self.used.asked
        number = str(least) if least == most else f"{least} to {most}"
        what = "questions" if len(self.themes) == len(self.study.questions) else "topics"
        some = f"Each person reports about {number} of {len(self.themes)} {what}"
        text = "Each person reports about everything"
        if self.used.kind != "split":
            how = {"block": "in one joint report", "sample": "each reported alone", "mixed": "some of them jointly or at different budgets"}
            text = f"{some}, {how[self.used.kind]}" if most > 1 else some
        ratio = math.sqrt(even.total / self.used.total)
        pinned = ""
        if self.used.total > best.total * (1 + 1e-9):
            pinned = f" The best strategy ({self.named(best)}) has errors {math.sqrt(self.used.total / best.total):.2f} times smaller."
        whole = "".join(f" All boxes of {name!r} are in one report." for name in self.used_sets)
        single = "".join(f" The boxes of {name!r} are reported one by one." for name in self.asking.capped if name not in self.used_sets)
        clear = [theme.name for theme in self.asking.clear]
        always = f" In the clear, everyone is also asked: {', '.join(clear)}." if clear else ""
        even_text = f" If each reported about everything, with ε divided evenly, errors would be {ratio:.2f} times as large."
        return f"{text}.{whole}{single}{always}{even_text if f'{ratio:.2f}' != '1.00' else ''}{pinned}"

    @property
    def columns(self) -> list[str]:
        return ["question", "items", *(self.named(each) for each in self.strategies)]

    @property
    def rows(self) -> list[list[str]]:
        """A row for each question, and one for the people needed."""
        found = []
        if self.n is not None:
            for place, theme in enumerate(self.themes):
                cells = [self.cell(each, place, self.n) for each in self.strategies]
                items = f"{theme.items:,}" if theme.cap is None else f"{len(theme.fields)} boxes, at most {theme.cap}"
                found.append([theme.name, items, *cells])
        if self.goal is not None:
            found.append([self.goal.words, "", *(f"{self.needed(each):,}" for each in self.strategies)])
        return found

    def _remark(self, strategy: Strategy, place: int, n: int) -> str:
        """The remark at an interval that covers half of all shares or numbers, as results have it."""
        return remark_of(2 * self.half_width(strategy, place, n) / self._range(place))

    def _range(self, place: int) -> float:
        """From the least share or number to the largest one."""
        theme = self.themes[place]
        return float(theme.domain.centres[-1] - theme.domain.centres[0]) if theme.is_number else 1.0

    def cell(self, strategy: Strategy, place: int, n: int) -> str:
        """The half-width, unless it shows little."""
        if remark := self._remark(strategy, place, n):
            return remark
        width = self.half_width(strategy, place, n)
        return f"± {width:.3g}" if self.themes[place].is_number else f"± {100 * width:.2f} points"

    @property
    def _too_few(self) -> str:
        """What to do if some intervals show little."""
        n = self.n
        if n is None or not any(self._remark(each, place, n) for each in self.strategies for place in range(len(self.themes))):
            return ""
        return f" {VAGUE}: the interval covers half of all possible values or more. {n:,} people are too few: ask more, or fewer questions."

    @property
    def legend(self) -> str:
        people = "" if self.n is None else f" with {self.n:,} people"
        wide = f"±: how far the {100 * self.confidence:g}% interval reaches to either side{people}, at the share where it is widest."
        half = (
            f" Of {_listed(self.asking.capped)} it is that of a box if people choose half as many as they may."
            if self.asking.capped
            else ""
        )
        numbers = [theme.name for theme in self.themes if theme.is_number]
        mean = f" Of {_listed(numbers)} it is that of the mean if all values are equally frequent." if numbers else ""
        if numbers and self.goal is not None and not self.goal.about:
            mean += f" The {self.goal.words} don't count {_listed(numbers)}. Add --about {numbers[0]} to plan for its mean."
        refusing = [each.name for each in self.study.questions if each.refusal is not None]
        refused = f" Shares of {_listed(refusing)} are of everyone who is asked, with those who prefer not to say." if refusing else ""
        return f"{wide}{half}{mean}{refused}{self._some}{self._too_few}"

    @property
    def _some(self) -> str:
        """What ± means for questions that only some people are asked."""
        names = [each.name for each in self.study.questions if each.after]
        if not names:
            return ""
        place = next((place for place, theme in enumerate(self.themes) if set(names) & {theme.name, *theme.fields}), None)
        if self.n is None or place is None or self.themes[place].is_number:
            return f" Only some people are asked {_listed(names)}. ± is of everyone: among those who are asked it is wider."
        width = 100 * self.half_width(self.used, place, self.n)
        return (
            f" Only some people are asked {_listed(names)}. ± is of everyone: of those who are asked, divide it by their share. "
            f"If one in four is asked, ± {width:.2f} points are up to ± {4 * width:.1f}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data, for JSON."""
        return {
            "study": self.study.name,
            **({"level": self.level} if self.level else {}),
            "epsilon": self.asking.epsilon,
            "n": self.n,
            "of": "everyone asked",
            "within": None if self.goal is None else self.goal.within,
            **({"about": self.goal.about} if self.goal is not None and self.goal.about else {}),
            "confidence": self.confidence,
            "reason": self.reason,
            "used": self.used.kind,
            "strategies": [
                {
                    "name": self.named(each),
                    "kind": each.kind,
                    "asked": list(each.asked),
                    "forms": len(each.forms),
                    "people": self.needed(each),
                    "sets": list(sets),
                    "questions": {
                        theme.name: {
                            "chance": each.inclusion[place],
                            "half_width": None if self.n is None else self.half_width(each, place, self.n),
                        }
                        for place, theme in enumerate(self.themes)
                    },
                }
                for each, sets in zip(self.strategies, self.sets, strict=True)
            ],
        }


def _sets(planned: PlannedAsking) -> tuple[str, ...]:
    return tuple(theme.name for theme in planned.asking.hidden if theme.cap is not None)


def _listed(names: Sequence[str]) -> str:
    return conjoined([repr(name) for name in names])
