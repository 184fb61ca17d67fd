"""Write spec/vectors/: recorded words and the reports that every client must make of them; whole studies, and studies to refuse."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv
from sottovoce.arithmetic import log_above
from sottovoce.catalogue import MECHANISMS
from sottovoce.findings.answer_groups import groups_of
from sottovoce.notions.beliefs import posterior
from sottovoce.wire import describe

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "tests" / "support")]
from refused import refused as refused_studies  # noqa: E402 - likewise
from refused_questionnaires import refused as refused_questionnaires  # noqa: E402 - likewise
from written import written  # noqa: E402 - likewise

from questionnaires import questionnaire_case, questionnaires  # noqa: E402 - this folder and the tests are found only now
from studies import STUDIES  # noqa: E402 - likewise: the study files of the tests, one of each kind

FOLDER = Path(__file__).parent / "vectors"
#: Items up to which the likelihood of reports is recorded.
_FEW = 12


def cases() -> dict[str, Callable[[], sv.Mechanism]]:
    """Mechanisms of every channel, at sizes that cross the edges of words and blocks."""
    five, many = sv.Domain(["hiv", "cancer", "hepatitis", "flu", "none"]), sv.Domain(130)
    prior = [0.05, 0.1, 0.15, 0.3, 0.4]
    marked = ["hiv", "hepatitis", "none"]

    matrix = np.array([[4, 2, 1, 1, 0, 0], [1, 3, 2, 1, 1, 0], [1, 1, 4, 1, 0, 1], [2, 2, 2, 1, 1, 0], [1, 1, 1, 5, 0, 0]]) / 8

    def made(name: str, domain: sv.Domain = five, epsilon: float = 1.0, **given: Any) -> Callable[[], sv.Mechanism]:
        return partial(_made, name, domain, epsilon, {"sensitive": marked, "prior": prior} | given)

    return {
        "direct-krr": made("krr"),
        "direct-krr-130": made("krr", many, 0.5),
        "direct-krr-strict": made("krr", five, 0.01),
        "direct-urr": made("urr"),
        "direct-mangat": made("mangat", sv.Domain(["no", "yes"]), sensitive=["yes"]),
        "direct-iprr": made("iprr", budgets={"hiv": 0.1, "cancer": 0.5, "hepatitis": 1.0}),
        "direct-rr-lip": made("rr_lip"),
        "direct-identity": lambda: sv.identity(five),
        "direct-pum": made("pum", tags=["home", "work"], sensitive=["hiv"]),
        "unary-oue": made("oue"),
        "unary-oue-130": made("oue", many),
        "unary-rappor-64": made("rappor", sv.Domain(64), 2.0),
        "unary-rappor-65": made("rappor", sv.Domain(65), 2.0),
        "unary-urap": made("urap"),
        "unary-urap-130": made("urap", many, sensitive=[0, 1, 64, 129]),
        "unary-ue-lip": made("ue_lip"),
        "subset": made("subset_selection", size=2),
        "subset-130": made("subset_selection", many),
        "hadamard": made("hadamard"),
        "hadamard-blocks": made("hadamard", five, 3.0),
        "hadamard-130": made("hadamard", many, 2.5),
        "hashed-olh": made("olh", many),
        "hashed-olh-wide": made("olh", many, 4.0),
        "hash-tables-lh-lip": made("lh_lip", g=3, functions=8),
        "matrix": lambda: sv.from_matrix(five, matrix),
        "matrix-lifted": lambda: sv.utility_optimized(_matrix(five.subset(marked), 1.0), five),
        "lifted-oue": made("utility_optimized", base="oue"),
        "lifted-oue-130": made("utility_optimized", many, base="oue", sensitive=[3, 63, 64, 127, 128]),
        "lifted-subset": made("utility_optimized", base="subset_selection"),
        "lifted-subset-one": made("utility_optimized", base="subset_selection", sensitive=["flu"]),
        "lifted-hadamard": made("utility_optimized", base="hadamard"),
        "lifted-olh": made("utility_optimized", base="olh"),
        "mixed-ubd": made("ubd"),
        "mixed-ubd-130": made("ubd", many, sensitive=[3, 63, 64, 127, 128]),
        "window": made("window", sv.Domain(5)),
        "window-distribution-130": made("window", many, 2.0, width="distribution"),
        "window-narrow": made("window", sv.Domain.scale(1, 5), width=0),
        "window-lifted": made("utility_optimized", sv.Domain(7), base="window", sensitive=[2, 3, 4, 5]),
        "window-lifted-130": made("utility_optimized", many, 0.5, base="window", sensitive=[62, 63, 64, 65, 66]),
    }


def _made(name: str, domain: sv.Domain, epsilon: float, given: Mapping[str, Any]) -> sv.Mechanism:
    """A mechanism of the catalogue, with the parts of a promise that it takes and the settings that it has."""
    entry = MECHANISMS[name]
    known = {"epsilon": epsilon} | given
    assert entry.build is not None
    found: sv.Mechanism = entry.build(domain, **{key: known[key] for key in known if key in {*entry.takes, *entry.settings}})
    return found


def _matrix(domain: sv.Domain, epsilon: float, promised: float = 1.0) -> sv.Mechanism:
    return sv.from_matrix(domain, sv.krr(domain, epsilon).channel.matrix(), sv.LDP(epsilon * promised))


def case(number: int, mechanism: sv.Mechanism) -> dict[str, Any]:
    """Twelve items, the words that they read (hexadecimal), and the reports. Some words are at the very edges.

    Where there are few items: how likely each makes each report, relative to the one that makes it likeliest.
    """
    count = len(mechanism.inputs)
    codes = [(7 * i + number) % count for i in range(12)]
    words = sv.SeededSource(1000 + number).take(20_000).copy()
    words[[2, 5, 9]] = [0, 2**64 - 1, 2**63]
    source = sv.ReplaySource(words)
    reports = mechanism.channel.perturb(np.array(codes), source)
    read = words[: len(words) - source.remaining]
    weights = mechanism.channel.likelihood(reports) if count <= _FEW else np.zeros((0, 1))
    return {
        "mechanism": mechanism.name,
        "channel": describe(mechanism.channel),
        "items": codes,
        "words": [f"{word:016x}" for word in read.tolist()],
        "reports": [[str(part) for part in value] if isinstance(value, tuple) else value for value in reports.tolist()],
        "bytes": reports.to_bytes().hex(),
        "likelihood": (weights / weights.max(axis=1, keepdims=True)).tolist(),
    }


def study_case(number: int, study: sv.Study) -> dict[str, Any]:
    """A compiled study; answers (codes of the channel's inputs) with their levels, words and reports; the odds of every input; and beliefs.

    Beliefs are, for each level with a guarantee, groups of inputs with what 1 in 100 and 50 in 100 can become.
    """
    words = sv.SeededSource(5000 + number).take(5_000).copy()
    source, answers, levels = sv.ReplaySource(words), list[dict[str, Any]](), list(study.blocks)
    for k in range(6):
        level, code = levels[k % len(levels)], (5 * k + number) % len(study.inputs)
        mechanism = study.blocks[level]
        code %= len(mechanism.inputs)
        line = sv.wire.lines(study.fingerprint, mechanism.channel.perturb(np.array([code]), source))
        answers.append({"level": level, "input": code, "report": json.loads(line)["report"]})
    read = words[: len(words) - source.remaining]
    return {
        "study": study.compile(),
        "answers": answers,
        "words": [f"{word:016x}" for word in read.tolist()],
        "odds": {level: list(odds(mechanism)) for level, mechanism in study.blocks.items()},
        "beliefs": {level: beliefs(study, level) for level, promise in study.promises.items() if promise is not None},
    }


def beliefs(study: sv.Study, level: str) -> list[list[Any]]:
    """What a belief that someone gave one of some answers can become."""
    groups = groups_of(study, level)
    return [[group.codes, group.after, math.ceil(100 * posterior(Fraction(1, 2), group.ratio))] for group in groups]


def odds(mechanism: sv.Mechanism) -> Iterator[list[Any]]:
    """For each input: whether a report can show it as it is, and how far others can raise and lower its odds (at least 1)."""
    columns, size = mechanism.channel.columns, len(mechanism.inputs)
    everything = np.ones(size, dtype=np.bool_)
    for code in range(size):
        mine = everything.cumsum() == code + 1
        pairs = columns.largest_pair(mine, everything).ratio, columns.largest_pair(everything, mine).ratio
        factors = (max(Fraction(1), Fraction(ratio)) for ratio in pairs)
        yield [bool(columns.invertible[code]), *(f"{factor.numerator}/{factor.denominator}" for factor in factors)]


def levels() -> dict[str, dict[str, Any]]:
    """Channels at a level, and what they would be at 1.1 times it: a statistical test must accept the one and refuse the other."""
    five, marked, prior = sv.Domain("abcde"), ["a", "b", "c"], [0.05, 0.1, 0.15, 0.3, 0.4]

    def made(name: str, **given: Any) -> Callable[[float], sv.Mechanism]:
        return lambda epsilon: _made(name, five, epsilon, {"sensitive": marked, "prior": prior} | given)

    makers: dict[str, Callable[[float], sv.Mechanism]] = {
        "direct-krr": made("krr"),
        "direct-urr": made("urr"),
        "direct-iprr": lambda epsilon: sv.iprr(five, {"a": epsilon, "b": 2 * epsilon}),
        "direct-rr-lip": made("rr_lip"),
        "direct-pum": made("pum", tags=["home"], sensitive=["a", "b"]),
        "unary-oue": made("oue"),
        "unary-rappor": made("rappor"),
        "unary-urap": made("urap"),
        "subset": made("subset_selection", size=2),
        "hadamard": made("hadamard"),
        "hashed-olh": made("olh", g=3),
        "hash-tables-lh-lip": made("lh_lip", g=3, functions=8),
        "matrix": lambda epsilon: _matrix(five, epsilon, 1 + 1e-12),
        "lifted-oue": made("utility_optimized", base="oue"),
        "lifted-hadamard": made("utility_optimized", base="hadamard"),
        "lifted-olh": made("utility_optimized", base="olh"),
        "mixed-ubd": made("ubd"),
        "window": lambda epsilon: sv.window(sv.Domain(5), epsilon, width=1),
        "window-lifted": lambda epsilon: sv.utility_optimized(sv.window(sv.Domain(5).subset([0, 1, 2]), epsilon, width=1), sv.Domain(5)),
    }
    return {name: _level(make(2.0), make(2.2)) for name, make in makers.items()}


def _level(right: sv.Mechanism, wrong: sv.Mechanism) -> dict[str, Any]:
    """The first two items, and how far the right channel tells them apart (in nats)."""
    one, two = np.arange(len(right.inputs)) == 0, np.arange(len(right.inputs)) == 1
    level = log_above(right.channel.columns.largest_pair(one, two).ratio)
    return {"level": level, "items": [0, 1], "right": describe(right.channel), "wrong": describe(wrong.channel)}


def refused() -> Iterator[tuple[str, dict[str, Any]]]:
    """Studies and questionnaires that every client must refuse."""
    yield from refused_studies()
    yield from refused_questionnaires()


def main() -> None:
    """Write one file per case."""
    for folder in (FOLDER, FOLDER / "studies", FOLDER / "levels", FOLDER / "refused", FOLDER / "questionnaires", FOLDER / "written"):
        folder.mkdir(exist_ok=True)
        for old in folder.glob("*.json"):
            old.unlink()
    for number, (name, build) in enumerate(cases().items()):
        text = json.dumps(case(number, build()), separators=(",", ":"))
        (FOLDER / f"{name}.json").write_text(text.replace('],"', '],\n"') + "\n")
    for number, (kind, text) in enumerate(STUDIES.items()):
        found = study_case(number, sv.Study.from_toml(text))
        (FOLDER / "studies" / f"{kind}.json").write_text(json.dumps(found, separators=(",", ":")) + "\n")
    for name, found in levels().items():
        (FOLDER / "levels" / f"{name}.json").write_text(json.dumps(found, separators=(",", ":")) + "\n")
    for number, (kind, study) in enumerate(questionnaires().items()):
        text = json.dumps(questionnaire_case(number, study), separators=(",", ":"))
        (FOLDER / "questionnaires" / f"{kind}.json").write_text(text.replace('},{"level"', '},\n{"level"') + "\n")
    for name, found in written().items():
        (FOLDER / "written" / f"{name}.json").write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for name, form in refused():
        (FOLDER / "refused" / f"{name}.json").write_text(json.dumps(form, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
