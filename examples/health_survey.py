"""A health survey of 100,000 simulated people, from their answers to the estimate.

Nobody hands over the truth: each answer is perturbed first, hard for HIV, less for cancer and hepatitis, not at all for flu.
"""

from __future__ import annotations

import textwrap

import numpy as np

import sottovoce as sv

PEOPLE = 100_000
TRUTH = {"hiv": 0.01, "cancer": 0.05, "hepatitis": 0.04, "flu": 0.25, "none": 0.65}
BUDGETS = {"hiv": 0.1, "cancer": 0.5, "hepatitis": 1.0}


def wrapped(text: str, width: int = 96) -> str:
    """The text with long lines broken, list entries indented."""
    lines = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()))
        lines += textwrap.wrap(line, width, subsequent_indent=indent + "  " * bool(indent)) or [""]
    return "\n".join(lines)


def main() -> None:
    """Perturb, tally, estimate, and print the truth beside the estimate."""
    domain = sv.Domain(list(TRUTH))
    mechanism = sv.iprr(domain, BUDGETS)
    print(f"Five answers, {PEOPLE:,} people. The promise to each of them:\n")
    print(wrapped(mechanism.certify().explain()))

    answers = np.random.default_rng(2026).choice(len(domain), size=PEOPLE, p=list(TRUTH.values()))
    reports = mechanism.perturb(answers)

    tally = sv.Tally(mechanism).add(reports)
    found = sv.estimate(tally)
    low, high = found.interval(0.95)
    seen = tally.blocks[0].counts / PEOPLE
    truth = np.bincount(answers, minlength=len(domain)) / PEOPLE

    print(f"\n{'answer':<12}{'budget':>8}{'reported':>11}{'truth':>9}{'estimate':>10}   95 % interval")
    for k, item in enumerate(domain):
        budget = f"{BUDGETS[item]:g}" if item in BUDGETS else "free"
        print(f"{item!s:<12}{budget:>8}{seen[k]:>11.2%}{truth[k]:>9.2%}{found.p[k]:>10.2%}   {low[k]:.2%} to {high[k]:.2%}")


if __name__ == "__main__":
    main()
