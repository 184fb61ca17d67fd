"""Many items, few of which are frequent: what is found, and how much of it is false. Kosarak, one page of each of 100,000 sessions.

python studies/many_items.py [--runs 50]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import sottovoce as sv
from tables import written

sys.path.insert(0, str(Path(__file__).parent.parent))
from experiments.data import Data

#: Pages 0 to 41,270; no one visited the first.
SIZE, PEOPLE = 41_271, 100_000
MECHANISMS: dict[str, Callable[[sv.Domain], sv.Mechanism]] = {
    "oue, ε = 2": lambda domain: sv.oue(domain, 2.0),
    "oue, ε = 4": lambda domain: sv.oue(domain, 4.0),
    "olh, ε = 2": lambda domain: sv.olh(domain, 2.0),
    "krr, ε = 2": lambda domain: sv.krr(domain, 2.0),
    "krr, ε = 8": lambda domain: sv.krr(domain, 8.0),
}


def visits() -> np.ndarray:
    table = Data().table("kosarak_first100k.csv")
    counts = np.zeros(SIZE, dtype=np.int64)
    counts[table["item"]] = table["count"]
    return counts


def row(name: str, mechanism: sv.Mechanism, p: np.ndarray, runs: int) -> list[str]:
    """The method, shares outside their intervals, intervals above zero, items found, and the false ones among them."""
    outside, above, found_items, false, wrong_top, methods = 0, [], [], [], [], set()
    for run in range(runs):
        e = sv.estimate(sv.Tally.simulate(mechanism, p, PEOPLE, sv.SeededSource(run)))
        low, high = e.interval()
        outside += int(((e.p < low) | (e.p > high)).sum())
        above.append(int((low[p == 0] > 0).sum()))
        found = e.significant(0.05)
        found_items.append(int(found.sum()))
        false.append(float((p[found] == 0).mean()) if found.any() else 0.0)
        largest = np.argsort(-np.where(found, e.p, 0.0), kind="stable")[: min(13, int(found.sum()))]
        wrong_top.append(int((p[largest] == 0).sum()))
        methods.add(e.method)
    chance = 0.025 * float((p == 0).sum())
    return [
        name, ", ".join(sorted(methods)), str(outside), f"{np.mean(above):,.0f} ({chance:,.0f} by chance)", f"{np.mean(found_items):.1f}",
        f"{100 * np.mean(false):.1f} ± {100 * np.std(false, ddof=1) / runs**0.5:.1f} %", f"{np.mean(wrong_top):.2f}",
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    runs, p, rows = parser.parse_args().runs, visits() / PEOPLE, []
    for name, build in MECHANISMS.items():
        rows.append(row(name, build(sv.Domain(SIZE)), p, runs))
        print(*rows[-1], sep=" | ", flush=True)
    found = ["items found", "false among them", "false of the 13 largest"]
    written("many items", ["mechanism", "method", "shares outside", "intervals above zero, of empty items", *found], rows)


if __name__ == "__main__":
    main()
