"""All alike or one item apart: what does it cost to believe in either? Writes a table of docs/accuracy.md.

    python studies/auto_limits.py [--runs 1000]

The two models alone, with the share of the item unknown. More belief in an item apart finds it more often, and errs more often on a flat
population. No method can have both, so this is how close `auto` can come to the best of the others on both populations.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

import sottovoce as sv
from sottovoce.estimators.item_evidence import of_totals
from sottovoce.estimators.one_apart import log_likelihoods, one_apart
from tables import written

#: The name, the mechanism, the number of items, the share of the one that stands apart, and the number of people.
CASES: list[tuple[str, Callable[[sv.Domain], sv.Mechanism], int, float, int]] = [
    ("krr, ε = 0.7", lambda d: sv.krr(d, 0.7), 60, 0.6, 5_000),
    ("oue, ε = 0.7", lambda d: sv.oue(d, 0.7), 60, 0.6, 500),
    ("oue, ε = 1.5", lambda d: sv.oue(d, 1.5), 250, 0.3, 500),
]
#: How many times as likely as "all alike" one item apart is before the reports.
ODDS = (0.03, 0.1, 0.3, 1.0, 3.0)


def tallies(mechanism: sv.Mechanism, p: np.ndarray, n: int, runs: int, seed: int, *, keep: bool = False) -> list[sv.Tally]:
    return [sv.Tally.simulate(mechanism, p, n, sv.SeededSource(seed + run), keep_reports=keep) for run in range(runs)]


def error(found: list[sv.Tally], method: str, p: np.ndarray) -> float:
    return float(np.mean([((sv.estimate(tally, method).p - p) ** 2).sum() for tally in found]))


def weighed(found: list[sv.Tally], p: np.ndarray) -> np.ndarray:
    """The error of the average of both models, for each of the odds."""
    errors = np.zeros(len(ODDS))
    for tally in found:
        evidence, size = of_totals(tally.blocks), len(p)
        log, apart = one_apart(evidence)
        alike = float(log_likelihoods(evidence, np.full((size, 1), 1 / size)).sum())
        belief = 1 / (1 + np.exp(alike - log) / np.array(ODDS))
        errors += ((belief[:, None] * apart + (1 - belief[:, None]) / size - p) ** 2).sum(axis=1)
    return errors / len(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    runs, rows = parser.parse_args().runs, []
    for name, build, size, share, n in CASES:
        mechanism, flat = build(sv.Domain(size)), np.full(size, 1 / size)
        peaked = np.r_[share, np.full(size - 1, (1 - share) / (size - 1))]
        even, one = tallies(mechanism, flat, n, runs, 10**6), tallies(mechanism, peaked, n, runs, 2 * 10**6)
        likely = error(tallies(mechanism, flat, n, 100, 3 * 10**6, keep=True), "mle", flat)
        best = error(one, "threshold", peaked)
        shown = [(a / likely, b / best) for a, b in zip(weighed(even, flat), weighed(one, peaked), strict=True)]
        shown.append((error(even, "threshold", flat) / likely, 1.0))
        shown.append((error(even, "auto", flat) / likely, error(one, "auto", peaked) / best))
        rows.append([f"{name}, K = {size}, n = {n:,}, {share:g}", *(f"{100 * a:.1f} %, {b:.2f}" for a, b in shown)])
        print(*rows[-1], sep=" | ", flush=True)
    written("auto limits", ["setting", *(f"odds {odds:g}" for odds in ODDS), "`threshold`", "`auto`"], rows)


if __name__ == "__main__":
    main()
