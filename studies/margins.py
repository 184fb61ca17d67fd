"""How often do the 95 % intervals of margins contain the truth, and how far off are they? Yes/no questions asked as one joint report.

    python studies/margins.py [--runs 2000]

Takes about 20 minutes on one core.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

import sottovoce as sv
from tables import written

PEOPLE, EPSILON = 30_000, 2.0
#: The mechanism, and the number of questions.
CASES: list[tuple[str, Callable[[sv.Domain], sv.Mechanism], int]] = [
    ("oue", lambda d: sv.oue(d, EPSILON), 10),
    ("oue", lambda d: sv.oue(d, EPSILON), 13),
    ("oue", lambda d: sv.oue(d, EPSILON), 16),
    ("krr", lambda d: sv.krr(d, EPSILON), 10),
    ("krr", lambda d: sv.krr(d, 6.0), 10),
    ("krr", lambda d: sv.krr(d, 6.0), 16),
    ("subset_selection", lambda d: sv.subset_selection(d, EPSILON), 10),
    ("hadamard", lambda d: sv.hadamard(d, EPSILON), 10),
]


def questions(count: int) -> tuple[sv.Domain, np.ndarray, np.ndarray]:
    """Independent yes/no questions, the share of yes running from 5 % to 95 %."""
    truth, p = np.linspace(0.05, 0.95, count), np.ones(1)
    for share in truth:
        p = np.outer(p, [share, 1 - share]).ravel()
    return sv.Domain.product(**{f"q{k}": ["yes", "no"] for k in range(count)}), truth, p


def measured(mechanism: sv.Mechanism, truth: np.ndarray, p: np.ndarray, runs: int) -> tuple[np.ndarray, float, float, float]:
    """How often the interval of each question holds the truth, how often the estimate is within 3 standard errors of it, and the root mean
    square errors of margins and of sums of the joint estimate.
    """
    held, near, own, summed = np.zeros(len(truth)), 0.0, 0.0, 0.0
    shape = (2,) * len(truth)
    for run in range(runs):
        e = sv.estimate(sv.Tally.simulate(mechanism, p, PEOPLE, sv.SeededSource(run)), "projected")
        for k, share in enumerate(truth):
            found = e.margin(f"q{k}")
            low, high = found.interval()
            assert low[0] <= found.p[0] <= high[0]
            held[k] += low[0] <= share <= high[0]
            near += abs(found.p[0] - share) <= 3 * found.stderr[0]
            own += (found.p[0] - share) ** 2
            summed += (e.p.reshape(shape).take(0, axis=k).sum() - share) ** 2
    count = runs * len(truth)
    return held / runs, near / count, (own / count) ** 0.5, (summed / count) ** 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2_000)
    runs, rows = parser.parse_args().runs, []
    domain, _, _ = questions(10)
    print("Recommended for ten questions:", sv.plan(domain, epsilon=EPSILON, n=PEOPLE, margin="q0").options[0].name)
    for name, build, count in CASES:
        domain, truth, p = questions(count)
        mechanism = build(domain)
        held, near, own, summed = measured(mechanism, truth, p, runs)
        epsilon = mechanism.certify().level
        shares = [f"{100 * share:.1f}" for share in (held.min(), held.mean(), held.max())]
        rows.append([name, f"{epsilon:.3g}", f"{len(domain):,}", f"{runs:,}", *shares, f"{100 * near:.2f}", f"{own:.3f}", f"{summed:.3f}"])
        print(*rows[-1], flush=True)
    header = ["mechanism", "ε", "K", "runs", "contained: least", "mean", "most", "within 3 errors", "error of margins", "error of sums"]
    written("margins", header, rows)


if __name__ == "__main__":
    main()
