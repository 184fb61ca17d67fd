"""`auto` on populations, budgets, numbers of people and seeds that no constant of it was chosen on; writes a table of docs/accuracy.md.

python studies/auto_others.py [--runs 25]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

import sottovoce as sv
from auto import EQUAL, OTHERS
from tables import written

BUDGETS, PEOPLE = (0.7, 1.5, 3.0), (500, 5_000, 30_000)
MECHANISMS: dict[str, Callable[[sv.Domain, float], sv.Mechanism]] = {
    "krr": sv.krr,
    "oue": sv.oue,
    "olh": sv.olh,
    "urr": lambda domain, epsilon: sv.urr(domain, epsilon, range(len(domain) // 2)),
}


def populations(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Shares in a random order, on domains without neighbours."""
    weights = {
        "one item has 0.6": np.r_[0.6, np.full(59, 0.4 / 59)],
        "one item has 0.3": np.r_[0.3, np.full(249, 0.7 / 249)],
        "geometric(0.8)": 0.8 ** np.arange(40),
        "three levels": np.r_[np.full(6, 10.0), np.full(40, 2.0), np.full(74, 0.2)],
        "a tenth has all": np.r_[np.ones(15), np.zeros(135)],
        "Dirichlet(0.03)": rng.dirichlet(np.full(80, 0.03)),
        "linear": np.arange(1.0, 51.0),
        "two items have 0.9": np.r_[0.45, 0.45, np.full(28, 0.1 / 28)],
        "Zipf(1.2)": 1 / np.arange(1, 251) ** 1.2,
        "yes or no": np.r_[0.85, 0.15],
        "five items": np.r_[0.5, 0.25, 0.15, 0.07, 0.03],
        "log-normal(1)": np.exp(rng.normal(size=100)),
    }
    return {name: rng.permutation(each / each.sum()) for name, each in weights.items()}


def ratio(mechanism: sv.Mechanism, p: np.ndarray, n: int, runs: int, others: tuple[str, ...]) -> float:
    """The error of `auto` divided by that of the best of the others."""
    errors: dict[str, float] = dict.fromkeys((*others, "auto"), 0.0)
    for run in range(runs):
        tally = sv.Tally.simulate(mechanism, p, n, sv.SeededSource(7_000 + run), keep_reports=True)
        for method in errors:
            errors[method] += float(((sv.estimate(tally, method).p - p) ** 2).sum())
    found = errors["auto"] / min(errors[method] for method in others)
    return min(found, 1.0) if errors["auto"] < EQUAL * errors["mle"] else found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=25)
    runs, rows, every = parser.parse_args().runs, [], []
    for name, p in populations(np.random.default_rng(99)).items():
        found = []
        for kind, make in MECHANISMS.items():
            for epsilon in BUDGETS:
                mechanism = make(sv.Domain(len(p)), epsilon)
                for n in PEOPLE:
                    slow = n == max(PEOPLE) and kind in ("oue", "olh")
                    found.append(ratio(mechanism, p, n, runs, tuple(m for m in OTHERS if not (slow and m == "corrected"))))
        every += found
        above = sum(each > 1.25 for each in found)
        rows.append([name, str(len(p)), f"{np.exp(np.mean(np.log(found))):.2f}", f"{max(found):.2f}", f"{above} of {len(found)}"])
        print(*rows[-1], flush=True)
    written("auto others", ["population", "K", "auto / best", "largest", "above 1.25"], rows)
    ratios = np.array(every)
    print(f"mean log {np.mean(np.log(ratios)):+.3f}, {np.mean(ratios > 1.25):.1%} above 1.25, {np.mean(ratios > 2):.1%} above 2")


if __name__ == "__main__":
    main()
