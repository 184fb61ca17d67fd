"""The conformance suite: what every mechanism must pass, chosen from its type. Run it over a mechanism of your own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from sottovoce.arithmetic import log_above
from sottovoce.channels.statistic import place_of, places_of
from sottovoce.checks import enumeration
from sottovoce.checks.statistics import FALSE_ALARM, p_value
from sottovoce.errors import ParameterError, SottovoceError
from sottovoce.mechanisms import Mechanism
from sottovoce.notions import (
    IDLDP,
    IPLDP,
    LDP,
    LIP,
    OSLDP,
    ULDP,
    BoundedPriorLIP,
    DifferentialIdentifiability,
    ItemULDP,
    Notion,
    Pufferfish,
    Secrets,
)
from sottovoce.sources import ReplaySource, SeededSource, Source

Check = Callable[[Mechanism], None]

#: Up to this many items are all sampled.
_MOST_ITEMS = 32
#: A matrix with more entries than this is not enumerated.
_MOST_ENTRIES = 1 << 14


class ConformanceError(SottovoceError, AssertionError):
    """A mechanism that doesn't do what it claims."""


def _require(condition: object, message: str) -> None:
    if not condition:
        raise ConformanceError(message)


def _enumerable(mechanism: Mechanism) -> bool:
    length = mechanism.channel.length
    return length is not None and len(mechanism.inputs) * length <= _MOST_ENTRIES


def rows_sum_to_one(mechanism: Mechanism) -> None:
    """Every row of the exact matrix sums to exactly 1, and the matrix in doubles is the same."""
    exact = mechanism.channel.matrix(exact=True)
    _require(all(sum(row) == 1 for row in exact.tolist()), "a row of the exact matrix does not sum to 1")
    _require(
        np.allclose(exact.astype(np.float64), mechanism.channel.matrix(), rtol=1e-12, atol=0), "matrix() differs from matrix(exact=True)"
    )


def claim_holds(mechanism: Mechanism) -> None:
    """The mechanism keeps its own guarantee."""
    _require(mechanism.certify().holds, f"{mechanism.name} does not keep its claim {mechanism.claim}")


def certificate_equals_enumeration(mechanism: Mechanism) -> None:
    """The closed forms give the levels that listing every report gives."""
    matrix = mechanism.channel.matrix(exact=True)
    _require(LDP(math.inf).check(mechanism).level == max(0.0, log_above(enumeration.ldp(matrix))), "the LDP level differs from enumeration")
    expected = enumerated_level(mechanism, mechanism.claim, matrix)
    if expected is not None:
        level = mechanism.certify().level
        _require(level == expected, f"the certified level {level!r} differs from the enumerated {expected!r}")


def enumerated_level(mechanism: Mechanism, notion: Notion, matrix: Any) -> float | None:
    """The level of a notion by enumeration, rounded up. None for a notion that bounds an average."""
    codes = mechanism.inputs.code
    value: Fraction | float
    match notion:
        case LDP():
            value = enumeration.ldp(matrix)
        case ULDP(sensitive=sensitive):
            value = enumeration.uldp(matrix, [codes(item) for item in sensitive])
        case OSLDP(sensitive=sensitive):
            value = enumeration.osldp(matrix, [codes(item) for item in sensitive])
        case IPLDP(budgets=budgets):
            value = max(enumeration.ipldp(matrix, [codes(item) for item in budgets]).values())
        case IDLDP(budgets=budgets):
            value = max(enumeration.idldp(matrix, [codes(item) for item in budgets]).values())
        case ItemULDP(budgets=budgets):
            value = max(enumeration.item_uldp(matrix, [codes(item) for item in budgets]).values())
        case LIP(prior=prior, secrets=secrets):
            value = enumeration.lip(matrix, [prior.fraction(x) for x in range(len(prior))], None if secrets is None else secrets.rows)
        case BoundedPriorLIP(priors=priors):
            value = max(enumeration.lip(matrix, [p.fraction(x) for x in range(len(p))]) for p in priors.corners)
        case DifferentialIdentifiability(prior=prior):
            value = enumeration.identifiability(matrix, [prior.fraction(x) for x in range(len(prior))])
        case Pufferfish(scenarios=scenarios, pairs=pairs):
            value = max(enumeration.pufferfish(matrix, [rows[g]], [rows[h]]) for rows, g, h in _secret_pairs(scenarios, pairs))
        case _:
            return None
    return max(0.0, log_above(value))


