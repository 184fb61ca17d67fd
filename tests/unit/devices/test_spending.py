"""What an answer costs is read off the tables, and never understated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sottovoce as sv
from devices import named
from messages import refused
from paths import ROOT
from sottovoce.errors import DomainError
from studies import QUESTIONNAIRES

#: The costs that the JavaScript device finds; a system test compares all studies with the real one.
COSTS = {
    "ldp": {"": (1.0, 0)},
    "uldp": {"": (1.0, 1)},
    "ipldp": {"": (1.0, 1)},
    "lip": {"": (2.0, 0)},
    "three-reports": {"": (1.0, 0)},
    "levels": {"careful": (0.5, 1), "usual": (2.0, 1), "open": (0.0, 1)},
}


@pytest.mark.parametrize("kind", COSTS)
def test_the_cost_is_the_level_of_the_tables(kind: str) -> None:
    path: Path = ROOT / "spec" / "vectors" / "studies" / f"{kind}.json"
    study = sv.Study.from_json(json.dumps(json.loads(path.read_text(encoding="utf-8"))["study"]))
    found = {level: sv.price(study, level or None) for level in study.blocks}
    assert {level: (each.epsilon, each.shown) for level, each in found.items()} == COSTS[kind]


@pytest.mark.parametrize("kind", QUESTIONNAIRES)
def test_a_questionnaire_costs_what_its_most_revealing_form_does(kind: str) -> None:
    study = named(kind)
    for level in study.levels or (None,):
        found = sv.price(study, level)
        forms = study.mechanism.tiers[level or ""]  # type: ignore[union-attr]  # a questionnaire
        highest = max(study.mechanism.groups[name].certify().level for name in forms)  # type: ignore[union-attr]
        assert highest <= found.epsilon < highest + 0.001
        assert found.shown == (kind == "in-part")


def test_a_level_is_chosen_where_there_are_levels() -> None:
    with refused(DomainError, "careful"):
        sv.price(named("levels"))
    with refused(DomainError, "other", "usual"):
        sv.price(named("levels"), "other")
    with refused(DomainError, "careful"):
        sv.price(named("ldp"), "careful")
