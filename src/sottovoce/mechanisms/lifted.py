"""Mechanisms made from others: the lift to ULDP, a user's own matrix, post-processing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.arithmetic import ONE
from sottovoce.catalogue import MECHANISMS, mechanism
from sottovoce.channels import MatrixChannel, lift
from sottovoce.domain import Domain, Item
from sottovoce.errors import DomainError, ParameterError, UnsupportedError
from sottovoce.mechanisms.base import Mechanism
from sottovoce.mechanisms.bases import base_of
from sottovoce.mechanisms.window import planned, warn_of_gaps
from sottovoce.notions import IPLDP, LDP, OSLDP, ULDP, Notion, preserves_data_types
from sottovoce.policy import checked_domain, is_distribution, mask_of

#: How far `from_matrix` may pull rows together to make up for rounding: invisible to any estimate.
_PULL = Fraction(1, 1 << 40)


def _lift_of(domain: Domain, epsilon: float, sensitive: Sequence[Item], base: str = "krr", width: str | int | None = None) -> Mechanism:
    maker = base_of("utility_optimized", base, "LDP", ("epsilon",))
    if width is not None and "width" not in MECHANISMS[base].settings:
        raise ParameterError(f'The base {base!r} has no width. Leave out the width, or write base = "window".')
    return utility_optimized(maker(domain.subset(sensitive), epsilon, **({} if width is None else {"width": width})), domain)


def _planned(promise: Any) -> list[dict[str, Any]]:
    """For all items, and with a window for numbers and scales of which more than one is sensitive."""
    window = planned(promise) if len(promise.sensitive) > 1 else None
    return [{"base": "oue"}, *([] if window is None else [{"base": "window"} | window])]


@mechanism(
    use="the lift of any LDP mechanism",
    report="as the base, or the item itself",
    see="#the-lift",
    promises=("ULDP",),
    plan={"uldp": _planned},
    build=_lift_of,
    examples={
        **{base: {"base": base} for base in ("krr", "rappor", "oue", "olh", "hadamard", "subset_selection")},
        "oue-one": {"base": "oue", "sensitive": "c"},
        "window": {"base": "window", "domain": range(6), "sensitive": [1, 2, 3]},
        "window-width": {"base": "window", "domain": range(6), "sensitive": [1, 2, 3, 4], "width": 1},
    },
)
def utility_optimized(base: Mechanism, domain: Domain) -> Mechanism:
    """Lift an ε-LDP mechanism over the sensitive items to (X_S, ε)-ULDP over the whole domain.

    A non-sensitive item answers like a sensitive one just often enough, with probability δ(y) = e^{−ε}·max_x M(y|x), and reports
    itself otherwise. The lift of `krr` is `urr`.

    >>> from sottovoce import krr, urr
    >>> domain = Domain("abcdef")
    >>> lifted = utility_optimized(krr(domain.subset("abc"), 1.0), domain)
    >>> bool((lifted.channel.matrix(exact=True) == urr(domain, 1.0, "abc").channel.matrix(exact=True)).all())
    True
    """
    if not isinstance(base, Mechanism):
        raise ParameterError(f"The base is {base!r}. Give a mechanism over the sensitive items, for example krr(part, 1.0).")
    if not isinstance(base.claim, LDP) or math.isinf(base.claim.epsilon):
        raise UnsupportedError(f"The base guarantees {type(base.claim).__name__}. Use one that guarantees LDP.")
    mask = mask_of(domain, base.domain)
    sensitive = domain.decode(np.flatnonzero(mask))
    if list(base.domain) != sensitive:
        raise DomainError("The items of the base aren't in the order of the domain. Make it from domain.subset(sensitive).")
    if base.channel.in_order:
        warn_of_gaps(mask)
    return Mechanism(
        domain, lift(base.channel, mask, base.claim.epsilon), ULDP(base.claim.epsilon, sensitive), f"utility_optimized({base.name})"
    )


def _matrix_of(domain: Domain, claim: Notion, matrix: Any = None) -> Mechanism:
    if matrix is None:
        raise ParameterError("The matrix is missing. Write a row for each item: matrix = [[0.7, 0.3], [0.3, 0.7]].")
    return from_matrix(domain, matrix, claim)


@mechanism(use="a matrix of your own that keeps its claim", report="a column number", promises=(), build=_matrix_of, examples={})
def from_matrix(domain: Domain, matrix: ArrayLike | Sequence[Sequence[Any]], claim: Notion | None = None) -> Mechanism:
    """A mechanism from a matrix of probabilities Q(y|x), one row per item.

    Without a claim it guarantees its own LDP level. Rows are rounded to integers out of 2^64. If that rounding alone would break the
    claim, the rows are first pulled towards each other by a factor of 2^-40.

    >>> from_matrix(Domain("ab"), [[0.75, 0.25], [0.25, 0.75]]).claim.epsilon.__round__(4)
    1.0986
    """
    rows = _exact_rows(matrix, len(checked_domain(domain)))
    if claim is not None and not isinstance(claim, Notion):
        raise ParameterError(f"The claim is {claim!r}. Give a notion such as LDP(1.0).")
    channel = MatrixChannel.from_probabilities(rows)
    if claim is None:
        claim = LDP(LDP(math.inf).check(_Candidate(domain, channel)).level or math.ulp(0.0))
    if not claim.check(_Candidate(domain, channel)).holds:
        channel = MatrixChannel.from_probabilities(_pulled_together(rows))
    return Mechanism(domain, channel, claim, "from_matrix")


class _Candidate:
    """A channel on trial: what a notion needs to judge it."""

    def __init__(self, inputs: Domain, channel: MatrixChannel) -> None:
        self.inputs, self.channel = inputs, channel


def _exact_rows(matrix: ArrayLike | Sequence[Sequence[Any]], count: int) -> list[list[Fraction]]:
    try:
        table: NDArray[Any] = np.array([list(row) for row in matrix], dtype=object)  # type: ignore[union-attr, arg-type]  # caught
    except (TypeError, ValueError):
        raise ParameterError("The matrix isn't a table of numbers. Give one row of probabilities per item.") from None
    if table.ndim != 2 or len(table) != count or table.shape[1] < 2:
        raise ParameterError(f"The matrix has the shape {table.shape}. Give {count} rows (one per item) and at least two columns.")
    rows = []
    for x, row in enumerate(table.tolist()):
        if any(not isinstance(entry, (int, float, np.number, Fraction)) or not math.isfinite(entry) for entry in row):
            raise ParameterError(f"Row {x + 1} of the matrix has an entry that isn't a finite number. Correct it.")
        exact = [entry if isinstance(entry, Fraction) else Fraction(float(entry)) for entry in row]
        total = sum(exact, Fraction(0))
        if not is_distribution(exact):
            raise ParameterError(
                f"Row {x + 1} of the matrix sums to {float(total):.12g} or has negative numbers. Give a distribution, which sums to 1."
            )
        rows.append([entry / total for entry in exact])
    return rows


def _pulled_together(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    """Mix every row with the mean row over the columns that all items share, keeping the row's share of those columns."""
    count, columns = len(rows), range(len(rows[0]))
    shared = [y for y in columns if all(row[y] > 0 for row in rows)]
    mean = {y: sum((row[y] for row in rows), Fraction(0)) / count for y in shared}
    total = sum(mean.values(), Fraction(0))
    mixed = []
    for row in rows:
        share = sum((row[y] for y in shared), Fraction(0))
        mixed.append([(1 - _PULL) * row[y] + _PULL * share * mean[y] / total if y in mean else row[y] for y in columns])
    return mixed


