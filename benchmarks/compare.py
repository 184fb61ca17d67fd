"""The speed of this source against that of another checkout, in turns: `python benchmarks/compare.py ../before`.

The other checkout needs a .venv of its own. Each turn runs the same work in a fresh process of each, and the best turns are compared.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

import sottovoce as sv
from common import best
from sottovoce.loops import compile_at_once

TURNS, ROUNDS, PEOPLE, KEPT = 4, 5, 200_000, 20_000


def mechanisms() -> dict[str, sv.Mechanism]:
    items, many, sensitive = sv.Domain(100), sv.Domain(1000), range(20)
    part = items.subset(sensitive)
    return {
        "krr": sv.krr(items, 1.0),
        "krr, 1,000 items": sv.krr(many, 1.0),
        "oue": sv.oue(items, 1.0),
        "oue, 1,000 items": sv.oue(many, 1.0),
        "olh": sv.olh(items, 1.0),
        "subset_selection": sv.subset_selection(items, 1.0),
        "hadamard": sv.hadamard(items, 1.0),
        "urr": sv.urr(items, 1.0, sensitive),
        "urap": sv.urap(items, 1.0, sensitive),
        "ubd": sv.ubd(items, 1.0, sensitive),
        "lifted oue": sv.utility_optimized(sv.oue(part, 1.0), items),
        "lifted olh": sv.utility_optimized(sv.olh(part, 1.0), items),
        "lh_lip": sv.lh_lip(items, 1.0, [0.01] * 100, g=3, functions=64),
        "from_matrix": sv.from_matrix(items, sv.krr(items, 1.0).channel.matrix(), sv.LDP(1.0)),
    }


def work_of(name: str, m: sv.Mechanism) -> Iterator[tuple[str, Callable[[], object]]]:
    """What is measured of a mechanism: what it is called, and the work."""
    channel, size = m.channel, m.channel.size
    codes, source, secure = np.random.default_rng(1).integers(0, size, PEOPLE), sv.SeededSource(1), sv.SecureSource()
    reports = channel.perturb(codes, sv.SeededSource(2))
    tally, kept, data = sv.Tally(m).add(reports), sv.Tally(m, keep_reports=True).add(reports[:KEPT]), reports[:KEPT].to_bytes()
    yield f"perturb: {name}", lambda: channel.perturb(codes, source)
    yield f"perturb one: {name}", lambda: [channel.perturb_one(3, secure) for _ in range(300)]
    yield f"read bytes: {name}", lambda: channel.reports_from_bytes(data)
    yield f"count: {name}", lambda: sv.Tally(m).add(reports)
    if size <= 100:
        yield f"mle: {name}", lambda: sv.estimate(kept, "mle", progress=False)
    for method in ("inversion", "projected", "auto"):
        if tally.supports(method):
            yield f"{method}: {name}", partial(_with_bars, tally, method)
    if tally.supports("inversion"):
        yield f"losses: {name}", lambda: (sv.losses(m, np.full(size, 1 / size), 1000), sv.worst_case(m, 1000))


def _with_bars(tally: sv.Tally, method: str) -> object:
    return sv.estimate(tally, method, progress=False).stderr


def measured() -> dict[str, float]:
    """Seconds of each kind of work."""
    compile_at_once()
    found = {what: best(work, ROUNDS) for name, m in mechanisms().items() for what, work in work_of(name, m)}
    return found | {"plan: uldp": best(lambda: sv.plan(100, 1.0, sensitive=range(20), n=1000), ROUNDS)}


def main(other: Path) -> None:
    here = Path(__file__).resolve().parents[1]
    turns: dict[Path, list[dict[str, float]]] = {other: [], here: []}
    for _ in range(TURNS):
        for root, seen in turns.items():
            command = [str(root / ".venv/bin/python"), "-W", "ignore", __file__, "--once"]
            seen.append(json.loads(subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout))
    ratios = defaultdict(list)
    for what in turns[here][0]:
        before, after = (min(turn[what] for turn in turns[root]) for root in (other, here))
        ratios[what.partition(":")[0]].append((after / before, what))
    print("| work | cases | least | median | most (now / before) |\n|---|---|---|---|---|")
    for work, found in ratios.items():
        values = [ratio for ratio, _ in found]
        print(f"| {work} | {len(found)} | {min(values):.2f} | {statistics.median(values):.2f} | {max(found)[0]:.2f} ({max(found)[1]}) |")


if __name__ == "__main__":
    if sys.argv[1:] == ["--once"]:
        print(json.dumps(measured()))
    elif len(sys.argv) == 2:
        main(Path(sys.argv[1]).resolve())
    else:
        raise SystemExit(__doc__)
