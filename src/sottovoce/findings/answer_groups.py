"""Answers that are protected alike: by what 1 in 100 becomes at most. Words, pictures and data are made of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce.channels.columns import Ratio
from sottovoce.notions.beliefs import ONE_IN_TWO, of_hundred
from sottovoce.notions.odds import raised
from sottovoce.study import Study


@dataclass(frozen=True)
class Group:
    """The codes of answers that are protected alike, the largest factor among them, and what 1 in 100 becomes at most."""

    codes: Sequence[int]
    ratio: Ratio
    after: float

    @property
    def half(self) -> float:
        """What 50 in 100 becomes at most."""
        return of_hundred(self.ratio, ONE_IN_TWO)


def groups_of(study: Study, tier: str) -> list[Group]:
    """The answers that are protected at a level of a study of one question, by what 1 in 100 becomes at most, the best protected first."""
    promise, mechanism = study.promises[tier], study.blocks[tier]
    if promise is None:
        return []
    named = [mechanism.inputs.code(item) for item in promise.budgets or [*promise.sensitive, *promise.bots]]
    codes = np.array(sorted(named), dtype=np.int64) if named else np.arange(len(mechanism.inputs))
    found: dict[float, Group] = {}
    for ratio, some in raised(mechanism, codes, study.reports):
        after = of_hundred(ratio)
        found[after] = Group(sorted([*(found[after].codes if after in found else []), *some.tolist()]), ratio, after)
    return [found[after] for after in sorted(found)]
