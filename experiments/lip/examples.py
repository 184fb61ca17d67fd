"""The smallest examples of what the paper gets wrong, with numbers that are computed when the page is written."""

from __future__ import annotations

import math

import numpy as np

import sottovoce as sv
from experiments.lip import figure_8, printed
from experiments.lip.simulation import BITS, PLAIN, PRINTED_PLAIN, PeopleWithPrior, Rival


def examples() -> str:
    """The examples, as sections of a page."""
    return "\n\n".join((_theorem_3(), _proposition_2(), _proposition_3(), _theorem_2(), _theorem_4(), _correlation(), _equation_40()))


def _theorem_3() -> str:
    prior = np.array([0.1, 0.2, 0.7])
    mechanism = printed.rr_lip(sv.Domain(3), 1.0, prior)
    matrix = mechanism.channel.matrix()
    chance = float(prior @ matrix[:, 0])
    best = sv.optimal_lip(sv.Domain(3), 1.0, prior, progress=False)
    return f"""### Theorem 3 breaks its own bound

The paper's example: P = (0.1, 0.2, 0.7), ε = 1. The first answer is reported truly with q₁₁ = 1 − 0.9/e = {matrix[0, 0]:.4f}, and by others with
q₂₁ = q₃₁ = 0.1/e = {matrix[1, 0]:.4f}. So Pr(Y = 1) = 0.1 · {matrix[0, 0]:.4f} + 0.9 · {matrix[1, 0]:.4f} = {chance:.4f}, and the report 1 makes the answer 1
{matrix[0, 0]:.4f}/{chance:.4f} = {matrix[0, 0] / chance:.3f} times as likely as before, where e = {math.e:.3f} is allowed: ln {matrix[0, 0] / chance:.3f} = {math.log(matrix[0, 0] / chance):.3f}
(certified: {mechanism.certify().level:.3f}). Theorem 3 looks at Pr(Y)/q only from above. It is private if and only if every P_k ≥ 1/(e^ε + 1), here {1 / (math.e + 1):.3f}.

Errors of the histogram that one report leaves: as printed {sv.mmse_loss(mechanism):.4f} at its true level; the corrected RR-LIP {sv.mmse_loss(sv.rr_lip(sv.Domain(3), 1.0, prior)):.4f} and the
best channel {best.loss:.4f} at ε = 1; the corrected RR-LIP {sv.mmse_loss(sv.rr_lip(sv.Domain(3), mechanism.certify().level, prior)):.4f} and the best channel
{sv.optimal_lip(sv.Domain(3), mechanism.certify().level, prior, progress=False).loss:.4f} at the level that the printed one really has."""


def _proposition_2() -> str:
    a, b = 0.1, 0.3
    corners = [np.array([1 - a, a]), np.array([1 - b, b])]
    mechanism = printed.two_bounded(1.0, corners)
    q01, q10 = (float(mechanism.channel.matrix()[x, 1 - x]) for x in (0, 1))
    chance = (1 - a) * q01 + a * (1 - q10)
    mended = sv.rr_lip(sv.Domain(2), 1.0, priors=corners).channel.matrix()
    return f"""### Proposition 2 breaks it too

Two answers, P₁ between a = 0.1 and b = 0.3, ε = 1: q₀₁ = 0.3/(0.2 + e) = {q01:.4f}, q₁₀ = 0.9/(0.2 + e) = {q10:.4f}. At P₁ = 0.1,
Pr(Y = 1) = 0.9 · {q01:.4f} + 0.1 · {1 - q10:.4f} = {chance:.4f}, and {1 - q10:.4f}/{chance:.4f} = {(1 - q10) / chance:.3f} > e: the level is {mechanism.certify().level:.3f}. The condition is a·e^ε + b ≥ 1
(here {a * math.e + b:.3f}) and (1 − b)·e^ε + 1 − a ≥ 1 (here {(1 - b) * math.e + 1 - a:.3f}). Corrected: q₀₁ = {mended[0, 1]:.4f}, q₁₀ = {mended[1, 0]:.4f}."""


def _proposition_3() -> str:
    prior, homes = np.full(8, 1 / 8), np.arange(8) % 4
    weights = printed.bucket_prior(homes, prior, 4)
    inner = printed.rr_lip(sv.Domain(4), 1.0, weights)
    return f"""### Proposition 3 inherits it

Eight equally likely answers, hashed to four buckets of two: every bucket has 1/4 < {1 / (math.e + 1):.3f}. The bucket is told truly with 1 − 0.75/e = {1 - 0.75 / math.e:.4f}, and every bucket
is reported with probability 1/4: {1 - 0.75 / math.e:.4f} · 4 = {4 * (1 - 0.75 / math.e):.3f} > e, the level is {inner.certify().level:.3f}."""


