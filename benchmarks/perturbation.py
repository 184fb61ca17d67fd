"""Perturbation throughput with the secure source, side by side with the peers, in one run.

Writes the table to docs/benchmarks.md (between its markers) and prints it.
"""

from __future__ import annotations

import json
import math
import subprocess
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import sottovoce as sv
from common import ROOT, machine, peers_environment, rounded, write

ROUNDS, SECONDS = 5, 0.5
EPSILON = 1.0
CASES = [
    ("direct", 20),
    ("direct", 400),
    ("direct", 12_800),
    ("unary", 20),
    ("unary", 400),
    ("unary", 12_800),
    ("hashed", 400),
    ("hashed", 12_800),
]
NAMES = {"direct": "krr", "unary": "oue", "hashed": "olh"}


def ours(case: str, k: int) -> Callable[[np.ndarray[Any, Any]], object]:
    constructor = {"direct": sv.krr, "unary": sv.oue, "hashed": sv.olh}[case]
    mechanism = constructor(sv.Domain(k), EPSILON)
    return mechanism.perturb


def rate(batch: Callable[[np.ndarray[Any, Any]], object], case: str, k: int) -> float:
    """Reports per second on a batch that takes about `SECONDS` (bounded by 1 GiB of reports)."""
    count = {"direct": 1 << 26, "hashed": 1 << 25, "unary": max(1 << 12, (1 << 30) // (8 * -(-k // 64)) // 16)}[case]
    codes = np.random.default_rng(1).integers(0, k, count).astype(np.min_scalar_type(k - 1))
    batch(codes[:1000])
    start = time.perf_counter()
    rounds = 0
    while time.perf_counter() - start < SECONDS:
        batch(codes)
        rounds += 1
    return rounds * count / (time.perf_counter() - start)


def singles() -> dict[str, float]:
    """Microseconds for one report from Python, secure source."""
    found = {}
    for name, mechanism, item in (
        ("krr, K = 400", sv.krr(sv.Domain(400), EPSILON), 7),
        ("krr, K = 1,000,000", sv.krr(sv.Domain(1_000_000), EPSILON), 7),
        ("iprr, 5 labels", sv.iprr(sv.Domain(["hiv", "cancer", "hepatitis", "flu", "none"]), {"hiv": 0.1, "cancer": 0.5}), "flu"),
        ("oue, K = 20", sv.oue(sv.Domain(20), EPSILON), 7),
        ("oue, K = 400", sv.oue(sv.Domain(400), EPSILON), 7),
        ("olh, K = 400", sv.olh(sv.Domain(400), EPSILON), 7),
    ):
        for _ in range(1000):
            mechanism.perturb_one(item)
        best = math.inf
        for _ in range(5):
            start = time.perf_counter()
            for _ in range(5000):
                mechanism.perturb_one(item)
            best = min(best, (time.perf_counter() - start) / 5000)
        found[name] = best * 1e6
    return found


def main() -> None:
    python = peers_environment()
    versions = json.loads(
        subprocess.run(
            [
                python,
                "-c",
                "import json,importlib.metadata as m;print(json.dumps({n:m.version(n) for n in ('pure-ldp','multi-freq-ldpy','opendp')}))",
            ],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    )
    rows = []
    with subprocess.Popen([python, ROOT / "benchmarks" / "peers.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peers:
        assert peers.stdin is not None
        assert peers.stdout is not None
        for case, k in CASES:
            batch = ours(case, k)
            mine: float = 0.0
            theirs: dict[str, float] = {}
            for _ in range(ROUNDS):
                mine = max(mine, rate(batch, case, k))
                peers.stdin.write(json.dumps({"case": case, "k": k, "epsilon": EPSILON, "seconds": SECONDS}) + "\n")
                peers.stdin.flush()
                for name, value in json.loads(peers.stdout.readline()).items():
                    theirs[name] = max(theirs.get(name, 0.0), value)
            fastest = max(theirs, key=lambda name: theirs[name])
            others = "; ".join(f"{name} {rounded(value)}" for name, value in sorted(theirs.items(), key=lambda pair: -pair[1]))
            rows.append(f"| {NAMES[case]} | {k:,} | {rounded(mine)} | {others} | {mine / theirs[fastest]:,.0f}× |")
            print(rows[-1], flush=True)
        peers.stdin.close()

    single = [f"| {name} | {value:.2f} µs |" for name, value in singles().items()]
    conditions = (
        f"{machine('numpy', 'numba', 'cryptography')}; ε = {EPSILON:g}; "
        f"peers: {', '.join(f'{name} {number}' for name, number in versions.items())}. "
        "Codes have the smallest integer type that fits (the peers' have theirs). "
        f"Batches of 2^26 direct and 2^25 hashed reports, unary batches of 2^26 words, repeated for {SECONDS} s; "
        f"best of {ROUNDS} alternating rounds for each library. sottovoce draws from the operating system's generator "
        "(AES-256-CTR in bulk) on all cores; the peers, other than opendp, from weak generators on one. "
        "'Compiled loop' calls the peer's own compiled client from a loop that the benchmark adds."
    )
    header = ["| mechanism | K | sottovoce, secure source | peers | to the fastest peer |", "|---|---|---|---|---|"]
    alone = ["One report at a time, from Python, secure source:", "", "| mechanism | time |", "|---|---|"]
    print("\n".join(single))
    write("perturbation", [conditions, "", *header, *rows, "", *alone, *single])


if __name__ == "__main__":
    main()
