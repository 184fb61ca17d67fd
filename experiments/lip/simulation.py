"""The people of the experiments, the ways in which their reports are read, and the errors to expect of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from experiments.cells import Cell, Row, Samples, exact
from experiments.lip.printed import lip_level
from sottovoce.arrays import Floats
from sottovoce.reports import SetReports

#: People in the synthetic experiments (Section 5.1).
PEOPLE = 5000
#: How reports are read: by the posterior under the prior; by the posterior of each bit alone; without the prior.
POSTERIOR, BITS, PLAIN, PRINTED_PLAIN = "posterior", "posterior, bit by bit", "context-free", "context-free, (40) as printed"
NOTHING = "no observation"


@dataclass(frozen=True)
class PeopleWithPrior:
    """People with a known prior; the answers are drawn from it, or those of `counts`, if these are given."""

    prior: Floats
    counts: NDArray[np.int64] | None = None
    drawn: int = PEOPLE

    @property
    def n(self) -> int:
        return self.drawn if self.counts is None else int(self.counts.sum())

    @property
    def domain(self) -> sv.Domain:
        return sv.Domain(len(self.prior))

    def answers(self, random: np.random.Generator) -> NDArray[np.int64]:
        counts = random.multinomial(self.n, self.prior) if self.counts is None else self.counts
        return np.repeat(np.arange(len(self.prior)), counts)

    def error(self, shares: Floats, answers: NDArray[np.int64]) -> float:
        """The squared error of an estimated histogram, all entries together, for each person."""
        return clean(float(((self.n * shares - np.bincount(answers, minlength=len(self.prior))) ** 2).sum()) / self.n)

    def expected(self, mean: Floats, variance: Floats) -> float:
        """The same in the mean, where a person with answer x adds a number with mean[x, k] and variance[x, k] to entry k."""
        away = mean - np.eye(len(self.prior))
        if self.counts is not None:
            return float(((self.counts @ away) ** 2).sum() + (self.counts @ variance).sum()) / self.n
        bias = self.prior @ away
        spread = self.prior @ (variance + away**2) - bias**2
        return float(spread.sum() + self.n * (bias**2).sum())


@dataclass(frozen=True)
class Rival:
    """A mechanism by the name that figures give it, and how its reports are read."""

    name: str
    reading: str
    mechanism: sv.Mechanism

    def shares(self, reports: sv.Reports, prior: Floats) -> Floats:
        """The estimated histogram of the people who reported."""
        tally = sv.Tally(self.mechanism, keep_reports=True).add(reports)
        if self.reading == POSTERIOR:
            return sv.estimate(tally, "mmse", prior=prior, progress=False).p
        plain = sv.estimate(tally, "inversion", progress=False).p
        channel = self.mechanism.channel
        if isinstance(channel, sv.UnaryChannel):
            return self._bits(channel, prior, channel.b + (channel.a - channel.b) * plain)
        assert isinstance(channel, sv.DirectChannel)
        return plain if self.reading == PLAIN else _as_printed(channel, channel.s * plain + channel.t)

    def each(self, reports: sv.Reports, prior: Floats) -> Floats:
        """What every report adds to the estimated histogram, by itself (a row each)."""
        channel = self.mechanism.channel
        if self.reading == POSTERIOR:
            joint = channel.likelihood(reports) * prior
            return np.asarray(joint / joint.sum(axis=1, keepdims=True))
        if isinstance(channel, sv.UnaryChannel) and isinstance(reports, SetReports):
            return self._bits(channel, prior, reports.dense().astype(np.float64))
        return np.asarray(self.table(channel.matrix(), prior).T[np.array(reports.tolist())])

    def expected(self, people: PeopleWithPrior) -> float | None:
        """The error to expect; None where there are too many reports to list."""
        channel, prior = self.mechanism.channel, people.prior
        if isinstance(channel, sv.UnaryChannel):
            if self.reading == POSTERIOR:
                return sv.mmse_loss(self.mechanism, prior) if people.counts is None else None
            chances = np.where(np.eye(len(prior), dtype=bool), channel.a, channel.b)
            step = self._bits(channel, prior, np.ones(len(prior))) - self._bits(channel, prior, np.zeros(len(prior)))
            return people.expected(self._bits(channel, prior, chances), step**2 * chances * (1 - chances))
        if self.reading == POSTERIOR and people.counts is None:
            return sv.mmse_loss(self.mechanism, prior)
        matrix = channel.matrix()
        table = self.table(matrix, prior)
        mean = matrix @ table.T
        return people.expected(mean, matrix @ (table**2).T - mean**2)

    def _bits(self, channel: sv.UnaryChannel, prior: Floats, heard: Floats) -> Floats:
        """The estimate from the share of set bits; with the prior, equation (31): Pr(R = k | bit k)."""
        a, b = channel.a, channel.b
        if self.reading == PLAIN:
            return np.asarray((heard - b) / (a - b))
        set_, unset = prior * a / (prior * a + (1 - prior) * b), prior * (1 - a) / (prior * (1 - a) + (1 - prior) * (1 - b))
        return np.asarray(unset + (set_ - unset) * heard)

    def table(self, matrix: Floats, prior: Floats) -> Floats:
        """What a report (column) adds to each entry (row)."""
        if self.reading == POSTERIOR:
            chances = prior @ matrix
            joint = prior[:, None] * matrix
            return np.divide(joint, chances, out=np.zeros_like(joint), where=chances > 0)
        channel, own = self.mechanism.channel, np.eye(len(prior))
        assert isinstance(channel, sv.DirectChannel)
        return (own - channel.t[:, None]) / channel.s if self.reading == PLAIN else _as_printed(channel, own)


def _as_printed(channel: sv.DirectChannel, heard: Floats) -> Floats:
    """Equation (40): (the share of reports − p)/(1 − 2p) with p the probability of the truth."""
    p = channel.s + float(channel.t[0])
    return np.asarray((heard - p) / (1 - 2 * p))


def clean(error: float) -> float:
    """Nothing, where only rounding is left."""
    return error if error > 1e-12 else 0.0


def simulate(
    cell: Cell,
    people: PeopleWithPrior,
    mechanisms: Mapping[str, sv.Mechanism],
    secrets: Floats | None = None,
    more: Sequence[tuple[str, str]] = (),
) -> Samples:
    """Everybody reports once a run; the error of each mechanism beside the one to expect, with its level of LIP.

    All reports are read by the posterior; `more` names mechanisms that are read in other ways too.
    """
    samples = Samples()
    levels = {name: lip_level(each, people.prior, secrets) for name, each in mechanisms.items()}
    readings = [*((name, POSTERIOR) for name in mechanisms), *more]
    rivals = {reading: Rival(*reading, mechanisms[reading[0]]) for reading in readings}
    for (name, reading), rival, run, source in cell.trials(rivals):
        answers = people.answers(cell.random(run))
        shares = rival.shares(rival.mechanism.perturb(answers, source), people.prior)
        samples.add({"mse": people.error(shares, answers)}, mechanism=name, estimate=reading, level=levels[name])
    for (name, reading), rival in rivals.items():
        if (expected := rival.expected(people)) is not None:
            samples.predict({"mse": clean(expected)}, mechanism=name, estimate=reading, level=levels[name])
    return samples


def nothing_seen(cell: Cell, samples: Samples, people: PeopleWithPrior) -> None:
    """The error of the prior alone."""
    series = {"mechanism": NOTHING, "estimate": POSTERIOR, "level": 0.0}
    for run in range(cell.runs):
        samples.add({"mse": people.error(people.prior, people.answers(cell.random(run)))}, **series)
    size = len(people.prior)
    samples.predict({"mse": people.expected(np.tile(people.prior, (size, 1)), np.zeros((size, size)))}, **series)


def known(value: float, level: float, mechanism: str, estimate: str = POSTERIOR) -> Row:
    """A line for an error that is known without a run."""
    return exact("exact", value, runs=0, predicted=value, mechanism=mechanism, estimate=estimate, level=level)
