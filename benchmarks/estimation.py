"""Time and memory of estimates, side by side with a plain NumPy EM and the peers, in one run.

Writes the tables to docs/benchmarks.md (between their markers) and prints them. Called with a mechanism's name, it estimates once in this
process and prints its time and peak memory: that is how memory is measured, in processes of their own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from functools import partial
from typing import Any

import numba
import numpy as np

import sottovoce as sv
from common import ROOT, best, machine, peers_environment, process_kib, rounded, seconds, write
from sottovoce.parallel import in_threads

Floats = np.ndarray[Any, np.dtype[np.float64]]

#: A plain EM that has not arrived after this many seconds is stopped.
PATIENCE = 400.0


def population(kind: str, size: int) -> Floats:
    shapes = {
        "Zipf 1": 1 / np.arange(1, size + 1),
        "Zipf 2": 1 / np.arange(1, size + 1) ** 2,
        "uniform": np.ones(size),
        "peaked": np.concatenate([[20_000.0], np.ones(size - 1)]),
    }
    p = np.random.default_rng(1).permutation(shapes[kind])
    return p / p.sum()


def mechanism(name: str, size: int, epsilon: float) -> sv.Mechanism:
    domain = sv.Domain(size)
    return sv.rappor(domain, epsilon) if name == "rappor" else sv.urap(domain, epsilon, range(0, size, 2))


def numpy_em(rows: Any, times: Floats, gap: float) -> tuple[float, int, float]:
    """The textbook loop over a dense matrix of likelihoods: seconds, iterations, and the gap per report that it reached."""
    n, p = float(times.sum()), np.full(rows.shape[1], 1 / rows.shape[1], dtype=rows.dtype)
    start, iterations = time.perf_counter(), 0
    while True:
        weights = times / (rows @ p)
        ratio = (weights @ rows) / n
        iterations += 1
        reached = float(np.log(ratio.max()))
        elapsed = time.perf_counter() - start
        if reached <= gap or elapsed > PATIENCE:
            return elapsed, iterations, reached
        p = p * ratio


def direct() -> list[str]:
    rows = []
    for size, n in ((12_800, 240_000), (1_000_000, 100_000_000)):
        tally = sv.Tally.simulate(sv.krr(sv.Domain(size), 6.0), population("Zipf 1", size), n, sv.SeededSource(1))
        found = sv.estimate(tally)
        assert found.gap is not None
        mine = best(partial(sv.estimate, tally))
        rows.append(f"| krr, K = {size:,}, n = {n:,}, ε = 6 | {seconds(mine)} | {found.gap / n:.0e} | exact |")
    size, n = 12_800, 240_000
    tally = sv.Tally.simulate(sv.krr(sv.Domain(size), 6.0), population("Zipf 1", size), n, sv.SeededSource(1))
    counts = tally.blocks[0].counts
    matrix = sv.krr(sv.Domain(size), 6.0).channel
    assert isinstance(matrix, sv.DirectChannel)
    dense = np.full((size, size), matrix.t[0])
    dense[np.diag_indices(size)] += matrix.s
    elapsed, iterations, reached = numpy_em(dense[counts > 0], counts[counts > 0].astype(np.float64), 1e-4)
    memory = dense.nbytes / 1e9
    what = f"| krr, K = {size:,}, plain NumPy EM ({memory:.1f} GB matrix)"
    return [rows[0], f"{what} | {seconds(elapsed)} | {reached:.0e} | {iterations:,} iterations |", *rows[1:]]


def sets() -> list[str]:
    size, n, epsilon = 625, 180_000, 1.0
    tally = sv.Tally.simulate(mechanism("rappor", size, epsilon), population("Zipf 1", size), n, sv.SeededSource(1), keep_reports=True)
    found = sv.estimate(tally, tolerance=1e-6 * n)
    assert found.gap is not None
    mine = best(lambda: sv.estimate(tally, tolerance=1e-6 * n))
    reports = tally.blocks[0].reports
    assert isinstance(reports, sv.SetReports)
    dense = np.where(reports.dense(), np.float32(np.e), np.float32(1))
    theirs, iterations, reached = numpy_em(dense, np.ones(n, dtype=np.float32), 1e-4)
    what = f"rappor, K = {size}, n = {n:,}, ε = 1"
    return [
        f"| {what} | {seconds(mine)} | {found.gap / n:.0e} | {found.iterations} passes; {theirs / mine:,.0f}× the plain EM's speed |",
        f"| the same, plain NumPy EM (dense, single precision) | {seconds(theirs)} | {reached:.0e} | {iterations:,} iterations |",
    ]


def large() -> list[str]:
    rows = []
    for name in ("rappor", "urap"):
        printed = subprocess.run([sys.executable, __file__, name], check=True, capture_output=True, text=True).stdout
        found = json.loads(printed)
        note = f"{found['passes']} passes; peak of the process with simulation {found['peak']:.2f} GB (reports {found['reports']:.2f})"
        rows.append(f"| {name}, K = 12,800, n = 240,000, ε = 6 | {seconds(found['time'])} | {found['gap']:.0e} | {note} |")
    return rows


def once(name: str) -> None:
    """One large estimate in this process."""
    size, n = 12_800, 240_000
    tally = sv.Tally.simulate(mechanism(name, size, 6.0), population("Zipf 1", size), n, sv.SeededSource(1), keep_reports=True)
    sv.estimate(sv.Tally.simulate(mechanism(name, 64, 6.0), np.full(64, 1 / 64), 50, sv.SeededSource(1), keep_reports=True))
    start = time.perf_counter()
    found = sv.estimate(tally, tolerance=1e-6 * n)
    elapsed = time.perf_counter() - start
    assert found.gap is not None
    reports = tally.blocks[0].reports
    assert isinstance(reports, sv.SetReports)
    peak = process_kib("VmHWM") / 1e6
    print(
        json.dumps({"time": elapsed, "gap": found.gap / n, "passes": found.iterations, "peak": peak, "reports": reports.words.nbytes / 1e9})
    )


def sweep() -> list[str]:
    """No privacy level and no shape of the population is slow."""
    rows = []
    for size, n in ((625, 180_000), (12_800, 240_000)):
        for name in ("rappor", "urap"):
            for epsilon in (0.1, 1.0, 3.0, float(np.log(size))):
                cells = []
                for kind in ("Zipf 1", "Zipf 2", "uniform", "peaked"):
                    tally = sv.Tally.simulate(
                        mechanism(name, size, epsilon), population(kind, size), n, sv.SeededSource(1), keep_reports=True
                    )
                    start = time.perf_counter()
                    found = sv.estimate(tally, tolerance=1e-6 * n)
                    cells.append(f"{seconds(time.perf_counter() - start)} ({found.iterations})")
                rows.append(f"| {name} | {size:,} | {epsilon:.3g} | {' | '.join(cells)} |")
                print(rows[-1], flush=True)
    return rows


def decoding(python: Any) -> list[str]:
    size = 12_800
    reports = sv.olh(sv.Domain(size), 1.0).perturb(np.arange(1 << 20) % size)
    tally = sv.Tally(sv.olh(sv.Domain(size), 1.0))
    mine = len(reports) / best(lambda: tally.add(reports), 3)
    request = json.dumps({"case": "decoding", "k": size, "epsilon": 1.0, "seconds": 3.0}) + "\n"
    printed = subprocess.run([python, ROOT / "benchmarks" / "peers.py"], check=True, capture_output=True, text=True, input=request).stdout
    theirs = json.loads(printed)
    others = "; ".join(f"{name} {rounded(value)}" for name, value in theirs.items())
    hashes = rounded(mine * size).replace("/s", "hashes/s")
    return [f"| olh, K = {size:,}: reports decoded | {rounded(mine)} ({hashes}) | {others} ({mine / max(theirs.values()):,.0f}×) |"]


@numba.njit(nogil=True)
def _read(words):  # type: ignore[no-untyped-def]  # numba infers them
    total = np.uint64(0)
    for i in range(len(words)):
        total ^= words[i]
    return total


def _read_all(words: Any) -> object:
    return in_threads(len(words), 1, lambda part: _read(words[part]))


def counting() -> list[str]:
    """Beside the speed at which this machine reads memory: the same bytes, read and thrown away."""
    rows = []
    for what, made, reports in (
        ("krr, K = 200", sv.krr(sv.Domain(200), 1.0), 1 << 28),
        ("krr, K = 12,800", sv.krr(sv.Domain(12_800), 1.0), 1 << 28),
        ("oue, K = 400", sv.oue(sv.Domain(400), 1.0), 1 << 23),
    ):
        found = made.perturb(np.zeros(reports, dtype=np.uint8), sv.SeededSource(1))
        data = (found.words if isinstance(found, sv.SetReports) else found.codes).view(np.uint64).reshape(-1)  # type: ignore[attr-defined]  # codes or sets
        reading = data.nbytes / best(partial(_read_all, data))
        elapsed = best(partial(sv.Tally(made).add, found))
        rows.append(
            f"| {what}: reports counted | {rounded(reports / elapsed)}, {data.nbytes / elapsed / 1e9:.1f} GB/s |"
            f" reading alone {reading / 1e9:.1f} GB/s |"
        )
    return rows


def main() -> None:
    python = peers_environment()
    estimates = []
    for part in (direct, sets, large):
        estimates += part()
        print("\n".join(estimates), flush=True)
    rates = [*decoding(python), *counting()]
    print("\n".join(rates), flush=True)
    swept = sweep()
    conditions = (
        f"{machine('numpy', 'numba', 'scipy')}. "
        "Populations follow Zipf's law with exponent 1, in random order, unless another shape is named. "
        "Times are the best of five calls of `estimate` with the tally at hand (one call for K = 12,800 sets and in the second table); "
        "sets are climbed to a gap of 10^-6 nats per report. Plain NumPy EM stops at 10^-4, the matrix of likelihoods being given."
    )
    write(
        "estimation",
        [
            conditions,
            "",
            "| estimate | time | gap per report | |",
            "|---|---|---|---|",
            *estimates,
            "",
            "Time (passes over the reports) to a gap of 10^-6 per report, by privacy level and shape of the population:",
            "",
            "| mechanism | K | ε | Zipf 1 | Zipf 2 | uniform | peaked |",
            "|---|---|---|---|---|---|---|",
            *swept,
            "",
            "| counting | sottovoce | beside it |",
            "|---|---|---|",
            *rates,
        ],
    )


if __name__ == "__main__":
    once(sys.argv[1]) if len(sys.argv) > 1 else main()
