"""How far from the truth are the methods when people are few? Mean squared error over runs; writes the table of docs/accuracy.md.

    python studies/small_samples.py [--runs 100]

Four groups of people use k-RR at ε = 0.1, 2, ln K, and no protection at all; the truths are those that the small-sample methods find easy
and hard in turn: a Zipf law, a smooth landscape, a rugged draw.
"""

from __future__ import annotations

import argparse

import numpy as np

import sottovoce as sv
from tables import written

CROWDS = ((500, 500, 50, 0), (500, 500, 50, 20), (2_000, 2_000, 200, 200), (20_000, 500, 50, 20))
BASELINES = ("uniform", "observed", "mle", "corrected")


def truths() -> dict[str, np.ndarray]:
    zipf = 1 / np.arange(1, 282) ** 1.2
    x, y = np.meshgrid(np.linspace(0, 1, 20), np.linspace(0, 1, 20), indexing="ij")
    hills = np.exp(-((x - 0.3) ** 2 + (y - 0.4) ** 2) / 0.05) + 0.7 * np.exp(-((x - 0.75) ** 2 + (y - 0.7) ** 2) / 0.03)
    rugged = np.random.default_rng(1).dirichlet(np.full(400, 0.3))
    shapes = {"Zipf(1.2), K = 281": zipf, "smooth, K = 400": (0.3 + hills).ravel(), "two hills, K = 400": hills.ravel() + 1e-9}
    return {name: p / p.sum() for name, p in (shapes | {"Dirichlet(0.3), K = 400": rugged}).items()}


def crowd_of(size: int, people: tuple[int, ...]) -> tuple[sv.Population, dict[str, int]]:
    domain = sv.Domain(size)
    levels = {
        "0.1": sv.krr(domain, 0.1),
        "2": sv.krr(domain, 2.0),
        "ln K": sv.krr(domain, float(np.log(size))),
        "none": sv.identity(domain),
    }
    chosen = {name: n for name, n in zip(levels, people, strict=True) if n}
    return sv.Population({name: levels[name] for name in chosen}), chosen


def errors(p: np.ndarray, people: tuple[int, ...], runs: int, methods: tuple[str, ...]) -> dict[str, float]:
    """The mean over the runs of Σ(p̂ − p)², for each method, on the same reports."""
    crowd, groups = crowd_of(len(p), people)
    levels = np.repeat(list(groups), list(groups.values())).tolist()
    found: dict[str, list[float]] = {method: [] for method in methods}
    for run in range(runs):
        codes = np.random.default_rng([1, run]).choice(len(p), size=len(levels), p=p)
        tally = sv.Tally(crowd).add(crowd.perturb(codes, levels, sv.SeededSource(run)))
        for method in methods:
            found[method].append(sv.distance(sv.estimate(tally, method, source=sv.SeededSource(run)), p).l2)
    return {method: float(np.mean(values)) for method, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    runs = parser.parse_args().runs
    rows, worst = [], 0.0
    for name, p in truths().items():
        for people in CROWDS:
            found = errors(p, people, runs, (*BASELINES, "auto"))
            best = min(BASELINES, key=found.__getitem__)
            ratio = found["auto"] / found[best]
            worst = max(worst, ratio)
            rows.append([name, ", ".join(f"{n:,}" for n in people), *(f"{found[m]:.2e}" for m in found), best, f"{ratio:.2f}"])
            print(*rows[-1], flush=True)
    written("small samples", ["truth", "people at ε = 0.1, 2, ln K, ∞", *BASELINES, "auto", "best of the four", "auto / best"], rows)
    print(f"auto is at most {worst:.3f} times the best of {', '.join(BASELINES)}")


if __name__ == "__main__":
    main()
