"""sottovoce demo: two studies from beginning to end."""

from __future__ import annotations

from pathlib import Path

import sottovoce as sv
from invoking import as_json, run


def test_demo(tmp_path: Path) -> None:
    told = as_json(tmp_path, "demo", "--folder", "here")
    health, city = told["studies"]
    assert city["tv"] < 0.15
    assert city["plain_ldp_tv"] > 0.4
    assert health["tv"] < 0.15
    survey, places = (sv.Study.load(tmp_path / "here" / f"{name}.toml") for name in ("health", "city"))
    promise, whole = survey.promises[""], places.promises[""]
    assert promise is not None
    assert whole is not None
    assert (promise.notion, dict(promise.budgets or {})) == ("ipldp", {"hiv": 0.1, "cancer": 0.5, "hepatitis": 1.0})
    assert (list(survey.domain), survey.blocks[""].name) == (["hiv", "cancer", "hepatitis", "flu", "none"], "iprr")
    assert (places.domain.shape, places.tags, len(whole.sensitive), whole.epsilon) == ((25, 25), ("home",), 15, 1.0)
    for study in told["studies"]:
        assert Path(study["page"]).read_text().startswith("<!DOCTYPE html>")
    text = run(tmp_path, "demo", "--folder", "here").stdout.decode()
    assert "Total variation from the truth" in text
    for line in text.splitlines():  # the commands that the demonstration shows can be typed
        if line.startswith("$ sottovoce estimate"):
            run(tmp_path, *line.split()[2:])
