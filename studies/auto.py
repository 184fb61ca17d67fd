"""How does `auto` compare with the best of the other methods? Over a thousand settings; writes two tables of docs/accuracy.md.

    python studies/auto.py [--runs 50]

All errors are kept in `.cells/auto.npz` when a run is done, so the study goes on where it was stopped. Delete the file to begin again.
The errors of the other methods take about an hour and a half on one core, those of `auto` a quarter of an hour.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

import sottovoce as sv
from shapes import MECHANISMS, Cell, cells
from tables import written

OTHERS = ("uniform", "observed", "mle", "corrected", "norm_sub", "threshold")
METHODS = (*OTHERS, "auto")
#: An error below this part of that of `mle` counts as equal to the best.
EQUAL = 0.02
#: The runs of settings in which a report says so little that a single run can decide, relative to those of the others.
MORE = 1.4
#: Runs in which the slow correction is computed where it takes longest: at the most reports that are sets or hashed.
FEW = 6
HELD = Path(__file__).parent / ".cells" / "auto.npz"


def runs_of(cell: Cell, method: str, runs: int) -> int:
    """How many runs a method has in a setting."""
    if method == "corrected" and cell.n == 50_000 and cell.mechanism in ("oue", "olh"):
        return min(runs, FEW)
    return round(MORE * runs) if cell.n == 200 else runs


def measured(runs: int) -> np.ndarray:
    """Σ(p̂ − p)² for each setting, method and run; not a number where a method has fewer runs."""
    settings, most = cells(), round(MORE * runs)
    errors = np.full((len(settings), len(METHODS), most), np.nan)
    if HELD.exists():
        before = np.load(HELD)["errors"][:, :, :most]
        errors[:, :, : before.shape[2]] = before
    for run in range(most):
        begun = False
        for row, cell in zip(errors, settings, strict=True):
            missing = [k for k, method in enumerate(METHODS) if run < runs_of(cell, method, runs) and np.isnan(row[k, run])]
            if missing:
                tally, begun = cell.tally(run), True
                for k in missing:
                    row[k, run] = float(((sv.estimate(tally, METHODS[k], source=sv.SeededSource(run)).p - cell.shape.p) ** 2).sum())
        if begun:
            HELD.parent.mkdir(exist_ok=True)
            np.savez(HELD.with_suffix(".new.npz"), errors=errors)
            os.replace(HELD.with_suffix(".new.npz"), HELD)
            print(f"run {run + 1} of {most}", flush=True)
    return errors


def ratios(errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The error of `auto` divided by that of the best other method in each setting, and which that is.

    A method with fewer runs is compared with `mle` in those runs.
    """
    mean = np.nanmean(errors, axis=2)
    mle = OTHERS.index("mle")
    for k in range(len(OTHERS)):
        both = np.where(np.isnan(errors[:, k]), np.nan, errors[:, mle])
        mean[:, k] *= mean[:, mle] / np.nanmean(both, axis=1)
    best, auto = mean[:, : len(OTHERS)].min(axis=1), mean[:, -1]
    ratio = auto / np.maximum(best, 1e-300)
    return np.where(auto < EQUAL * mean[:, mle], np.minimum(ratio, 1.0), ratio), mean[:, : len(OTHERS)].argmin(axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=50)
    runs = parser.parse_args().runs
    settings = cells()
    ratio, best = ratios(measured(runs))
    shapes = dict.fromkeys(cell.shape.name for cell in settings)
    rows = []
    for name in shapes:
        parts = [
            [r for r, cell in zip(ratio, settings, strict=True) if cell.shape.name == name and cell.mechanism == m] for m in MECHANISMS
        ]
        size = next(len(cell.shape.p) for cell in settings if cell.shape.name == name)
        every = np.concatenate(parts)
        shown = [f"{np.exp(np.mean(np.log(part))):.2f} ({max(part):.2f})" for part in parts]
        rows.append([name, str(size), *shown, f"{np.exp(np.mean(np.log(every))):.2f}", f"{int((every > 1.25).sum())} of {len(every)}"])
    written("auto", ["population", "K", *MECHANISMS, "all", "above 1.25"], rows)
    order = [k for k in np.argsort(-ratio) if ratio[k] > 1.25]
    listed = [
        [settings[k].shape.name, settings[k].mechanism, settings[k].epsilon, f"{settings[k].n:,}", OTHERS[best[k]], f"{ratio[k]:.2f}"]
        for k in order
    ]
    written("auto above", ["population", "mechanism", "ε", "n", "best", "auto / best"], listed)
    print(
        f"{len(ratio)} settings: mean of log(auto / best) {np.mean(np.log(ratio)):+.3f},",
        f"{np.mean(ratio > 1.25):.1%} above 1.25, worst {ratio.max():.2f}",
    )


if __name__ == "__main__":
    main()
