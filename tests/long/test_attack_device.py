"""One question under thirty names: how many reports leave a device, and how often they give its answer away, with the cap and without."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import sottovoce as sv
from collectors import added, serving
from suites.survey import counted

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ITEMS = ["quartz", "ochre", "cobalt", "jade", "umber"]
NAMES = [f"name-{k:02d}" for k in range(30)]
QUESTION = 'name = "{name}"\nquestion = "Which?"\nitems = {items}\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n[mechanism]\nname = "krr"\n'

#: Devices with the client's own ledger answer every study they may. What left each of them, as a hostile collector sees it.
ATTACK = """async ([names, devices, items, cap]) => {
    const { Device, loadStudy } = await import("/static/sottovoce.js");
    const studies = await Promise.all(names.map((name) => loadStudy(`/studies/${name}`)));
    const found = [];
    const one = async (k) => {
        const kept = new Map();
        const left = [];
        const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => void kept.set(key, text) };
        const seen = (url, request) => (left.push(JSON.parse(request.body).report), fetch(url, request));
        const device = new Device({ storage, fetch: seen, ...(cap && { cap }) });
        for (const study of studies)
            await device.prepare(study, study.domain.text(k % items)).then((reports) => device.send(study, reports), () => null);
        found.push([k % items, left]);
    };
    for (let k = 0; k < devices; k += 10) await Promise.all(Array.from({ length: 10 }, (_, j) => one(k + j)));
    return found;
}"""


def guessed(devices: list[Any]) -> float:
    """The share of devices whose answer the most frequent report names; among several the attacker guesses."""
    hits = 0.0
    for truth, reports in devices:
        counts = np.bincount(reports, minlength=len(ITEMS))
        hits += (counts[truth] == counts.max()) / (counts == counts.max()).sum()
    return hits / len(devices)


def expected(reports: int, epsilon: float = 1.0, people: int = 1_000_000) -> float:
    """The same share by simulation of k-RR, where the most frequent report is the likeliest answer."""
    weights = np.array([math.exp(epsilon)] + [1.0] * (len(ITEMS) - 1))
    counts = np.random.default_rng(7).multinomial(reports, weights / weights.sum(), size=people)
    most = counts.max(axis=1)
    return float(np.mean((counts[:, 0] == most) / (counts == most[:, None]).sum(axis=1)))


@pytest.mark.parametrize(("devices", "cap", "leave"), [(1000, None, 8), (100, 1000, 30)])
def test_one_question_under_thirty_names(tmp_path: Path, browser: Browser, devices: int, cap: float | None, leave: int) -> None:
    url = str(tmp_path / "collector.sqlite")
    added(url, *(sv.Study.from_toml(QUESTION.format(name=name, items=ITEMS)) for name in NAMES))
    with serving(url, tmp_path) as served:
        page = browser.new_page()
        page.goto(f"{served.address}/s/{NAMES[0]}")
        found = page.evaluate(ATTACK, [NAMES, devices, len(ITEMS), cap])
        page.close()
        assert {len(reports) for _, reports in found} == {leave}
        assert sum(counted(served, name) for name in NAMES) == devices * leave
    share, wanted = guessed(found), expected(leave)
    assert abs(share - wanted) < 5 * math.sqrt(wanted * (1 - wanted) / devices), (share, wanted)