def _secret_pairs(scenarios: tuple[Secrets, ...], pairs: Any) -> Iterator[tuple[Any, int, int]]:
    for secrets in scenarios:
        count = len(secrets.rows)
        for g, h in pairs or combinations(range(count), 2):
            yield secrets.rows, g, h
            yield secrets.rows, h, g


def likelihood_is_proportional(mechanism: Mechanism) -> None:
    """The compact likelihood of a report is its column of the matrix, up to a factor."""
    channel = mechanism.channel
    codes = np.repeat(np.arange(len(mechanism.inputs)), 40)
    reports = channel.perturb(codes, SeededSource(3))
    dense = channel.likelihood(reports)
    places = places_of(channel.outputs())
    matrix = channel.matrix()
    for row, report in zip(dense, reports.tolist(), strict=True):
        column = matrix[:, place_of(report, places)]
        _require(np.allclose(row / row.sum(), column / column.sum(), rtol=1e-9, atol=1e-15), f"the likelihood of report {report} is wrong")


def reports_round_trip(mechanism: Mechanism) -> None:
    """Reports survive bytes and Arrow, and split and join."""
    channel = mechanism.channel
    reports = channel.perturb(np.arange(300) % len(mechanism.inputs), SeededSource(5))
    _require(channel.reports_from_bytes(reports.to_bytes()) == reports, "reports do not survive bytes")
    _require(channel.reports_from_arrow(reports.to_arrow()) == reports, "reports do not survive Arrow")
    _require(reports[:100] + reports[100:] == reports, "reports do not survive splitting and joining")


def same_words_same_reports(mechanism: Mechanism) -> None:
    """Recorded words give the same reports again, in bulk, in parts, or one by one."""
    channel = mechanism.channel
    codes = np.arange(200) % len(mechanism.inputs)
    words = SeededSource(11).take(200 * 40 * (4 + len(mechanism.inputs)))
    whole = channel.perturb(codes, ReplaySource(words))
    parts: Source = ReplaySource(words)
    _require(channel.perturb(codes[:77], parts) + channel.perturb(codes[77:], parts) == whole, "perturbing in parts gives other reports")
    single: Source = ReplaySource(words)
    _require([channel.perturb_one(int(code), single) for code in codes] == whole.tolist(), "perturbing one by one gives other reports")


def _sampled_items(count: int) -> list[int]:
    """All items of a small domain. Of a large one, the first and the last, those at the edges of words, and a few between."""
    edges = {0, 1, 62, 63, 64, 65, count // 2, count - 2, count - 1, *range(0, count, max(1, count // 8))}
    return [code for code in range(count) if count <= _MOST_ITEMS or code in edges]


def samples_its_channel(mechanism: Mechanism, source: Source | None = None, count: int = 20_000) -> None:
    """The reports of every item follow the channel (false alarm below 1e-9 per mechanism)."""
    for code in _sampled_items(len(mechanism.inputs)):
        reports = mechanism.channel.perturb(np.full(count, code), source or SeededSource(17 + code))
        value = p_value(mechanism.channel, code, reports)
        _require(value * _MOST_ITEMS > FALSE_ALARM, f"reports of item {code} do not follow the channel (p < {value:.1e})")


def checks_for(mechanism: Mechanism) -> list[Check]:
    """The checks that apply to a mechanism."""
    common: list[Check] = [claim_holds, reports_round_trip, same_words_same_reports, samples_its_channel]
    if not _enumerable(mechanism):
        return common
    return [rows_sum_to_one, certificate_equals_enumeration, likelihood_is_proportional, *common]


def conform(mechanism: Mechanism) -> list[str]:
    """Run every check that applies. Returns their names, or raises `ConformanceError` with what is wrong.

    >>> from sottovoce import Domain, krr
    >>> len(conform(krr(Domain("abc"), 1.0)))
    7
    """
    if not isinstance(mechanism, Mechanism):
        raise ParameterError(f"{type(mechanism).__name__} can't be tested for conformance. Give a mechanism.")
    checks = checks_for(mechanism)
    for check in checks:
        check(mechanism)
    return [check.__name__ for check in checks]
