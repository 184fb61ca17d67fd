"""The device judges as Python does: at the very level that a channel gives it accepts, and a little below it refuses."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from parts import node
from paths import ROOT
from sottovoce.arithmetic import ONE
from sottovoce.channels import Channel, DirectChannel, MatrixChannel, UnaryChannel
from sottovoce.study.compiled import fingerprint_of
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.wire import describe
from zoo import ZOO

CLIENT = ROOT / "clients" / "js" / "dist" / "sottovoce.js"
NEAR = 1e-9
#: Channels whose belief the client bounds by their odds: it may refuse them under a prior where Python accepts.
BOUNDED = {"subset", "hadamard", "hashed"}


def channels() -> Iterator[tuple[str, Channel]]:
    """Those of all mechanisms, and tables at random."""
    for name, make in ZOO.items():
        yield name, make(1.3).channel
    random = np.random.default_rng(7)
    for k in range(40):
        size = int(random.integers(2, 7))
        noise = (random.integers(0, 4, size) * random.integers(1, 9) * 2**58 // 8).astype(object)
        yield f"direct {k}", DirectChannel(ONE - int(sum(noise)), noise)
        absent = random.choice([0, 1, 2, 3], size) * random.choice([1, 2], size) * 2**60
        yield f"unary {k}", UnaryChannel(absent + random.choice([2**61, 2**62], size), absent)
        rows = np.array([_row(random, 5) for _ in range(size)], dtype=object)
        yield f"matrix {k}", MatrixChannel(rows)


def _row(random: np.random.Generator, length: int) -> list[int]:
    weights = random.choice([0, 1, 1, 2, 3, 5], length) + np.array([1, *[0] * (length - 1)])
    shares = [ONE * int(weight) // int(weights.sum()) for weight in weights]
    return [shares[0] + ONE - sum(shares), *shares[1:]]


def claims(size: int, random: np.random.Generator) -> Iterator[tuple[sv.Notion, Any]]:
    """Notions over so many items, with the form of their promise at a level."""
    marked = sorted(random.choice(size, max(1, size // 2), replace=False).tolist())
    weights = random.integers(1, 20, size).tolist()
    budgets = [code in marked for code in range(size)]
    some, every = dict.fromkeys(marked, 1.0), dict.fromkeys(range(size), 1.0)
    prior = [weight / sum(weights) for weight in weights]
    exact = {"weights": [str(weight) for weight in weights], "total": str(sum(weights))}
    yield sv.LDP(1.0), lambda level: {"notion": "ldp", "epsilon": level}
    yield sv.ULDP(1.0, marked), lambda level: {"notion": "uldp", "epsilon": level, "sensitive": marked}
    yield sv.IDLDP(every), lambda level: {"notion": "minid", "budgets": [level] * size}
    yield sv.ItemULDP(some), lambda level: {"notion": "item_uldp", "budgets": [level if each else None for each in budgets]}
    yield sv.IPLDP(some), lambda level: {"notion": "ipldp", "budgets": [level if each else None for each in budgets]}
    yield sv.LIP(1.0, prior), lambda level: {"notion": "lip", "epsilon": level, "prior": exact}


def compiled(channel: Channel, privacy: dict[str, Any]) -> dict[str, Any]:
    block = {"level": "", "privacy": privacy, "mechanism": "any", "channel": json.loads(json.dumps(describe(channel)))}
    form = {"sottovoce": 1, "name": "any", "question": "?", "domain": {"items": list(range(channel.size))}, "reports": 1, "blocks": [block]}
    return form | {"promise": "", "fingerprint": fingerprint_of(form)}


def signed(form: dict[str, Any]) -> dict[str, Any]:
    """A changed form with a fingerprint that fits."""
    return form | {"fingerprint": fingerprint_of({key: value for key, value in form.items() if key not in {"promise", "fingerprint"}})}


def judged(studies: list[dict[str, Any]], folder: Path, read: str = "readStudy") -> list[str]:
    """What the client says of each: nothing, or why it refuses."""
    (folder / "studies.json").write_text(json.dumps(studies))
    program = f"""
        import {{ readFileSync }} from "node:fs";
        import {{ {read} }} from {json.dumps(str(CLIENT))};
        const found = [];
        for (const study of JSON.parse(readFileSync("studies.json", "utf8")))
            found.push(await {read}(study).then(() => "", (error) => error.message));
        console.log(JSON.stringify(found));
    """
    done = subprocess.run(
        [node(), "--input-type=module", "-e", program], cwd=folder, capture_output=True, text=True, check=True, timeout=300
    )
    found: list[str] = json.loads(done.stdout)
    return found


def test_the_device_and_python_agree_at_the_boundary(tmp_path: Path) -> None:
    random = np.random.default_rng(11)
    cases: list[tuple[str, str, bool]] = []
    studies: list[dict[str, Any]] = []
    for name, channel in channels():
        if not 2 <= channel.size <= 200:
            continue
        judged_as = sv.mechanisms.Mechanism(sv.Domain(channel.size), channel, sv.LDP(math.inf), "any")
        for notion, form in claims(channel.size, random):
            try:
                level = notion.check(judged_as).level
            except sv.UnsupportedError:
                level = math.inf
            kind = describe(channel)["kind"]
            if not 1e-5 < level < 39:
                studies.append(compiled(channel, form("39.0")))
                cases.append((f"{name}: {notion.title}, never", kind, level < 1e-5))
                continue
            for factor, holds in ((1 + NEAR, True), (1 - NEAR, False)):
                studies.append(compiled(channel, form(repr(level * factor))))
                cases.append((f"{name}: {notion.title}, {'at' if holds else 'below'} {level}", kind, holds))
    found = judged(studies, tmp_path)
    wrong = [
        (case, said)
        for (case, kind, holds), said in zip(cases, found, strict=True)
        if (said == "") != holds and not (holds and kind in BOUNDED and "information" in case)
    ]
    assert wrong == []
    assert {said for said in found if said} == {"Study refused: its tables do not keep its guarantee."}
    assert sum(holds for _, _, holds in cases) > 200
    assert sum(not holds for _, _, holds in cases) > 400


def test_the_device_and_python_agree_about_whole_records(tmp_path: Path) -> None:
    """A questionnaire is accepted at the very level of its forms, and refused a little below it."""
    forged: list[dict[str, Any]] = []
    for path in sorted((ROOT / "spec" / "vectors" / "questionnaires").glob("*.json")):
        form = json.loads(path.read_text(encoding="utf-8"))["study"]
        study = sv.Study.from_json(json.dumps(form))
        assert isinstance(study, Questionnaire)
        for factor in (1 + NEAR, 1 - NEAR):
            levels = [{"level": name, "epsilon": repr(level * factor)} for name, level in study.mechanism.levels.items()]
            privacy = {"epsilon": levels[0]["epsilon"]} if not study.levels else {"levels": levels}
            forged.append(signed(form | {"privacy": {"notion": form["privacy"]["notion"]} | privacy}))
    said = judged(forged, tmp_path, "readQuestionnaire")
    assert len(said) >= 28
    for form, reason in zip(forged, said, strict=True):
        if reason:
            with pytest.raises(sv.SottovoceError):
                sv.Study.from_json(json.dumps(form))
        else:
            sv.Study.from_json(json.dumps(form))
    assert said == ["", "Study refused: its tables do not keep its guarantee."] * (len(said) // 2)


@pytest.mark.parametrize("reports", [2, 3, 10])
def test_several_reports_together(reports: int, tmp_path: Path) -> None:
    mechanism = sv.krr(sv.Domain(4), 1.0)
    level = sv.LDP(1.0).check(mechanism).level
    studies = []
    for factor in (1 + NEAR, 1 - NEAR):
        form = compiled(mechanism.channel, {"notion": "ldp", "epsilon": repr(level * reports * factor)}) | {"reports": reports}
        studies.append(signed(form))
    first, second = judged(studies, tmp_path)
    assert first == ""
    assert second.endswith("do not keep its guarantee.")
