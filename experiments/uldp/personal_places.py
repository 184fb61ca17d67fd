"""People with places of their own: homes and offices behind two tags, and what may be known about where these are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from experiments.data import Data
from experiments.uldp.simulation import MANHATTAN, METHODS, People, people_of
from sottovoce.arrays import Floats

#: The tags, and the columns of the file that count check-ins and venues of that kind.
TAGS = {"home": ("home", "home_venues"), "work": ("office", "office_venues")}
#: The common mechanisms, and the methods.
BASES = {"uRR": sv.urr, "uRAP": sv.urap}
ESTIMATES = {name: METHODS[name] for name in ("emp", "EM")}
#: What may be known about the tags: nothing, where venues of the kind are, where the people are.
CASES = ("(I) nothing", "(II) venues", "(III) truth")
#: A sample of this size has the covariance of the population, but for one part in thirty thousand.
_MANY = 10**9


@dataclass(frozen=True)
class Tagged:
    """The people of Manhattan, those behind each tag by place, and where the venues of each tag are."""

    people: People
    held: dict[str, NDArray[np.int64]]
    venues: dict[str, Floats]

    @property
    def behind(self) -> People:
        """The same people by what they send: places, then one bot for each tag."""
        items = self.people.counts - sum(self.held.values())
        return replace(self.people, counts=np.concatenate([items, [held.sum() for held in self.held.values()]]))

    @property
    def truth(self) -> dict[str, Floats]:
        """Where the people behind each tag are."""
        return {tag: held / held.sum() for tag, held in self.held.items()}

    def knowledge(self, case: str) -> dict[str, Floats] | None:
        return {CASES[0]: None, CASES[1]: self.venues, CASES[2]: self.truth}[case]

    def asked(self, random: np.random.Generator) -> tuple[NDArray[np.int64], list[str | None]]:
        """The places of n people, and their tags."""
        groups = np.stack([self.people.counts - sum(self.held.values()), *self.held.values()])
        drawn = random.multivariate_hypergeometric(groups.ravel(), self.people.n, method="marginals")
        kinds, places = np.divmod(np.repeat(np.arange(groups.size), drawn), groups.shape[1])
        return places, np.array([None, *self.held], dtype=object)[kinds].tolist()


def tagged_people(data: Data) -> Tagged:
    """Homes and offices outside the regions that are sensitive to everybody are behind their tags."""
    people, counts = people_of("Manhattan", data), data.table(MANHATTAN)
    free = ~people.domain.indicator(people.sensitive)
    held = {tag: np.where(free, counts[column], 0) for tag, (column, _) in TAGS.items()}
    venues = {tag: np.where(free, counts[column], 0).astype(np.float64) for tag, (_, column) in TAGS.items()}
    return Tagged(people, held, {tag: each / each.sum() for tag, each in venues.items()})


def squares(mechanism: sv.PersonalMechanism, tagged: Tagged, case: str) -> float:
    """The squared error to expect of emp: p̂ is linear in r̂, whose covariance is known, less the part that asking each person once saves."""
    r, n = tagged.behind.p, tagged.people.n
    many = sv.estimate(sv.Tally.simulate(mechanism, r, _MANY, sv.SeededSource(1)), "inversion")
    covariance = many.covariance() * _MANY / n - (np.diag(r) - np.outer(r, r)) / n * tagged.people.once(n)
    known = tagged.knowledge(case) or {}
    spread = np.hstack([np.eye(len(tagged.people.counts)), np.stack([known[tag] for tag in TAGS], axis=1)])
    return float(np.einsum("ij,jk,ik->", spread, covariance, spread, optimize=True) + ((spread @ r - tagged.people.p) ** 2).sum())