def _theorem_2() -> str:
    prior, secrets = np.array([0.8, 0.2]), np.eye(2)
    mechanism = printed.two_latent(1.0, prior, secrets)
    best = sv.optimal_lip(sv.Domain(2), 1.0, prior, secrets=secrets.tolist(), progress=False)
    rows = best.channel.matrix()
    q0, q1 = (float(mechanism.channel.matrix()[x, 1 - x]) for x in (0, 1))
    b0, b1 = sorted(float(rows[x].min()) for x in (0, 1))
    one, other = (1 - b1) / (0.8 * b0 + 0.2 * (1 - b1)), (0.8 * (1 - b0) + 0.2 * b1) / b1
    return f"""### Theorem 2 is private, and not the best

The secret is the answer (G = X), P₁ = 0.2, ε = 1. Theorem 2 has q₀ = q₁ = 1/(e + 1) = {q0:.3f} ({q1:.3f}). The pair ({b0:.3f}, {b1:.3f}) is private as well: the report 1 makes the answer 1
{1 - b1:.3f}/(0.8 · {b0:.3f} + 0.2 · {1 - b1:.3f}) = {one:.3f} times as likely, and the report 0 makes it 1/{other:.3f} as likely, both within e = {math.e:.3f} (level {best.certify().level:.3f}).
The error that a report leaves falls from {sv.mmse_loss(mechanism, prior):.4f} to {best.loss:.4f}."""


def _theorem_4() -> str:
    domain, prior = sv.Domain(2), np.full(2, 0.5)
    half, best = sv.ue_lip(domain, 1.0, prior), sv.ue_lip(domain, 1.0, prior, theta="optimal")
    assert isinstance(half.channel, sv.UnaryChannel)
    assert isinstance(best.channel, sv.UnaryChannel)
    return f"""### UE-LIP's coin for the own bit is not the best

Two equally likely answers, ε = 1. Theorem 4 sets the own bit with a = 1/2 and the other with b = 0.5/(e − 1 + 1) = {half.channel.b[0]:.4f}; (a, b) = ({best.channel.a[0]:.4f}, {best.channel.b[0]:.4f})
is as private (levels {half.certify().level:.3f} and {best.certify().level:.3f}) and leaves {sv.mmse_loss(best):.4f} in the place of {sv.mmse_loss(half):.4f} when the whole report is read. Read bit by bit, as (30) and (31) do,
the printed one leaves {Rival("", BITS, half).expected(PeopleWithPrior(prior)):.4f}."""


def _correlation() -> str:
    levels = {
        case: printed.lip_level(sv.identity(sv.Domain(5)), figure_8.CASES[case], figure_8.secrets(case, 0.3))
        for case in (figure_8.UNIFORM, figure_8.SKEWED)
    }
    return f"""### A correlation of 0.3 does not say what may be released

Five equally likely answers 0 to 4. If G is X with probability 0.3 and otherwise drawn afresh, Pr(X = g | G = g) = 0.3 + 0.7/5 = 0.44 = 2.2 · P_g: the answer as it is has level
ln 2.2 = {levels[figure_8.UNIFORM]:.3f}. With the skewed prior it is ln((0.3 + 0.7 · 0.025)/0.025) = {levels[figure_8.SKEWED]:.3f}. If G is X with probability 0.65 and otherwise 4 − X, the correlation coefficient is
0.65 − 0.35 = 0.3 again, but the answer 1 excludes the secrets 0, 2 and 4: there is no finite level."""


def _equation_40() -> str:
    people, epsilon = PeopleWithPrior(np.array([0.7, 0.3])), 1.0
    rivals = {reading: Rival("", reading, sv.krr(people.domain, epsilon)) for reading in (PRINTED_PLAIN, PLAIN)}
    p = math.e / (math.e + 1)
    n, held = 1000, 300
    heard = held * p + (n - held) * (1 - p)
    printed_, mended = (heard - n * p) / (1 - 2 * p), (heard - n * (1 - p)) / (1 - 2 * (1 - p))
    formula, true = 2 * math.e / (math.e - 1) ** 2, rivals[PLAIN].expected(people)
    return f"""### Equation (40) estimates those who do not hold the answer

Two answers, 1000 people of whom 300 hold the answer 1, ε = 1, p = e/(e + 1) = {p:.4f}. In the mean {heard:.1f} reports are 1. Equation (40) gives ({heard:.1f} − 1000 · {p:.4f})/(1 − 2 · {p:.4f}) = {printed_:.0f}: with the
probability of a lie, 1 − p, in the place of p it is {mended:.0f}. With more than two answers it needs (Σ − N·q)/(p − q), q = 1/(e^ε + K − 1), for 1 − 2p is a difference of probabilities only if K = 2. Equation (41),
{formula:.3f} for each person and both entries together, is right for K = 2 (computed: {true:.3f}); for more answers it leaves out (K − 2)/(e^ε − 1) for each person who holds the item."""
