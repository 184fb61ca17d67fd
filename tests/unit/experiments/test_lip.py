"""What the experiments of the LIP paper are made of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from experiments.cells import Cell
from experiments.data import Data
from experiments.lip.corners import best_channel, lip_rules, pufferfish_rules
from experiments.lip.own_priors import PERSON, Person, drawn_prior, simulate_people, tied
from experiments.lip.simulation import BITS, PLAIN, POSTERIOR, Rival

VALUES = np.arange(4.0)


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
@pytest.mark.parametrize("kind", ["answer", "secret", "pufferfish", "sum"])
def test_listed_corners_give_the_optimum(kind: str, epsilon: float) -> None:
    """The list finds what `optimal_lip` finds without one, and keeps the promise."""
    prior, random = drawn_prior(1, 4)
    tables = [tied(prior, correlation, random) for correlation in (0.4, 0.8)]
    rows = np.concatenate(tables)
    cases: dict[str, tuple[Any, dict[str, Any], sv.Notion]] = {
        "answer": (lip_rules(prior, np.eye(4), epsilon), {}, sv.LIP(9.0, prior)),
        "secret": (lip_rules(prior, rows, epsilon), {"secrets": rows.tolist()}, sv.LIP(9.0, prior, rows.tolist())),
        "pufferfish": (pufferfish_rules(tables, epsilon), {"scenarios": [each.tolist() for each in tables]}, sv.Pufferfish(9.0, tables)),
        "sum": (lip_rules(prior, np.eye(4), epsilon), {"utility": "sum"}, sv.LIP(9.0, prior)),
    }
    rules, options, notion = cases[kind]
    values = VALUES if kind == "sum" else None
    found, best = best_channel(prior, rules, values), sv.optimal_lip(sv.Domain(4), epsilon, prior, progress=False, **options)
    assert sv.mmse_loss(found, prior, values=values) == pytest.approx(best.loss, rel=1e-6)
    assert notion.check(found).level <= epsilon * (1 + 1e-6)


@pytest.mark.parametrize("correlation", [0.3, 0.7, 1.0])
def test_secrets_have_the_correlation_that_was_asked_for(correlation: float) -> None:
    """For every person, and the answers keep her prior."""
    for person in range(8):
        prior, random = drawn_prior(person)
        rows, numbers = tied(prior, correlation, random), np.arange(5)
        secrets = np.linalg.lstsq(rows.T, prior, rcond=None)[0]  # Pr(g), from Σ Pr(g)·Pr(x|g) = Pr(x)
        joint = secrets[:, None] * rows
        assert joint.sum(axis=0) == pytest.approx(prior, abs=1e-9)
        assert joint.min() >= -1e-9
        means = secrets @ numbers, prior @ numbers
        spreads = secrets @ numbers**2 - means[0] ** 2, prior @ numbers**2 - means[1] ** 2
        found = (numbers @ joint @ numbers - means[0] * means[1]) / math.sqrt(spreads[0] * spreads[1])
        assert found == pytest.approx(correlation, abs=1e-6)


def test_people_with_priors_of_their_own() -> None:
    """The errors of single people add up to that of the histogram (Theorem 1): simulated with 4,000 studies, in every way of reading."""
    people = []
    for number in range(6):
        prior, _ = drawn_prior(number, 4)
        domain = sv.Domain(4)
        people.append(Person(prior, {"direct": sv.rr_lip(domain, 1.0, prior), "bits": sv.ue_lip(domain, 1.0, prior)}))
    samples = simulate_people(Cell({}, 4000, 1, Data()), people, more=[("bits", BITS), ("direct", PLAIN)])
    rows = {(row["mechanism"], row["estimate"], row["metric"]): row for row in samples.rows()}
    assert len(rows) == 8
    for (_, _, metric), row in rows.items():
        if metric == "mse":
            assert row["mean"] == pytest.approx(row["predicted"], abs=6 * row["error"])
    direct = rows["direct", POSTERIOR, PERSON]
    assert direct["runs"] == 6
    assert direct["mean"] == pytest.approx(np.mean([sv.mmse_loss(each.mechanisms["direct"], each.prior) for each in people]))


def test_single_reports_add_up_to_the_estimate() -> None:
    prior, _ = drawn_prior(3, 4)
    for mechanism, readings in (
        (sv.rr_lip(sv.Domain(4), 1.0, prior), (POSTERIOR, PLAIN)),
        (sv.ue_lip(sv.Domain(4), 1.0, prior), (POSTERIOR, BITS)),
    ):
        reports = mechanism.perturb(np.arange(200) % 4, sv.SeededSource(1))
        for reading in readings:
            rival = Rival("", reading, mechanism)
            assert rival.each(reports, prior).mean(axis=0) == pytest.approx(rival.shares(reports, prior), abs=1e-9)
