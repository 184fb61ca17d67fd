"""The Cramér-Rao bound of channels whose information is inverted by its structure, against dense algebra and conjugate gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.linalg import block_diag, hadamard
from scipy.sparse.linalg import LinearOperator, cg

import sottovoce as sv
from messages import refused
from sottovoce.channels.fisher import of_matrix
from sottovoce.channels.hadamard import HadamardCode
from sottovoce.channels.hadamard.fisher import inverse_diagonal, solve

Floats = Any


def along_simplex(information: Floats) -> Floats:
    """1 over the information, of shares that sum to 1: by elimination of the first share."""
    size = len(information)
    basis = np.vstack([-np.ones(size - 1), np.eye(size - 1)])
    return np.diag(basis @ np.linalg.inv(basis.T @ information @ basis) @ basis.T)


def written(mechanism: sv.Mechanism, p: Floats) -> Floats:
    """The bound by dense algebra, from Hadamard matrices of scipy: columns of all blocks, then reports that reveal their item."""
    channel: Any = mechanism.channel
    base = getattr(channel, "base", channel)
    code, sensitive = base.code, getattr(channel, "sensitive", np.ones(channel.size, dtype=bool))
    signs = block_diag(*[hadamard(code.block)[1:] + 1] * code.blocks)[: code.items] > 0
    own = base.include / 2**64
    matrix = np.zeros((channel.size, code.length))
    matrix[sensitive] = np.where(signs, own / (code.block // 2), (1 - own) / (code.length - code.block // 2))
    if not sensitive.all():
        filled = signs.any(axis=0)
        matrix[~sensitive] = np.where(filled, channel.keep / 2**64, channel.keep_empty / 2**64) / code.length
    revealed = np.where(sensitive, 0.0, (1 - matrix.sum(axis=1)) / np.where(sensitive, 1.0, p))
    return along_simplex((matrix / (p @ matrix)) @ matrix.T + np.diag(revealed))


def uneven(size: int, heavy: float) -> Floats:
    """One item has a large share, the others fall as 1/rank in some order."""
    p = 1 / (1 + np.random.default_rng(size).permutation(size))
    p *= (1 - heavy) / p.sum()
    p[size // 3] += heavy
    return p / p.sum()


@pytest.mark.parametrize("taken", range(1, 17))
def test_the_first_rows_are_inverted_by_halving(taken: int) -> None:
    generator, signs = np.random.default_rng(taken), hadamard(16)
    eigenvalues, rows = generator.uniform(0.1, 3.0, (2, 16)), np.zeros((2, 16))
    rows[:, :taken] = generator.normal(size=(2, taken))
    diagonal, solved = inverse_diagonal(eigenvalues, taken), solve(eigenvalues, taken, rows)
    for block in range(2):
        inverse = np.linalg.inv(((signs * eigenvalues[block]) @ signs / 16)[:taken, :taken])
        assert diagonal[block, :taken] == pytest.approx(np.diag(inverse), rel=1e-12)
        assert solved[block, :taken] == pytest.approx(inverse @ rows[block, :taken], rel=1e-9, abs=1e-12)
        assert not diagonal[block, taken:].any()
        assert not solved[block, taken:].any()


@pytest.mark.parametrize("heavy", [0.0, 0.7])
@pytest.mark.parametrize(
    ("size", "epsilon", "blocks"),
    [(700, 0.5, None), (511, 0.5, None), (512, 0.5, None), (300, 1.0, 1), (700, 6.0, 1), (700, 1.3, None), (90, 1.0, 8), (225, 4.0, 16)],
)
def test_hadamard_response_is_that_of_the_matrix(size: int, epsilon: float, blocks: int | None, heavy: float) -> None:
    mechanism, p = sv.hadamard(sv.Domain(size), epsilon, blocks=blocks), uneven(size, heavy)
    assert sv.cramer_rao(mechanism, p, 1) == pytest.approx(written(mechanism, p), rel=1e-9)


@pytest.mark.parametrize(("size", "epsilon", "blocks"), [(63, 0.5, 1), (100, 1.0, 1), (100, 3.0, None), (9, 3.0, 4)])
def test_lifted_hadamard_response_is_that_of_the_matrix(size: int, epsilon: float, blocks: int | None) -> None:
    domain = sv.Domain(size + 40)
    base = sv.hadamard(domain.subset(range(20, size + 20)), epsilon, blocks=blocks)
    mechanism, p = sv.utility_optimized(base, domain), uneven(size + 40, 0.4)
    assert sv.cramer_rao(mechanism, p, 1) == pytest.approx(written(mechanism, p), rel=1e-9)


def signed(code: HadamardCode, own: float, p: Floats) -> LinearOperator:
    """The information of one block along the simplex, as a product: two transforms and what the first item takes with it."""
    share = np.log2(code.length)
    assert share.is_integer()

    def transform(values: Floats) -> Floats:
        table = values.reshape((2,) * int(share))
        for axis in range(table.ndim):
            table = np.stack([table.take(0, axis) + table.take(1, axis), table.take(0, axis) - table.take(1, axis)], axis=axis)
        return table.ravel()

    def laid(shares: Floats) -> Floats:
        found = np.zeros(code.length)
        found[1 : code.items + 1] = shares
        return transform(found)

    means = 1 + (2 * own - 1) * laid(p)

    def product(direction: Floats) -> Floats:
        weighed = transform(laid(np.append(-direction.sum(), direction)) / means)[1 : code.items + 1]
        return (2 * own - 1) ** 2 / code.length * (weighed[1:] - weighed[0])

    return LinearOperator((code.items - 1, code.items - 1), matvec=product, dtype=np.float64)


@pytest.mark.parametrize(("size", "epsilon", "heavy"), [(20_000, 0.6, 0.5), (41_271, 2.0, 0.1)])
def test_tens_of_thousands_of_items(size: int, epsilon: float, heavy: float) -> None:
    """No matrix is written; each share by itself is also found by conjugate gradients."""
    mechanism, p = sv.hadamard(sv.Domain(size), epsilon, blocks=1), uneven(size, heavy)
    bound = sv.cramer_rao(mechanism, p, 1)
    channel: Any = mechanism.channel
    operator = signed(channel.code, channel.own, p)
    for item in (1, size // 3, size // 2, size - 1):
        row = np.zeros(size - 1)
        row[item - 1] = 1.0
        solved, failed = cg(operator, row, rtol=1e-9)
        assert not failed
        assert bound[item] == pytest.approx(solved[item - 1], rel=1e-7)
    assert (bound <= sv.losses(mechanism, p, 1).per_item * (1 + 1e-9)).all()


def test_a_response_that_favours_nothing_is_refused() -> None:
    channel: Any = sv.hadamard(sv.Domain(7), 1.0, blocks=1).channel
    blind = type(channel)(channel.code, 1 << 63)
    with refused(sv.UnsupportedError):
        blind.fisher(np.full(7, 1 / 7))


BASES: dict[str, Callable[[sv.Domain], sv.Mechanism]] = {
    "subset": lambda part: sv.subset_selection(part, 1.0),
    "hadamard": lambda part: sv.hadamard(part, 1.0),
    "blocks": lambda part: sv.hadamard(part, 3.0),
    "olh": lambda part: sv.olh(part, 1.0),
    "many buckets": lambda part: sv.olh(part, 2.0, g=9),
    "oue": lambda part: sv.oue(part, 1.0),
}


@pytest.mark.parametrize("name", BASES)
def test_free_items_may_be_split(name: str) -> None:
    """Whether a free item is one or thousands, which only reveal which of them it is, changes nothing for the sensitive ones."""
    few, many = sv.Domain(15), sv.Domain(10_015)
    sensitive = np.arange(1, 13) / 100
    p = np.append(sensitive, [0.1, 0.08, 0.04])
    q = np.concatenate([sensitive, [0.1, 0.08], np.full(10_001, 0.04 / 10_001)])
    found = [
        sv.cramer_rao(sv.utility_optimized(BASES[name](domain.subset(range(12))), domain), shares, 1)
        for domain, shares in ((few, p), (many, q))
    ]
    assert found[1][:14] == pytest.approx(found[0][:14], rel=1e-9)
    assert (found[1][14:] > 0).all()


@pytest.mark.parametrize("lifted", [False, True])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_the_information_along_directions_is_that_of_the_matrix(epsilon: float, lifted: bool) -> None:
    domain, size = sv.Domain(11), 11
    m = sv.utility_optimized(sv.hadamard(domain.subset(range(7)), epsilon), domain) if lifted else sv.hadamard(domain, epsilon)
    generator = np.random.default_rng(1)
    p, moves = generator.dirichlet(np.ones(size)), generator.normal(size=(size, 4))
    moves -= moves.mean(axis=0)
    expected = of_matrix(p, m.channel.matrix()).along(moves)
    assert m.channel.fisher(p).along(moves) == pytest.approx(expected, rel=1e-9)
