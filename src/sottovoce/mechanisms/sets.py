"""Mechanisms with other set-valued or hashed reports."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from sottovoce.arithmetic import ONE, exp_below, threshold_below
from sottovoce.catalogue import mechanism
from sottovoce.channels import (
    Channel,
    DirectChannel,
    HadamardChannel,
    HadamardCode,
    HashedChannel,
    HashTableChannel,
    LiftedChannel,
    MixedChannel,
    SubsetChannel,
)
from sottovoce.channels.hashed import bucket_table, bucket_weights, public_seeds
from sottovoce.domain import Domain, Item
from sottovoce.errors import ParameterError
from sottovoce.mechanisms.base import Mechanism
from sottovoce.mechanisms.encodings import MOST_SEARCHED, lip_buckets
from sottovoce.notions import LDP, LIP, ULDP
from sottovoce.optima.odds import lip_odds, noise_odds
from sottovoce.optima.uldp import uldp_limit
from sottovoce.policy import Prior, Promise, checked_domain, mask_of, positive_epsilon

#: A size with a smaller share than this is left out of a mixture.
_NEGLIGIBLE = 1e-9


def _inside(favoured: int, total: int, epsilon: float) -> int:
    """The chance of the favoured reports when each is e^ε times as likely as each other: w·e^ε/(w·e^ε + total − w), rounded down."""
    if favoured == total:
        return ONE
    growth = exp_below(epsilon)
    return threshold_below(favoured * growth / (favoured * growth + total - favoured))


def _buckets(g: Any) -> int:
    if not (isinstance(g, (int, np.integer)) and 2 <= g < 1 << 24):
        raise ParameterError(f"g is {g!r}. Give the number of buckets, from 2 to 2^24 − 1.")
    return int(g)


@mechanism(
    use="very many items, short reports",
    report="a hash function and a bucket",
    source="Wang, Blocki, Li & Jha 2017",
    promises=("LDP",),
    plan=("ldp",),
    examples={"": {"g": 4}},
)
def olh(domain: Domain, epsilon: float, g: int | None = None) -> Mechanism:
    """Optimal local hashing (Wang, Blocki, Li & Jha 2017): a random hash to g = round(e^ε) + 1 buckets, then k-RR over them.

    By default g is at most 65536, which the rule exceeds above ε = 11.

    >>> olh(Domain(range(100)), 1.0).channel.buckets
    4
    """
    epsilon = positive_epsilon(epsilon)
    buckets = _buckets(min(round(math.exp(epsilon)) + 1, 1 << 16) if g is None else g)
    checked_domain(domain)
    direct = DirectChannel.from_odds([noise_odds(epsilon)], np.zeros(buckets, dtype=np.intp))
    return Mechanism(domain, HashedChannel(len(domain), direct), LDP(epsilon), "olh")


def _best_size(promise: Promise) -> dict[str, int]:
    """The size of the sets with which the worst-case error is least."""
    count = len(promise.domain)
    best = max(uldp_limit(count, count, promise.strictest).sizes)  # a single one, where all items are sensitive
    return {"size": min(best, max(1, count - 1))}


@mechanism(
    use="best accuracy under LDP",
    report="a set of fixed size",
    source="Ye & Barg 2018",
    promises=("LDP",),
    plan={"ldp": _best_size},
    examples={"": {"size": 2}},
)
def subset_selection(domain: Domain, epsilon: float, size: int | None = None) -> Mechanism:
    """Subset selection (Wang et al. 2016, Ye & Barg 2018): k items, the own one with probability k·e^ε/(k·e^ε + K − k).

    `size` defaults to the k nearest K/(e^ε + 1), which minimises the error.

    >>> subset_selection(Domain(range(10)), 1.0).channel.chosen
    3
    """
    epsilon, count = positive_epsilon(epsilon), len(checked_domain(domain))
    chosen = max(1, round(count / (math.exp(epsilon) + 1))) if size is None else size
    if not (isinstance(chosen, (int, np.integer)) and 1 <= chosen <= max(1, count - 1)):
        raise ParameterError(f"The size is {size!r}. Give a number from 1 to {count - 1}, for {count} items.")
    channel = SubsetChannel(count, int(chosen), _inside(int(chosen), count, epsilon))
    return Mechanism(domain, channel, LDP(epsilon), "subset_selection")


@mechanism(
    use="many items, short reports",
    report="a column number",
    source="Acharya, Sun & Zhang 2019",
    promises=("LDP",),
    plan=("ldp",),
    examples={"": {"blocks": 1}, "blocks": {"blocks": 4}},
)
def hadamard(domain: Domain, epsilon: float, blocks: int | None = None) -> Mechanism:
    """Hadamard response (Acharya, Sun & Zhang 2019): a column of the own half-block, each e^ε times as likely as the others.

    The number of blocks defaults to theirs, 2^(⌈log₂ min(e^ε, 2K)⌉ − 1). One block is the form for small ε.

    >>> hadamard(Domain(range(10)), 1.0).channel.code.length
    16
    """
    epsilon, count = positive_epsilon(epsilon), len(checked_domain(domain))
    if blocks is None:
        blocks = 2 ** max(0, math.ceil(math.log2(min(math.exp(epsilon), 2 * count))) - 1)
    if not isinstance(blocks, (int, np.integer)) or blocks < 1 or blocks & (blocks - 1) or blocks > 2 * count:
        raise ParameterError(f"The number of blocks is {blocks!r}. Give a power of two, at most twice the number of items.")
    block = 2 ** math.ceil(math.log2(-(-count // int(blocks)) + 1))
    code = HadamardCode(count, block, int(blocks))
    return Mechanism(domain, HadamardChannel(code, _inside(block // 2, code.length, epsilon)), LDP(epsilon), "hadamard")


@mechanism(
    use="some answers sensitive, the least worst-case error that is possible",
    report="a set of sensitive items, or the item itself",
    source="Yoon, Park, Nam & Lee 2025",
    see="#the-limit",
    promises=("ULDP",),
    plan=("uldp",),
    examples={"": {"domain": "abcdefgh", "sensitive": "acdh"}, "one": {"epsilon": 5}, "all": {"sensitive": "abcde"}},
)
def ubd(domain: Domain, epsilon: float, sensitive: Iterable[Item]) -> Mechanism:
    """The mechanism that reaches the limit of ULDP (Yoon, Park, Nam & Lee 2025): subset selection over the sensitive items, lifted.

    A report is a set of k sensitive items, or an item that isn't sensitive. If one size alone doesn't reach the limit, a public coin
    chooses between two for every report. Inversion weighs the sizes accordingly, and its worst-case error is that of `uldp_limit`.

    >>> m = ubd(Domain(20), 1.0, sensitive=range(3))
    >>> m.channel.chosen, round(m.channel.chances[0], 4)
    ((1, 2), 0.6997)
    """
    epsilon, mask = positive_epsilon(epsilon), mask_of(domain, sensitive)
    count = int(mask.sum())
    sizes = {k: share for k, share in uldp_limit(len(domain), count, epsilon).sizes.items() if share > _NEGLIGIBLE}
    bases = [SubsetChannel(count, k, _inside(k, count, epsilon)) for k in sorted(sizes)]
    if mask.all():
        channel: Channel = bases[0]
    else:
        parts = [LiftedChannel.of(base, mask, epsilon) for base in bases]
        channel = parts[0] if len(parts) == 1 else MixedChannel((parts[0], parts[1]), round(sizes[min(sizes)] * ONE))
    return Mechanism(domain, channel, ULDP(epsilon, domain.decode(np.flatnonzero(mask))), "ubd")


@mechanism(
    use="a known prior, many items (by default nearly the best g for the prior)",
    report="a hash function and a bucket",
    source="Jiang, Li & Tandon 2020, Proposition 3, corrected",
    promises=("LIP",),
    plan={"lip": lambda promise: {"functions": 64} if len(promise.domain) <= MOST_SEARCHED else None},
    examples={"": {"g": 3, "functions": 8}},
)
def lh_lip(domain: Domain, epsilon: float, prior: Any, g: int | None = None, functions: int = 1024) -> Mechanism:
    """Local hashing under local information privacy (LIP paper, Proposition 3), with the corrected `rr_lip` over the buckets.

    By default g is the number of buckets (up to 256) that leaves the least mean squared error under the prior. The hash function is one
    of `functions` public ones. The channel of each is tabulated and certified.

    >>> lh_lip(Domain("abcd"), 1.0, [0.1, 0.2, 0.3, 0.4], g=2, functions=8).certify().holds
    True
    """
    epsilon, known = positive_epsilon(epsilon), Prior.of(prior).for_items(len(checked_domain(domain)))
    if not (isinstance(functions, (int, np.integer)) and 1 <= functions <= 1 << 16) or functions & (functions - 1):
        raise ParameterError(f"The number of hash functions is {functions!r}. Give a power of two up to 65536.")
    buckets = _buckets(lip_buckets(known.p, epsilon, int(functions)) if g is None else g)
    weights = bucket_weights(bucket_table(len(domain), buckets, public_seeds(int(functions))), buckets, known)
    directs = tuple(DirectChannel.from_odds(lip_odds(row, known.total, epsilon)) for row in weights)
    return Mechanism(domain, HashTableChannel(len(domain), buckets, directs), LIP(epsilon, known), "lh_lip")
