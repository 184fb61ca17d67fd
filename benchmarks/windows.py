"""Windows for numbers: perturbation beside k-ary randomized response in the same run, and maximum likelihood.

Writes the tables to docs/benchmarks.md (between its markers) and prints them.
"""

from __future__ import annotations

import time

import numpy as np

import sottovoce as sv
from common import best, machine, rounded, seconds, write

SIZES = (64, 400, 1024, 12_800)
BATCH, ROUNDS = 1 << 24, 25


def rates(size: int) -> dict[str, float]:
    """Reports per second with the secure source, the mechanisms in turns."""
    domain = sv.Domain(size)
    mechanisms = {"krr": sv.krr(domain, 1.0), "mean": sv.window(domain, 1.0), "distribution": sv.window(domain, 1.0, "distribution")}
    codes = np.random.default_rng(1).integers(0, size, BATCH).astype(np.min_scalar_type(size - 1))
    found = dict.fromkeys(mechanisms, 0.0)
    for mechanism in mechanisms.values():
        mechanism.perturb(codes)
    for _ in range(ROUNDS):
        for name, mechanism in mechanisms.items():
            start = time.perf_counter()
            mechanism.perturb(codes)
            found[name] = max(found[name], BATCH / (time.perf_counter() - start))
    return found


def likelihood(size: int, epsilon: float, people: int) -> tuple[float, float, int]:
    """Seconds for maximum likelihood from a tally, its gap in nats, and its steps. The population is a bell on a floor."""
    mechanism, places = sv.window(sv.Domain(size), epsilon), np.arange(size) / size
    p = np.exp(-0.5 * ((places - 0.4) / 0.1) ** 2) + 0.05
    tally = sv.Tally.simulate(mechanism, p / p.sum(), people, sv.SeededSource(1))
    found = sv.estimate(tally, "mle")
    assert found.gap is not None
    return best(lambda: sv.estimate(tally, "mle")), found.gap, found.iterations or 0


def main() -> None:
    """Measure, print and write."""
    conditions = f"secure source, ε = 1, batches of 2^24 reports, best of {ROUNDS} alternating rounds"
    lines = [
        f"{machine('numpy', 'numba', 'scipy')}; {conditions}.",
        "Maximum likelihood from a tally, best of five calls, for a bell on a floor. The gap is what is missing at most, in nats.",
        "",
        "| K | krr | window, mean | window, distribution | krr to the slower window |",
        "|---|---|---|---|---|",
    ]
    for size in SIZES:
        found = rates(size)
        slower = found["krr"] / min(found["mean"], found["distribution"])
        lines.append(f"| {size:,} | {' | '.join(rounded(each) for each in found.values())} | {slower:.2f}× |")
    lines += ["", "| maximum likelihood | time | gap | steps |", "|---|---|---|---|"]
    for size, epsilon, people in (
        *((1024, epsilon, people) for epsilon in (0.5, 1.0, 4.0) for people in (10_000, 1_000_000)),
        (4096, 1.0, 1_000_000),
        (4096, 8.0, 1_000_000),
    ):
        took, gap, steps = likelihood(size, epsilon, people)
        lines.append(f"| K = {size:,}, ε = {epsilon:g}, n = {people:,} | {seconds(took)} | {gap:.1g} | {steps} |")
    print("\n".join(lines))
    write("windows", lines)


if __name__ == "__main__":
    main()
