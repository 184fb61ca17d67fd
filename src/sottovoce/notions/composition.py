"""The guarantee of several reports about one answer, or of a processed report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.arithmetic import sum_above
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.notions.base import Notion
from sottovoce.notions.budgets import IDLDP, ItemULDP
from sottovoce.notions.ldp import LDP
from sottovoce.notions.uldp import OSLDP, ULDP


def compose(*claims: Notion) -> Notion:
    """Combine the guarantees of several reports about one answer: budgets add up.

    LDP with LDP gives LDP. ULDP with ULDP over the same sensitive items gives ULDP (ULDP paper, Proposition 1), and ULDP with LDP gives
    ULDP (Proposition 12: the protected reports of one collector joined with another collector's LDP reports). MinID-LDP, and ULDP with item
    budgets over the same items, add up item by item. Other combinations raise an `UnsupportedError`.

    >>> compose(LDP(1.0), LDP(0.5))
    LDP(epsilon=1.5)
    """
    if not claims:
        raise ParameterError("There are no claims. Give at least one.")
    if others := [claim for claim in claims if not isinstance(claim, Notion)]:
        raise ParameterError(f"{others[0]!r} isn't a claim. Give notions side by side, for example compose(LDP(1.0), LDP(0.5)).")
    kinds = {type(claim) for claim in claims}
    if kinds <= {IDLDP} or kinds <= {ItemULDP}:
        return _budgets_added(claims)
    if kinds <= {LDP, ULDP, OSLDP}:
        total = sum_above([claim.epsilon for claim in claims])  # type: ignore[attr-defined]  # all three have one
        sets = {claim.sensitive for claim in claims if isinstance(claim, (ULDP, OSLDP))}
        if len(sets) > 1:
            raise UnsupportedError("The claims protect different items. Compose claims with the same sensitive items.")
        return LDP(total) if not sets else (OSLDP if OSLDP in kinds else ULDP)(total, next(iter(sets)))
    wrong = next((kind.__name__ for kind in kinds if kind not in {LDP, ULDP, OSLDP, IDLDP, ItemULDP}), "claims of different kinds")
    raise UnsupportedError(
        f"The levels of several reports under {wrong} don't simply add up. Divide the budget before asking, or bound each report by LDP "
        "(ε-LIP implies 2ε-LDP, and IPLDP with a budget for every item LDP at the largest) and compose that."
    )


def _budgets_added(claims: Sequence[Any]) -> Notion:
    """Budgets per item add up, since min(a, b) + min(c, d) ≤ min(a + c, b + d)."""
    if len({frozenset(claim.budgets) for claim in claims}) > 1:
        raise UnsupportedError("The claims give budgets to different items. Compose claims over the same items.")
    total: Notion = type(claims[0])({item: sum_above([claim.budgets[item] for claim in claims]) for item in claims[0].budgets})
    return total


def repeated(claim: Notion, times: int) -> Notion:
    """The guarantee of `times` independent reports about one unchanged answer."""
    if not isinstance(times, int) or times < 1:
        raise ParameterError(f"The number of reports is {times!r}. Give a positive integer.")
    return compose(*[claim] * times)


def preserves_data_types(post: ArrayLike | Sequence[Sequence[Any]], invertible: ArrayLike) -> bool:
    """Whether a random map of reports keeps protected reports protected and invertible ones invertible (Definition 5).

    `post[y][z]` is the probability of z given y, and `invertible[y]` is whether report y is invertible. If the result is True, the composed
    mechanism keeps its ULDP claim (Proposition 11). Otherwise it keeps only the guarantee for the protected reports.

    >>> preserves_data_types([[1, 0], [0, 1]], invertible=[False, True])
    True
    >>> preserves_data_types([[1, 0], [1, 0]], invertible=[False, True])
    False
    """
    support: NDArray[np.bool_] = np.asarray(post) != 0
    mask = np.asarray(invertible, dtype=np.bool_)
    if support.ndim != 2 or len(support) != len(mask):
        raise ParameterError("The map doesn't fit the reports. Give one row and one flag per report.")
    from_invertible, from_protected = support[mask].sum(axis=0), support[~mask].sum(axis=0)
    return bool(np.all((from_invertible == 0) | ((from_invertible == 1) & (from_protected == 0))))
