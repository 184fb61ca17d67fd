"""The Prometheus rules in deploy/: they can be read, and name series and labels that the collector has."""

from __future__ import annotations

import re

import pytest

from paths import ROOT
from sottovoce.collector.metrics import Metrics

yaml = pytest.importorskip("yaml")
RULES = yaml.safe_load((ROOT / "deploy" / "alerts.yml").read_text(encoding="utf-8"))["groups"][0]["rules"]
#: Names that other programs expose.
ELSEWHERE = {"up", "node_filesystem_avail_bytes", "node_filesystem_size_bytes", "sottovoce_backup_timestamp_seconds"}


def test_rules_are_about_series_of_the_collector() -> None:
    text = Metrics().figures().text()
    for rule in RULES:
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert rule["annotations"]["summary"].endswith((".", "?", "recount"))
        assert rule["expr"].count("(") == rule["expr"].count(")")
        for name, labels in re.findall(r"\b((?:sottovoce|node|up)\w*)(?:\{([^}]*)\})?", rule["expr"]):
            if name in ELSEWHERE:
                continue
            assert f"\n{name}" in text, name
            for label, values in re.findall(r'(\w+)=~?"([^"]*)"', labels):
                for value in values.split("|"):
                    assert f'{name}{{{label}="{value}"}} 0' in text, (name, value)


def test_the_page_lists_what_has_an_alarm() -> None:
    page = (ROOT / "docs" / "collector-operation.md").read_text(encoding="utf-8")
    assert [rule["alert"] for rule in RULES if f"`{rule['alert']}`" not in page] == []
