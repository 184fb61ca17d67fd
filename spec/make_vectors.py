"""Write spec/vectors/: recorded words, and the reports that every client must make of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv
from sottovoce.wire import describe

FOLDER = Path(__file__).parent / "vectors"


def cases() -> dict[str, Callable[[], sv.Mechanism]]:
    """Mechanisms of every channel, at sizes that cross the edges of words and blocks."""
    five, many = sv.Domain(["hiv", "cancer", "hepatitis", "flu", "none"]), sv.Domain(130)
    prior = [0.05, 0.1, 0.15, 0.3, 0.4]
    marked = ["hiv", "hepatitis", "none"]

    def lifted(base: Callable[..., sv.Mechanism], domain: sv.Domain, items: Any, *rest: Any) -> Callable[[], sv.Mechanism]:
        return lambda: sv.utility_optimized(base(domain.subset(items), 1.0, *rest), domain)

    return {
        "direct-krr": lambda: sv.krr(five, 1.0),
        "direct-krr-130": lambda: sv.krr(many, 0.5),
        "direct-krr-strict": lambda: sv.krr(five, 0.01),
        "direct-urr": lambda: sv.urr(five, 1.0, marked),
        "direct-mangat": lambda: sv.mangat(sv.Domain(["no", "yes"]), 1.0, "yes"),
        "direct-iprr": lambda: sv.iprr(five, {"hiv": 0.1, "cancer": 0.5, "hepatitis": 1.0}),
        "direct-rr-lip": lambda: sv.rr_lip(five, 1.0, prior),
        "direct-identity": lambda: sv.identity(five),
        "direct-pum": lambda: sv.pum(five, 1.0, ["home", "work"], sensitive=["hiv"]),
        "unary-oue": lambda: sv.oue(five, 1.0),
        "unary-oue-130": lambda: sv.oue(many, 1.0),
        "unary-rappor-64": lambda: sv.rappor(sv.Domain(64), 2.0),
        "unary-rappor-65": lambda: sv.rappor(sv.Domain(65), 2.0),
        "unary-urap": lambda: sv.urap(five, 1.0, marked),
        "unary-urap-130": lambda: sv.urap(many, 1.0, [0, 1, 64, 129]),
        "unary-ue-lip": lambda: sv.ue_lip(five, 1.0, prior),
        "subset": lambda: sv.subset_selection(five, 1.0, 2),
        "subset-130": lambda: sv.subset_selection(many, 1.0),
        "hadamard": lambda: sv.hadamard(five, 1.0),
        "hadamard-blocks": lambda: sv.hadamard(five, 3.0),
        "hadamard-130": lambda: sv.hadamard(many, 2.5),
        "hashed-olh": lambda: sv.olh(many, 1.0),
        "hashed-olh-wide": lambda: sv.olh(many, 4.0),
        "hash-tables-lh-lip": lambda: sv.lh_lip(five, 1.0, prior, g=3, functions=8),
        "matrix": lambda: sv.from_matrix(
            five, np.array([[4, 2, 1, 1, 0, 0], [1, 3, 2, 1, 1, 0], [1, 1, 4, 1, 0, 1], [2, 2, 2, 1, 1, 0], [1, 1, 1, 5, 0, 0]]) / 8
        ),
        "matrix-lifted": lifted(lambda d, e: sv.from_matrix(d, sv.krr(d, e).channel.matrix(), sv.LDP(e)), five, marked),
        "lifted-oue": lifted(sv.oue, five, marked),
        "lifted-oue-130": lifted(sv.oue, many, [3, 63, 64, 127, 128]),
        "lifted-subset": lifted(sv.subset_selection, five, marked, 1),
        "lifted-subset-one": lifted(sv.subset_selection, five, ["flu"], 1),
        "lifted-hadamard": lifted(sv.hadamard, five, marked),
        "lifted-olh": lifted(sv.olh, five, marked),
        "mixed-ubd": lambda: sv.ubd(five, 1.0, marked),
        "mixed-ubd-130": lambda: sv.ubd(many, 1.0, [3, 63, 64, 127, 128]),
    }


def case(number: int, mechanism: sv.Mechanism) -> dict[str, Any]:
    """Twelve items, the words that they read (hexadecimal), and the reports. Some words are at the very edges."""
    count = len(mechanism.inputs)
    codes = [(7 * i + number) % count for i in range(12)]
    words = sv.SeededSource(1000 + number).take(20_000).copy()
    words[[2, 5, 9]] = [0, 2**64 - 1, 2**63]
    source = sv.ReplaySource(words)
    reports = mechanism.channel.perturb(np.array(codes), source)
    read = words[: len(words) - source.remaining]
    return {
        "mechanism": mechanism.name,
        "channel": describe(mechanism.channel),
        "items": codes,
        "words": [f"{word:016x}" for word in read.tolist()],
        "reports": [[str(part) for part in value] if isinstance(value, tuple) else value for value in reports.tolist()],
        "bytes": reports.to_bytes().hex(),
    }


def main() -> None:
    """Write one file per case."""
    FOLDER.mkdir(exist_ok=True)
    for number, (name, build) in enumerate(cases().items()):
        text = json.dumps(case(number, build()), separators=(",", ":"))
        (FOLDER / f"{name}.json").write_text(text.replace('],"', '],\n"') + "\n")


if __name__ == "__main__":
    main()