@mechanism(
    use="merging or mixing reports, with the mechanism's guarantee (OSLDP if ULDP's data types are mixed, not for IPLDP)",
    report="a column number",
    source="ULDP paper, Proposition 11",
    promises=(),
    in_studies=False,
)
def post_process(mechanism: Mechanism, post: ArrayLike | Sequence[Sequence[Any]]) -> Mechanism:
    """Map every report y to z with probability post[y][z].

    Most guarantees survive any map. ULDP survives a map that preserves data types (ULDP paper, Proposition 11). Any other map leaves
    OSLDP. IPLDP isn't supported, because its reports must be items.

    >>> from sottovoce import krr
    >>> merged = post_process(krr(Domain("abc"), 1.0), [[1, 0], [0, 1], [0, 1]])
    >>> merged.channel.length, merged.claim
    (2, LDP(epsilon=1.0))
    """
    numerators = mechanism.channel.matrix(exact=True) * ONE
    table = _exact_rows(post, numerators.shape[1])
    claim = mechanism.claim
    if isinstance(claim, ULDP) and not preserves_data_types(table, (numerators != 0).sum(axis=0) == 1):
        claim = OSLDP(claim.epsilon, claim.sensitive)
    if isinstance(claim, IPLDP) or mechanism.inputs != mechanism.domain:
        raise UnsupportedError(
            f"{mechanism.name} can't be post-processed, because its reports must stay items or bots. Choose another mechanism."
        )
    rows = [
        [sum((q * table[y][z] for y, q in enumerate(row)), Fraction(0)) / ONE for z in range(len(table[0]))] for row in numerators.tolist()
    ]
    return Mechanism(mechanism.domain, from_matrix(mechanism.domain, rows, claim).channel, claim, f"post_process({mechanism.name})")
