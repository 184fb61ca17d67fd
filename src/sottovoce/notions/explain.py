"""Certificates in plain language, for respondents and privacy officers."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.arithmetic import log_above
from sottovoce.errors import UnsupportedError
from sottovoce.policy.items import Bot
from sottovoce.policy.wording import factor, named, percent, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sottovoce.domain import Item
    from sottovoce.notions.base import Certificate, Judged, Notion

_MOST_ITEMS = 12
#: Up to so many items are compared. If reports change the odds of all alike, they aren't listed.
_COMPARED = 100
ADD_UP = "Further reports about the same answer, here or elsewhere, reveal more. Each changes the odds again."


def explanation(certificate: Certificate, *, limits: bool = True) -> str:
    """What a certificate means: with what isn't protected, unless a longer list of that follows."""
    notion, judged = certificate.notion, certificate.judged
    promise = f"The guarantee ({notion.title}): {notion.promise()}"
    parts = (
        [promise, _verdict(certificate)] if certificate.holds else [_verdict(certificate), f"The guarantee would be: {notion.promise()}"]
    )
    if judged is not None:
        parts.append(_odds(judged, notion))
        parts += getattr(judged, "notes", ())
    if limits:
        parts.append("What is not protected:\n" + "\n".join(f"  - {limit}" for limit in [*notion.limits(), ADD_UP]))
    return "\n\n".join(parts)


def _verdict(certificate: Certificate) -> str:
    level = shown(certificate.level, getattr(certificate.notion, "epsilon", None))
    at = level if math.isinf(certificate.level) else f"ε = {level}" + ("" if certificate.attained else " or less")
    word = "It is kept" if certificate.holds else "THE GUARANTEE IS BROKEN"
    text = f"Verdict: {word}, at {at}, computed on the integer probabilities that are sampled."
    witness = certificate.witness
    if witness is None or witness.item is None:
        return text
    against = f" against {named(witness.other)}" if witness.other is not None else ""
    return text + f" The most revealing report is about {named(witness.item)}{against}."


def _examples(judged: Judged, notion: Notion) -> list[int]:
    """The items to mention: all, or of many some that the notion names as protected, some others, and the tags of personal marks."""
    size = len(judged.inputs)
    if size <= _MOST_ITEMS:
        return list(range(size))
    named_items: Iterable[Item] = getattr(notion, "sensitive", ()) or getattr(notion, "budgets", ())
    protected = sorted(judged.inputs.code(item) for item in named_items)
    first = protected[: 2 * _MOST_ITEMS // 3]
    marks = [code for code in range(size) if isinstance(judged.inputs.item(code), Bot)]
    others = islice((code for code in range(size) if code not in {*protected, *marks}), _MOST_ITEMS - len(first))
    return [*first, *others, *(code for code in marks if code not in first)]


def _odds(judged: Judged, notion: Notion) -> str:
    """For every item: how far a report can push its odds against another item, up and down."""
    columns, domain = judged.channel.columns, judged.inputs
    everything = np.ones(len(domain), dtype=np.bool_)
    revealed = _revealed(judged) if columns.invertible.any() else []

    def change(code: int) -> str:
        mine = np.zeros(len(domain), dtype=np.bool_)
        mine[code] = True
        up, down = (
            max(0.0, log_above(columns.largest_pair(above, below).ratio)) for above, below in ((mine, everything), (everything, mine))
        )
        changes = ", ".join(
            f"{how} up to {factor(move)} times" if move else f"not {how}" for how, move in (("raised", up), ("lowered", down))
        )
        shown = f"{revealed[code]} By the other reports, " if columns.invertible[code] else ""
        return f"{shown}{changes}"

    examples = _examples(judged, notion)
    compared = {code: change(code) for code in (range(len(domain)) if len(domain) <= _COMPARED else examples)}
    if len(examples) < len(domain) == len(compared) and len(set(compared.values())) == 1:
        lines = [f"  all {len(domain)} {'answers' if domain.edges is None else 'ranges'}: {compared[0]}"]
    else:
        lines = [f"  {named(domain.item(code))}: {compared[code]}" for code in examples]
        lines += [f"  ... and {len(domain) - len(examples)} more items"] * (len(domain) > len(examples))
    text = "What seeing one report can do to the odds of each answer, against any other answer:\n" + "\n".join(lines)
    if columns.invertible.any():
        text += "\nA report that reveals its answer rules out every other answer."
    lone = always_sent(judged)
    if lone is not None:
        text += (
            f"\nA device with {named(domain.item(lone))} always sends the same report. The answer is protected because devices with other "
            "answers send that report too, by chance."
        )
    return text


def always_sent(judged: Judged) -> int | None:
    """The one answer that reports don't reveal, if it's always sent as it is. With several, chance mixes them up.

    >>> from sottovoce import Domain, urr
    >>> always_sent(urr(Domain("abc"), 1.0, sensitive="b")), always_sent(urr(Domain("abc"), 1.0, sensitive="bc"))
    (1, None)
    """
    hidden = np.flatnonzero(~judged.channel.columns.invertible)
    return int(hidden[0]) if len(hidden) == 1 < len(judged.inputs) and judged.channel.has_one_report(int(hidden[0])) else None


def _revealed(judged: Judged) -> list[str]:
    """How often reports reveal each item as it is, if that can be computed."""
    try:
        return [f"{percent(chance)} of its reports reveal it." for chance in judged.channel.revealed_chances().tolist()]
    except UnsupportedError:
        return ["some reports reveal it."] * len(judged.inputs)
