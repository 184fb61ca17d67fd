"""The peers' side of the benchmark: reads one case a line (JSON), answers with reports per second. Runs in .bench-venv.

Each peer is given its best form: its client called in a Python loop and, where the client is compiled, also from a compiled loop.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import opendp.prelude as dp
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client
from pure_ldp.frequency_oracles.direct_encoding import DEClient
from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

dp.enable_features("contrib")
Batch = Callable[[np.ndarray[Any, Any]], object]


@numba.njit
def _grr_loop(codes, k, epsilon):  # type: ignore[no-untyped-def]  # numba infers them
    out = np.empty(len(codes), dtype=np.int64)
    for i in range(len(codes)):
        out[i] = GRR_Client(codes[i], k, epsilon)
    return out


@numba.njit
def _ue_loop(codes, k, epsilon):  # type: ignore[no-untyped-def]  # numba infers them
    out = np.empty((len(codes), k), dtype=np.uint8)
    for i in range(len(codes)):
        out[i] = UE_Client(codes[i], k, epsilon, True)
    return out


def batches(case: str, k: int, epsilon: float) -> dict[str, Batch]:
    """The ways in which the peers can perturb many values under one mechanism."""
    mapper = lambda item: item  # noqa: E731 - pure-ldp wants a function from item to index
    if case == "direct":
        client = DEClient(epsilon, k, index_mapper=mapper)
        weight = np.exp(epsilon) / (np.exp(epsilon) + k - 1)
        response = dp.m.make_randomized_response(list(range(k)), prob=float(weight))
        return {
            "pure-ldp": lambda codes: [client.privatise(code) for code in codes.tolist()],
            "multi-freq-ldpy": lambda codes: [GRR_Client(code, k, epsilon) for code in codes.tolist()],
            "multi-freq-ldpy, compiled loop": lambda codes: _grr_loop(codes, k, epsilon),
            "opendp (secure)": lambda codes: [response(code) for code in codes.tolist()],
        }
    if case == "unary":
        unary = UEClient(epsilon, k, use_oue=True, index_mapper=mapper)
        return {
            "pure-ldp": lambda codes: [unary.privatise(code) for code in codes.tolist()],
            "multi-freq-ldpy": lambda codes: [UE_Client(code, k, epsilon, True) for code in codes.tolist()],
            "multi-freq-ldpy, compiled loop": lambda codes: _ue_loop(codes, k, epsilon),
        }
    if case == "summing":
        rows = [UE_Client(code % k, k, epsilon, True) for code in range(1 << 12)] * (1 << 8)
        adder = UEServer(epsilon, k, use_oue=True, index_mapper=mapper)
        return {
            "pure-ldp": lambda codes: [adder.aggregate(row) for row in rows[: len(codes)]],
            "multi-freq-ldpy": lambda codes: UE_Aggregator_MI(rows[: len(codes)], epsilon, True),
        }
    if case == "decoding":
        reports = [LH_Client(code % k, k, epsilon, True) for code in range(1 << 12)]
        server = LHServer(epsilon, k, use_olh=True, index_mapper=mapper)
        return {
            "pure-ldp": lambda codes: [server.aggregate(report) for report in reports[: len(codes)]],
            "multi-freq-ldpy": lambda codes: LH_Aggregator_MI(reports[: len(codes)], k, epsilon, True),
        }
    local = LHClient(epsilon, k, use_olh=True, index_mapper=mapper)
    return {
        "pure-ldp": lambda codes: [local.privatise(code) for code in codes.tolist()],
        "multi-freq-ldpy": lambda codes: [LH_Client(code, k, epsilon, True) for code in codes.tolist()],
    }


def rate(batch: Batch, k: int, seconds: float) -> float:
    """Reports per second over batches that grow until one takes long enough."""
    codes = np.random.default_rng(1).integers(0, k, 1 << 20)
    batch(codes[:2])
    count = 2
    while True:
        start = time.perf_counter()
        batch(codes[:count])
        elapsed = time.perf_counter() - start
        if elapsed > seconds or count == len(codes):
            return count / elapsed
        count = min(len(codes), max(2 * count, int(1.3 * count * seconds / max(elapsed, 1e-9))))


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        ways = batches(request["case"], request["k"], request["epsilon"])
        print(json.dumps({name: rate(batch, request["k"], request["seconds"]) for name, batch in ways.items()}), flush=True)


if __name__ == "__main__":
    main()
