"""An estimate never contradicts itself: for every mechanism and method, whatever the population and however few people answered."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.arrays import Floats
from zoo import NAMES, built

#: Methods whose shares may be negative, and need not sum to 1.
SIGNED = {"inversion", "average"}
#: Few people, and many.
PEOPLE = (3, 4000)
#: Mechanisms over many items, and over a product.
MANY: dict[str, Callable[[sv.Domain], sv.Mechanism | sv.Population]] = {
    "krr": lambda d: sv.krr(d, 2.0),
    "oue": lambda d: sv.oue(d, 1.0),
    "olh": lambda d: sv.olh(d, 1.0),
    "subset_selection": lambda d: sv.subset_selection(d, 1.0),
    "hadamard": lambda d: sv.hadamard(d, 1.0),
    "urr": lambda d: sv.urr(d, 1.0, list(d)[:40]),
    "urap": lambda d: sv.urap(d, 1.0, list(d)[:40]),
    "ubd": lambda d: sv.ubd(d, 1.0, list(d)[:40]),
    "iprr": lambda d: sv.iprr(d, {item: 0.5 + k / 40 for k, item in enumerate(list(d)[:40])}),
    "idue": lambda d: sv.idue(d, {item: 1.0 + k % 3 for k, item in enumerate(d)}),
    "population": lambda d: sv.Population({"careful": sv.oue(d, 0.5), "bold": sv.krr(d, 3.0), "open": sv.identity(d)}),
}


def populations(size: int) -> dict[str, Floats]:
    """Flat, peaked, sparse, Zipf."""
    peaked = np.full(size, 0.1 / (size - 1))
    peaked[size // 2] = 0.9
    sparse = np.where(np.arange(size) % max(2, size // 4) == 0, 1.0, 0.0)
    zipf = 1 / np.arange(1, size + 1)
    return {"flat": np.full(size, 1 / size), "peaked": peaked, "sparse": sparse / sparse.sum(), "zipf": zipf / zipf.sum()}


def simulated(mechanism: sv.Mechanism | sv.Population, p: Floats, n: int) -> sv.Tally:
    people = dict.fromkeys(mechanism.names, n) if isinstance(mechanism, sv.Population) else n
    return sv.Tally.simulate(mechanism, p, people, sv.SeededSource(n), keep_reports=True)


def consistent(found: sv.Estimate | sv.Resolved, *, signed: bool) -> None:
    """The estimate lies inside its intervals, which grow with their level; shares that aren't signed sum to 1."""
    assert np.isfinite(found.p).all()
    if not signed:
        assert (found.p >= 0).all()
        assert found.p.sum() == pytest.approx(1)
    try:
        limits = [found.interval(level) for level in (0.5, 0.9, 0.99)] + [found.interval(0.99, simultaneous=True)]
    except sv.UnsupportedError:
        assert not invertible(found)
        return
    for low, high in limits:
        assert ((low <= found.p) & (found.p <= high)).all()
    for narrow, wide in pairwise(limits):
        assert (wide.low <= narrow.low + 1e-9).all()
        assert (wide.high >= narrow.high - 1e-9).all()


def invertible(found: sv.Estimate | sv.Resolved) -> bool:
    try:
        (found.estimate if isinstance(found, sv.Resolved) else found).bars()  # type: ignore[union-attr]  # made by resolve_tags
    except sv.UnsupportedError:
        return False
    return True


def checked(tally: sv.Tally, p: Floats, method: str | None) -> sv.Estimate:
    found = sv.estimate(tally, method, prior=p if method == "mmse" and (p > 0).all() else None, progress=False)
    consistent(found, signed=found.method in SIGNED)
    return found


def methods(tally: sv.Tally, p: Floats) -> list[str | None]:
    return [None, *(name for name in sv.METHODS if tally.supports(name) and (name != "mmse" or (p > 0).all()))]


@pytest.mark.parametrize("name", NAMES)
def test_few_items(name: str) -> None:
    mechanism = built(name)
    size = len(mechanism.inputs)
    for p in populations(size).values():
        for n in PEOPLE:
            tally = simulated(mechanism, p, n)
            for method in methods(tally, p):
                found = checked(tally, p, method)
                if isinstance(mechanism, sv.PersonalMechanism):
                    for known in (None, {tag: np.full(len(mechanism.domain), 1 / len(mechanism.domain)) for tag in mechanism.tags}):
                        consistent(sv.resolve_tags(found, mechanism, known), signed=found.method in SIGNED)


@pytest.mark.parametrize("name", MANY)
def test_many_items(name: str) -> None:
    mechanism = MANY[name](sv.Domain(200))
    for p in populations(200).values():
        for n in PEOPLE:
            tally = simulated(mechanism, p, n)
            for method in methods(tally, p):
                if method not in {"em", "corrected"}:  # hundreds of passes, and the same intervals as 'mle'
                    checked(tally, p, method)


@pytest.mark.parametrize("name", MANY)
def test_numbers(name: str) -> None:
    """What is asked of numbers lies in its interval, whatever the method."""
    mechanism = MANY[name](sv.Domain.numbers(0, 100, bins=21))
    for p in populations(21).values():
        for n in PEOPLE:
            tally = simulated(mechanism, p, n).totals()
            for method in ("smooth", "mle", "projected", "inversion", "threshold"):
                if not tally.supports(method):
                    continue
                found = checked(tally, p, method)
                asked = (found.mean, partial(found.quantile, 0.5), partial(found.cdf, 33.0), partial(found.share, 10, 60))
                for ask in asked:
                    narrow, wide = ask(level=0.5), ask(level=0.99)
                    for each in (narrow, wide):
                        assert each.low <= each.value <= each.high
                    assert wide.low <= narrow.low + 1e-6 * 100
                    assert wide.high >= narrow.high - 1e-6 * 100


@pytest.mark.parametrize("name", MANY)
def test_margins_of_products(name: str) -> None:
    domain = sv.Domain.product(a=["yes", "no"], b=list("uvw"), c=["yes", "no"], d=list("stxyz"))
    mechanism = MANY[name](domain)
    for p in populations(len(domain)).values():
        for n in PEOPLE:
            tally = simulated(mechanism, p, n)
            for method in methods(tally, p):
                if method in {"em", "corrected"}:
                    continue
                found = checked(tally, p, method)
                single = {axis: found.margin(axis) for axis in "abcd"}
                for margin in single.values():
                    consistent(margin, signed=found.method in SIGNED)
                for axes in ("ad", "abcd"):
                    several = found.margin(*axes)
                    consistent(several, signed=found.method in SIGNED)
                    table = several.p.reshape(several.domain.shape)
                    for place, axis in enumerate(axes):
                        rest = tuple(k for k in range(len(axes)) if k != place)
                        assert table.sum(axis=rest) == pytest.approx(single[axis].p, abs=1e-8)


def test_margins_of_marked_answers() -> None:
    domain = sv.Domain.product(place=["park", "cafe", "shop"], time=["day", "night"])
    mechanism = sv.pum(domain, 1.0, tags=["home", "work"], sensitive=[("cafe", "night")])
    for p in populations(8).values():
        for n in PEOPLE:
            for method in methods(simulated(mechanism, p, n), p):
                found = checked(simulated(mechanism, p, n), p, method)
                for known in (None, {"home": [0.5, 0.1, 0.1, 0.1, 0.1, 0.1]}):
                    resolved = sv.resolve_tags(found, mechanism, known)
                    for margin in (resolved, resolved.margin("place"), resolved.margin("time")):
                        consistent(margin, signed=found.method in SIGNED)
