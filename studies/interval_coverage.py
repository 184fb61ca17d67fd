"""How often do the 95 % intervals hold the truth? Simulated studies of whole tallies; writes the table of docs/accuracy.md.

python studies/interval_coverage.py [--runs 2000]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

import sottovoce as sv
from tables import written

SHARES = (0.0, 0.001, 0.05, 0.5)
PEOPLE = (300, 3_000, 100_000)
SIZE = 20
DOMAIN = sv.Domain(SIZE)
HALF = list(range(SIZE // 2))
#: The four items with the shares above, then the others; the second layout puts the four among the items that are not sensitive.
LAYOUTS = {"": [0, 1, 2, 3], " (free items)": [10, 11, 12, 13]}
MECHANISMS = {
    "krr": sv.krr(DOMAIN, 1.0),
    "urr": sv.urr(DOMAIN, 1.0, HALF),
    "iprr": sv.iprr(DOMAIN, {item: 0.5 + item / 5 for item in HALF}),
    "rappor": sv.rappor(DOMAIN, 1.0),
    "urap": sv.urap(DOMAIN, 1.0, HALF),
    "olh": sv.olh(DOMAIN, 1.0),
}
WITH_FREE_ITEMS = ("urr", "iprr", "urap")


def population(places: list[int]) -> np.ndarray:
    p = np.full(SIZE, (1 - sum(SHARES)) / (SIZE - len(SHARES)))
    p[places] = SHARES
    return p


def coverage(mechanism: sv.Mechanism, places: list[int], n: int, runs: int, source: sv.Source) -> np.ndarray:
    """The share of runs in which the interval of each of the four items holds its true share."""
    p, held = population(places), np.zeros(SIZE)
    for _ in range(runs):
        low, high = sv.estimate(sv.Tally.simulate(mechanism, p, n, source)).interval(0.95)
        held += (low <= p) & (p <= high)
    return held[places] / runs


def cells(runs: int) -> Iterator[tuple[str, int, np.ndarray]]:
    for name, mechanism in MECHANISMS.items():
        for layout, places in LAYOUTS.items():
            if layout and name not in WITH_FREE_ITEMS:
                continue
            for n in PEOPLE:
                yield name + layout, n, coverage(mechanism, places, n, runs, sv.SeededSource(n))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000)
    runs = parser.parse_args().runs
    rows, outside = [], []
    for name, n, held in cells(runs):
        rows.append([name, f"{n:,}", *(f"{100 * share:.1f}" for share in held)])
        outside += [f"{name}, n = {n:,}, p = {p}" for p, share in zip(SHARES, held, strict=True) if not 0.93 <= share <= 0.99]
        print(*rows[-1], flush=True)
    written("coverage", ["mechanism", "n", *(f"p = {p}" for p in SHARES)], rows)
    print(f"outside 93 to 99 %: {'; '.join(outside) or 'none'}")


if __name__ == "__main__":
    main()
