"""The likelihood of reports that stay where they are, on a cluster or in files: each pass sends p there, and brings back sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sottovoce.arrays import Floats
from sottovoce.channels.likelihood import Likelihood, Slope, Sums
from sottovoce.errors import ReportError


class RemoteReports(ABC):
    """Reports of some blocks that stay where they are.

    `counted` are pieces of their likelihood that are nothing but counts, which are at hand. `others` are the numbers of the reports of each
    block that have to be gone through.
    """

    counted: Mapping[str, Sequence[Likelihood]]
    others: Mapping[str, int]

    @abstractmethod
    def sums(self, names: Sequence[str], p: Floats, *, curved: bool) -> Iterable[tuple[int, Sums]]:
        """One pass over the reports of some blocks: of each piece of the likelihood, the number of its reports and their sums."""

    def likelihoods(self, names: Sequence[str]) -> list[Likelihood]:
        """One likelihood for all the reports of the blocks that have to be gone through, so that a pass serves all, and the counts."""
        cheap = [piece for name in names for piece in self.counted[name]]
        dear = tuple(name for name in names if self.others[name])
        return cheap + ([RemoteLikelihood(self, dear)] if dear else [])


@dataclass(frozen=True)
class RemoteLikelihood(Likelihood):
    """The log-likelihood of some blocks whose reports stay where they are."""

    remote: RemoteReports
    names: tuple[str, ...]

    @property
    def n(self) -> float:
        return float(sum(self.remote.others[name] for name in self.names))

    def at(self, p: Floats, *, curved: bool = True) -> Slope:
        found = list(self.remote.sums(self.names, p, curved=curved))
        if sum(number for number, _ in found) != self.n:
            raise ReportError("The reports have changed since they were counted. Collect them again.")
        slopes = [sums.slope for _, sums in found]
        return sum(slopes[1:], start=slopes[0])
