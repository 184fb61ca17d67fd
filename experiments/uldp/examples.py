"""The smallest examples of what we contradict, with their arithmetic."""

from __future__ import annotations

import math

import numpy as np

import sottovoce as sv
from sottovoce.reports import CodeReports


def examples() -> str:
    """Markdown; every number is computed."""
    return "\n\n".join((_bound(), _square_root(), _single(), _start()))


def _bound() -> str:
    places = sv.Domain(["a", "b"])
    mechanism = sv.pum(places, 1.0, tags=["home"])
    r, truth, guess = np.array([0.5, 0.4, 0.1]), {"home": [1.0, 0.0]}, {"home": [0.0, 1.0]}
    p = sv.resolve_tags(sv.Estimate(mechanism.inputs, r, 100, "inversion"), mechanism, truth).p
    estimate = sv.Estimate(mechanism.inputs, np.array([0.9, 0.3, -0.2]), 100, "inversion")
    found = sv.resolve_tags(estimate, mechanism, guess)
    loss, first, second = sv.distance(found, p).l1, sv.distance(estimate, r).l1, found.bound(truth)
    share = found.bots["home"]
    return (
        "### Theorem 1 needs the absolute value\n\n"
        f"Two places a and b, one tag. The people are r = (a: {r[0]:g}, b: {r[1]:g}, ⊥: {r[2]:g}), and all behind the tag are at a: p = ({p[0]:g}, {p[1]:g}). "
        f"*emp* may give r̂ = ({estimate.p[0]:g}, {estimate.p[1]:g}, {estimate.p[2]:g}), and we guess that the tag is at b: p̂ = r̂ + r̂(⊥)·π̂ = ({found.p[0]:g}, {found.p[1]:.1f}).\n\n"
        f"- l1(p̂, p) = |{found.p[0]:g} − {p[0]:g}| + |{found.p[1]:.1f} − {p[1]:g}| = {loss:.1f}\n"
        f"- first term: |{estimate.p[0]:g} − {r[0]:g}| + |{estimate.p[1]:g} − {r[1]:g}| + |{estimate.p[2]:g} − {r[2]:g}| = {first:.1f}\n"
        f"- second term as printed: r̂(⊥)·l1(π̂, π) = {share:g}·2 = {2 * share:.1f}; the sum is {first + 2 * share:.1f}, below the loss\n"
        f"- with |r̂(⊥)|: {second:.1f}; the sum is {first + second:.1f}, and the bound holds"
    )


def _square_root() -> str:
    items, n = 100, 10**6
    domain, epsilon = sv.Domain(items), math.log(items)
    noisy, plain = (sv.losses(each, np.full(items, 1 / items), n) for each in (sv.rappor(domain, epsilon), sv.identity(domain)))
    root = math.sqrt(items)
    truth, noise = root / (root + 1), 1 / (root + 1)
    chance = noise + (truth - noise) / items
    variance = chance * (1 - chance) / (truth - noise) ** 2
    return (
        "### RAPPOR at ε = ln K: the l1 loss is K^(1/4) times that without privacy, not √K times\n\n"
        f"K = {items}, everybody alike, p = 1/{items}. A bit is 1 with probability {root:g}/{root + 1:g} for the own item and 1/{root + 1:g} for another, so in all with "
        f"{noise:.4f} + {truth - noise:.4f}/{items} = {chance:.4f}; the estimate of an item has n·variance {chance:.4f}·{1 - chance:.4f}/{truth - noise:.4f}² = {variance:.4f}. Without privacy it is "
        f"0.01·0.99 = 0.0099. The ratio of the variances, and so of the squared errors, is {variance / 0.0099:.1f} (√K = {root:g}); that of the absolute deviations is its root, "
        f"{math.sqrt(variance / 0.0099):.2f} (K^(1/4) = {items**0.25:.2f}). `sv.losses` with a million people: {noisy.l2 / plain.l2:.1f} and {noisy.l1 / plain.l1:.2f}. "
        "The factor √K of Section 4.3 belongs to the l2 loss."
    )


def _single() -> str:
    epsilon, n = 0.1, 1000
    domain = sv.Domain(["sensitive", "plain", "other"])
    p = [0.0, 0.5, 0.5]
    losses = {
        each.name: sv.losses(each, p, n) for each in (sv.urr(domain, epsilon, ["sensitive"]), sv.urap(domain, epsilon, ["sensitive"]))
    }
    shown = {"urr": -math.expm1(-epsilon), "urap": -math.expm1(-epsilon / 2)}
    return (
        "### With one sensitive item uRR beats uRAP\n\n"
        f"ε = {epsilon:g}, three items, one of them sensitive. A holder of another item shows it with probability 1 − e^−ε = {shown['urr']:.4f} under uRR, and 1 − e^(−ε/2) = {shown['urap']:.4f} under uRAP. "
        f"An item with share ½ that is shown with probability q has n·variance ½·(1/q − ½): {0.5 * (1 / shown['urr'] - 0.5):.2f} against {0.5 * (1 / shown['urap'] - 0.5):.2f}. "
        f"The sensitive item, which nobody holds, has {n * losses['urr'].per_item[0]:.2f} against {n * losses['urap'].per_item[0]:.2f}: about 1/ε against 4/ε². "
        f"`sv.losses` with {n:,} people gives total variations of {losses['urr'].tv:.3f} and {losses['urap'].tv:.3f}."
    )


def _start() -> str:
    epsilon, counts = 0.1, (53, 47)
    mechanism = sv.krr(sv.Domain(["a", "b"]), epsilon)
    tally = sv.Tally(mechanism).add(CodeReports(np.repeat(np.arange(2, dtype=np.uint8), counts), 2))
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    n = sum(counts)
    raw = sv.estimate(tally, "inversion")
    steps = {count: sv.estimate(tally, "em", iterations=count + 1, tolerance=1e-9, progress=False).p[0] for count in (1, 100, 1000)}
    return (
        "### Maximum likelihood is not where EM stands after a few steps\n\n"
        f"RR with two items, ε = {epsilon:g}: the truth is told with probability {keep:.4f}. Of {n} reports {counts[0]} say a, so *emp* gives (0.{counts[0]} − {1 - keep:.4f})/{2 * keep - 1:.4f} = {raw.p[0]:.2f} for a, with a standard error of {raw.stderr[0]:.2f}: "
        f"nothing is significant, and *emp+thr* is ({', '.join(f'{each:g}' for each in sv.estimate(tally, 'threshold').p)}). EM from there takes a to ½·(0.{counts[0]}·{keep:.4f} + 0.{counts[1]}·{1 - keep:.4f})/½ = {steps[1]:.4f} in its first step, to {steps[100]:.4f} in a hundred and "
        f"{steps[1000]:.4f} in a thousand; the maximum is at ({', '.join(f'{each:g}' for each in sv.estimate(tally, 'mle').p)}), since *emp* is above 1. Stopped early, EM looks like its start; converged, it says a. "
        "Neither is wrong about the likelihood: the reports say next to nothing, and the start was a good guess."
    )
