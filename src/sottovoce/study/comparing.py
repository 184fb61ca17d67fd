"""Studies tried on a known truth: by simulation, or with given estimates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.domain import Domain
from sottovoce.domain.columns import column_names
from sottovoce.errors import ParameterError
from sottovoce.estimators import Estimate, distance
from sottovoce.later import above
from sottovoce.mechanisms import Mechanism, Population
from sottovoce.policy import Promise, is_distribution
from sottovoce.printable import Plottable, Tabular
from sottovoce.sources import SeededSource
from sottovoce.study.recipes import built, promised
from sottovoce.study.simulation import Trial, bell, held_by, trials, zipf
from sottovoce.study.study import Study
from sottovoce.tallies.arguments import checked_people, shares_by_item
from sottovoce.utility.candidates import candidates_for
from sottovoce.utility.numbers import Numbers, numbers_goal
from sottovoce.utility.plan import PEOPLE

#: How far a sum may be from 1 to be taken for that of shares.
_NEARLY = 1e-6
_answers, _reading = above("sottovoce.batch.answers"), above("sottovoce.batch.reading")


@dataclass(frozen=True)
class Trials(Plottable, Tabular):
    """How methods or mechanisms did on a known truth: over many simulated `runs`, or once with given `estimates` (then it's None).

    `p` is the truth, which `truth` describes in words. `spread` people are divided over the levels of a study.
    """

    trials: Sequence[Trial]
    people: int
    runs: int | None
    truth: str
    p: Floats = field(repr=False)
    name: str = ""
    spread: bool = False
    compared: bool = False
    goal: Numbers | None = field(default=None, repr=False)
    estimates: Sequence[Estimate] = field(default=(), repr=False)

    def __repr__(self) -> str:
        best = self.trials[0]
        return f"Trials({best.mechanism} by {best.method}: tv {best.tv:.3g}; {len(self.trials)} in all, {self.people:,} people)"

    def _columns(self) -> Mapping[str, Any]:
        names = ("mechanism", "method", "tv", "tv_error", "tv_most", "l2", "held", "predicted")
        return {name: [math.nan if each is None else each for each in (getattr(trial, name) for trial in self.trials)] for name in names}

    def to_dict(self) -> dict[str, Any]:
        """The trials as plain data, for JSON."""
        plain: dict[str, Any] = {"study": self.name, "people": self.people, "runs": self.runs, "truth": self.truth}
        if self.goal is not None and self.goal.asked is not None:
            plain["within"] = self.goal.asked
        return plain | {"mechanisms" if self.compared else "methods": [each.to_dict() for each in self.trials]}


def simulate(
    study: Study | Mechanism | Population,
    truth: Any = None,
    n: int | None = None,
    *,
    runs: int = 100,
    methods: Sequence[str] | str = (),
    level: float = 0.95,
    about: str | None = None,
    within: float | None = None,
    seed: int = 1,
    reading: Any = None,
) -> Trials:
    """Simulate a study of n people many times: how far estimates are from the truth, and how often intervals contain it.

    The truth is a list of shares, shares or counts by item (a mapping or `column.value_counts()`), a column of answers, or, for a study,
    the name of a file.
    Without one, the k-th item has a share proportional to 1/k, and numbers lie in a bell around the middle.
    `about` and `within` ask for a figure of numbers, as in `plan`. The seed makes a simulation repeatable. `reading` is how a file is
    read (`sottovoce.batch.reading.Reading`), if its columns or its encoding aren't the usual ones.

    >>> from sottovoce import Domain, krr, simulate
    >>> found = simulate(krr(Domain("abc"), 1.0), [0.2, 0.3, 0.5], 10_000, runs=20)
    >>> 0.005 < found.trials[0].tv < 0.03, found.trials[0].held > 0.8
    (True, True)
    """
    if isinstance(study, Estimate):
        raise ParameterError("An estimate can't be simulated. Give a study or a mechanism, and the estimate as the truth.")
    domain, inputs, reports = _asked(study)
    p, words = truth_of(study, truth, reading)
    people = _people(n) if n is not None else (study.people if isinstance(study, Study) else None) or PEOPLE
    goal = _goal(domain, inputs, about, within, level)
    mechanism, name = (study.mechanism, study.name) if isinstance(study, Study) else (study, "")
    chosen = _names(methods, "methods")
    found = trials(mechanism, p, people, reports=reports, runs=_runs(runs), methods=chosen, level=level, seed=_seed(seed), goal=goal)
    return Trials(found, people, runs, words, p, name, spread=isinstance(mechanism, Population), goal=goal)


def compare(
    what: Any = None,
    truth: Any = None,
    n: int | None = None,
    *,
    mechanisms: Sequence[str] | str = (),
    method: str | None = None,
    runs: int = 30,
    level: float = 0.95,
    seed: int = 1,
    reading: Any = None,
) -> Trials:
    """Compare estimates or simulated mechanisms with a known truth, the best first.

    Give one or several estimates, mechanisms, or a study. For a study, the mechanisms that keep its guarantee are compared, or those of
    them that you name. The truth is as for `simulate`. Estimates need one.

    >>> from sottovoce import Domain, compare, hadamard, krr
    >>> domain = Domain(30)
    >>> compare([krr(domain, 1.0), hadamard(domain, 1.0)], n=10_000, runs=10).trials[0].mechanism
    'hadamard'
    """
    if mechanisms and not isinstance(what, Study):
        raise ParameterError(
            "`mechanisms` works only with a study. Give one first, or give the mechanisms alone: compare([krr(domain, 1.0)])."
        )
    if isinstance(what, (Study, Mechanism, Population, Estimate)):
        listed: Sequence[Any] = [what]
    else:
        listed = list(what) if isinstance(what, Iterable) and not isinstance(what, (str, bytes)) else [what]
    if listed and all(isinstance(each, Estimate) for each in listed):
        if truth is None:
            raise ParameterError("The truth is missing. Give shares, counts by item, or a column of answers.")
        return _with_estimates(listed, truth, level)
    study = what if isinstance(what, Study) else None
    made = _candidates(study, _names(mechanisms, "mechanisms")) if study is not None else listed
    if not made or not all(isinstance(each, (Mechanism, Population)) for each in made):
        kinds = ", ".join(dict.fromkeys(type(each).__name__ for each in listed))
        given = (
            repr(what) if what is None or isinstance(what, (str, int, float)) else f"{type(what).__name__}{f' of {kinds}' * bool(kinds)}"
        )
        raise ParameterError(f"{given} can't be compared. Give a list of estimates, a list of mechanisms, or one study.")
    if any(each.domain != made[0].domain for each in made):
        raise ParameterError("These mechanisms have different items. Compare mechanisms of the same items.")
    people = _people(n) if n is not None else (None if study is None else study.people) or PEOPLE
    p, words = truth_of(study or made[0], truth, reading)
    chosen = () if method is None else (method,)
    reports = 1 if study is None else study.reports
    found = [
        each
        for candidate in made
        for each in trials(candidate, p, people, reports=reports, runs=_runs(runs), methods=chosen, level=level, seed=_seed(seed))
    ]
    found.sort(key=lambda each: each.tv)
    return Trials(found, people, runs, words, p, "" if study is None else study.name, compared=True)


def _with_estimates(made: Sequence[Estimate], truth: Any, level: float) -> Trials:
    """Estimates of the same items beside the truth."""
    if any(each.domain != made[0].domain for each in made):
        raise ParameterError("These estimates are about different items. Compare estimates of one question.")
    p, words = truth_of(made[0] if made[0].study is None else made[0].study, truth)
    found = []
    for each in made:
        away = distance(each.p, p)
        held = held_by(each, p, level)
        name = ", ".join(dict.fromkeys(block.mechanism.name for block in each.blocks)) or "–"
        found.append(Trial(name, each.method, away.tv, math.nan, away.tv, away.l2, None if math.isnan(held) else held, None))
    order = sorted(range(len(found)), key=lambda k: found[k].tv)
    name = "" if made[0].study is None else made[0].study.name
    return Trials([found[k] for k in order], made[0].n, None, words, p, name, estimates=tuple(made[k] for k in order))


def truth_of(study: Study | Mechanism | Population | Estimate, truth: Any, reading: Any = None) -> tuple[Floats, str]:
    """The shares of a population over items and bots, and what they are called."""
    domain, inputs, _ = _asked(study)
    if truth is None:
        plain = domain.ordered and len(inputs) == len(domain)
        return (bell(len(inputs)), "a bell around the middle") if plain else (zipf(len(inputs)), "a Zipf law")
    if isinstance(truth, (str, PathLike)):
        if not isinstance(study, Study):
            raise ParameterError(f"The truth is {truth!r}, but a file needs a study. Give shares, counts by item or a column of answers.")
        return _answers.read_shares(study, str(truth), reading or _reading.USUAL, marked=True), f"the distribution of {truth}"
    shares = np.zeros(len(inputs))
    given = _shares(domain if len(inputs) == len(domain) else inputs, truth)
    shares[: len(given)] = given
    return shares, "a given distribution"


def _shares(domain: Domain, truth: Any) -> Floats:
    """A distribution over the items: from shares, from weights by item, or from answers."""
    if isinstance(truth, Estimate):
        return np.maximum(truth.p, 0.0) / np.maximum(truth.p, 0.0).sum()
    if (given := shares_by_item(domain, truth)) is not None:
        return given
    if column_names(truth) is not None:
        domain.encode(truth)  # says what is wrong
    try:
        listed = np.asarray(truth)
    except ValueError:
        raise ParameterError(
            "The truth is a list of lists that differ in length. Give shares, counts by item or a column of answers."
        ) from None
    if listed.dtype.kind in "fiu" and listed.shape == (len(domain),):
        shares = listed.astype(np.float64)
        if is_distribution(shares):
            return shares
        if listed.dtype.kind == "f" and domain.edges is None:
            if np.isnan(shares).any() or shares.min() < 0:
                raise ParameterError(f"The truth has the share {float(shares[~(shares >= 0)][0])!r}. Give each item a share of at least 0.")
            raise ParameterError(f"The truth sums to {shares.sum():g}. Give {len(domain)} shares that sum to 1.")
    if listed.dtype.kind == "f" and listed.ndim == 1 and domain.edges is None and len(listed) and abs(listed.sum() - 1) < _NEARLY:
        raise ParameterError(f"The truth has {len(listed)} shares, but there are {len(domain)} items. Give a share for each item.")
    if listed.ndim == 1 and not len(listed):
        raise ParameterError("The truth is empty. Give shares, counts by item, or answers.")
    codes = domain.encode(truth)
    return np.asarray(np.bincount(codes, minlength=len(domain)) / max(1, len(codes)))


def _asked(study: Study | Mechanism | Population | Estimate) -> tuple[Domain, Domain, int]:
    """The items, what the channel takes, and the reports of a person."""
    if isinstance(study, Study):
        if study.of_several_questions:
            raise ParameterError(f"{study.name!r} has several questions. Simulate and compare studies of one question.")
        return study.domain, study.inputs, study.reports
    if isinstance(study, Estimate):
        return study.domain, study.domain, 1
    if not isinstance(study, (Mechanism, Population)):
        raise ParameterError(f"{study!r} can't be simulated. Give a study or a mechanism.")
    first = next(iter(study.groups.values())) if isinstance(study, Population) else study
    return study.domain, first.inputs, 1


def _goal(domain: Domain, inputs: Domain, about: str | None, within: float | None, level: float) -> Numbers | None:
    """What is asked of numbers: by default the distance between the distributions, as in plans."""
    if about is None:
        if within is not None:
            raise ParameterError("`within` needs `about`. Name the figure that it is for, for example about='mean'.")
        plain = domain.edges is not None and len(inputs) == len(domain)
        return numbers_goal(domain, "distance", None, level) if plain else None
    return numbers_goal(domain, about, within, level)


def _seed(seed: Any) -> int:
    return SeededSource(seed).seed


def _people(n: Any) -> int:
    if checked_people(n) < 1:
        raise ParameterError("n is 0. Give at least 1.")
    return int(n)


def _runs(runs: Any) -> int:
    if isinstance(runs, bool) or not isinstance(runs, (int, np.integer)) or runs < 1:
        raise ParameterError(f"runs is {runs!r}. Give a whole number of at least 1.")
    return int(runs)


def _names(given: Any, what: str) -> tuple[str, ...]:
    """One or several names."""
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Iterable):
        raise ParameterError(f"{what} is {given!r}. Give a name or a list of names.")
    return tuple(given)


def _candidates(study: Study, names: Sequence[str]) -> list[Mechanism]:
    """The mechanisms that were named, or those of the plan. Each keeps the promise."""
    _asked(study)
    if len(study.blocks) > 1:
        raise ParameterError("People choose their level in this study. Compare mechanisms in a study with one level.")
    promise = study.promises[""]
    if not isinstance(promise, Promise):
        raise ParameterError(f"{study.name!r} has no privacy guarantee, so any mechanism would do. Compare mechanisms that you make.")
    each_report = promise.divided(study.reports)
    if wrong := [name for name in names if not isinstance(name, str)]:
        raise ParameterError(f"{wrong[0]!r} isn't the name of a mechanism. Give names, for example mechanisms=['krr', 'olh'].")
    if names:
        return [built(each_report, name, {}) for name in names]
    return [promised(each_report, each) for each in candidates_for(each_report)]
