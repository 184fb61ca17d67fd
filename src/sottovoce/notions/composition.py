"""What several reports, or a processed report, promise together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.arithmetic import sum_above
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.notions.base import Notion
from sottovoce.notions.ldp import LDP
from sottovoce.notions.uldp import OSLDP, ULDP


def compose(*claims: Notion) -> Notion:
    """The promise of several reports about one answer: budgets add up.

    LDP with LDP gives LDP. ULDP with ULDP over the same sensitive items gives ULDP (ULDP paper, Proposition 1), and ULDP with
    LDP gives ULDP (Proposition 12: the protected reports of one collector joined with another collector's LDP reports).

    >>> compose(LDP(1.0), LDP(0.5))
    LDP(epsilon=1.5)
    """
    if not claims:
        raise ParameterError("nothing to compose; give at least one claim")
    total = sum_above([claim.epsilon for claim in claims if isinstance(claim, (LDP, ULDP, OSLDP))])
    if all(isinstance(claim, LDP) for claim in claims):
        return LDP(total)
    sets = {claim.sensitive for claim in claims if isinstance(claim, (ULDP, OSLDP))}
    if all(isinstance(claim, (LDP, ULDP, OSLDP)) for claim in claims):
        if len(sets) > 1:
            raise UnsupportedError("the claims protect different items; compose claims that name the same sensitive items")
        kind = OSLDP if any(isinstance(claim, OSLDP) for claim in claims) else ULDP
        return kind(total, next(iter(sets)))
    wrong = next(claim for claim in claims if not isinstance(claim, (LDP, ULDP, OSLDP)))
    raise UnsupportedError(
        f"several reports under {type(wrong).__name__} do not add up in a simple way; "
        "divide the budget before asking, or bound each report by LDP (ε-LIP implies 2ε-LDP) and compose that"
    )


def repeated(claim: Notion, times: int) -> Notion:
    """The promise of `times` independent reports about one unchanged answer."""
    if not isinstance(times, int) or times < 1:
        raise ParameterError(f"{times!r} reports; the number of reports is a positive integer")
    return compose(*[claim] * times)


def preserves_data_types(post: ArrayLike | Sequence[Sequence[Any]], invertible: ArrayLike) -> bool:
    """Whether a random map of reports keeps protected reports protected and invertible ones invertible (Definition 5).

    `post[y][z]` is the probability of z given y, and `invertible[y]` says which reports y are invertible. Then the composed
    mechanism keeps its ULDP claim (Proposition 11); any other map keeps only what it promised for the protected reports.

    >>> preserves_data_types([[1, 0], [0, 1]], invertible=[False, True])
    True
    >>> preserves_data_types([[1, 0], [1, 0]], invertible=[False, True])
    False
    """
    support: NDArray[np.bool_] = np.asarray(post) != 0
    mask = np.asarray(invertible, dtype=np.bool_)
    if support.ndim != 2 or len(support) != len(mask):
        raise ParameterError("the map needs one row per report, and every report a flag")
    from_invertible, from_protected = support[mask].sum(axis=0), support[~mask].sum(axis=0)
    return bool(np.all((from_invertible == 0) | ((from_invertible == 1) & (from_protected == 0))))
