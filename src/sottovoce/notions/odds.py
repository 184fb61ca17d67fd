"""How far reports can change the odds of each answer, read off the integers that are sampled. All exact."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Mask
from sottovoce.channels.columns import Ratio
from sottovoce.domain import Item
from sottovoce.notions.base import Certificate, Judged, all_items
from sottovoce.notions.ldp import LDP

#: Kinds of answers that are looked at one by one. Of more, all get the largest factor among them.
_KINDS = 256


def protected(certificate: Certificate) -> Mask:
    """The answers whose odds the notion of a certificate limits, whatever someone believes."""
    notion, judged = certificate.notion, certificate.judged
    assert judged is not None
    named: Iterable[Item] | None = getattr(notion, "sensitive", None) or getattr(notion, "budgets", None)
    mask = all_items(judged)
    if named is None:
        mask[:] = notion.raises(judged.inputs.item(0)) < np.inf
        return mask
    mask[:] = False
    mask[[judged.inputs.code(item) for item in named]] = True
    return mask


def raised(judged: Judged, codes: NDArray[np.int64], reports: int = 1) -> list[tuple[Ratio, NDArray[np.int64]]]:
    """Answers by the factor by which all reports of a person can raise their odds against any other answer, the smallest factor first.

    >>> from sottovoce import Domain, iprr
    >>> found = raised(iprr(Domain("abc"), {"a": 1.0, "b": 2.0}), np.arange(2))
    >>> [(round(float(ratio), 2), codes.tolist()) for ratio, codes in found]
    [(2.72, [0]), (7.39, [1])]
    """
    columns, everything = judged.channel.columns, all_items(judged)
    kinds = columns.kinds(codes)
    names, places = np.unique(kinds, return_inverse=True)
    if len(names) > _KINDS:
        places = np.zeros(len(codes), dtype=np.intp)
    found: dict[Ratio, list[NDArray[np.int64]]] = {}
    for place in range(int(places.max(initial=-1)) + 1):
        mine, mask = codes[places == place], np.zeros(len(everything), dtype=np.bool_)
        mask[mine[:2] if len(names) <= _KINDS else mine] = True  # two, so that answers of a kind are compared with each other
        found.setdefault(_together(columns.largest_pair(mask, everything).ratio, reports), []).append(mine)
    return [(ratio, np.sort(np.concatenate(found[ratio]))) for ratio in sorted(found)]


def swing(judged: Judged, answers: Mask, reports: int = 1) -> tuple[Ratio, Ratio]:
    """The factors by which all reports of a person can raise, and lower, the odds of some answers at most.

    If a report can reveal an answer, it rules the others out. Without answers, nothing is limited.
    """
    if not answers.any():
        return np.inf, np.inf
    columns, everything = judged.channel.columns, all_items(judged)
    up: Ratio = np.inf if bool((columns.invertible & answers).any()) else columns.largest_pair(answers, everything).ratio
    down: Ratio = np.inf if bool(columns.invertible.any()) else columns.largest_pair(everything, answers).ratio
    return _together(up, reports), _together(down, reports)


def swing_of(certificate: Certificate) -> tuple[Ratio, Ratio]:
    """The factors of a certificate. They are infinite if its notion limits no odds."""
    if certificate.ratio is not None:
        return certificate.ratio, certificate.ratio if isinstance(certificate.notion, LDP) else np.inf
    return (np.inf, np.inf) if certificate.judged is None else swing(certificate.judged, protected(certificate))


def _together(ratio: Ratio, reports: int) -> Ratio:
    """The factor of so many reports, at least 1."""
    return np.inf if ratio == np.inf else max(Fraction(1), Fraction(ratio)) ** reports
