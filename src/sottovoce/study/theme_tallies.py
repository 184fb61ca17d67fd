"""What the forms of a questionnaire say about a theme: their parts that are about it, of all forms and levels."""

from __future__ import annotations

from typing import Any

import numpy as np

from sottovoce.mechanisms import Forms, Mechanism, Part, Population
from sottovoce.notions import LDP
from sottovoce.reports import ProductReports
from sottovoce.study.asking import Theme
from sottovoce.tallies import Block, Tally


def _parts(theme: Theme, forms: Forms) -> dict[str, Part]:
    """The parts of forms that speak of a theme, by their questions, numbered if these are reported at several budgets."""
    found: dict[str, Part] = {}
    for part in forms.parts:
        if set(theme.fields) <= set(part.questions):
            name = "+".join(part.questions)
            found[name if name not in found else f"{name} {len(found) + 1}"] = part
    return found


def _margin(theme: Theme, part: Part) -> Mechanism:
    """The mechanism of a part for one of its themes."""
    if set(part.questions) == set(theme.fields):
        return Mechanism(part.domain, part.channel, part.claim, part.name)
    channel = part.margin(list(theme.fields))
    assert channel is not None  # blocks are direct, and boxes are read one by one
    level = Mechanism(theme.domain, channel, LDP(float("inf"))).certify().level
    return Mechanism(theme.domain, channel, LDP(level), part.name)


def mechanism_of(theme: Theme, forms: Forms) -> Mechanism | Population:
    """What all forms say about a theme, as a mechanism for it, or as groups of people with one each."""
    groups = {name: _margin(theme, part) for name, part in _parts(theme, forms).items()}
    return next(iter(groups.values())) if len(groups) == 1 else Population(groups)


def tally_of(theme: Theme, tally: Tally) -> Tally:
    """The tally of a theme from a tally of forms: its parts of all forms added up, blocks by their margins."""
    forms = tally.source
    assert isinstance(forms, Forms)
    parts, mechanism = _parts(theme, forms), mechanism_of(theme, forms)
    single = len(parts) == 1
    counts: dict[str, tuple[int, Any]] = {}
    kept: dict[str, Any] = {}
    for name, part in parts.items():
        whole = set(part.questions) == set(theme.fields)
        total, people, piles = np.zeros(part.channel.statistic.length, dtype=np.int64), 0, []
        for block in tally.blocks:
            place = next((k for k, each in enumerate(forms.groups[block.name].parts) if each == part), None)
            if place is None:
                continue
            total, people = total + _counts(block, place), people + block.n
            if whole and isinstance(block.reports, ProductReports):
                piles.append(block.reports.parts[place])
        counts["" if single else name] = (people, total if whole else part.margin_counts(total, list(theme.fields)))
        if piles and not part.channel.statistic.sufficient:
            kept["" if single else name] = sum(piles[1:], piles[0])
    found = Tally.from_counts(mechanism, counts)
    needed = {block.name for block in found.blocks if not block.sufficient}
    return found.with_reports(kept) if kept and needed <= set(kept) else found


def _counts(block: Block, place: int) -> Any:
    return block.channel.statistic.split(block.counts)[place]  # type: ignore[attr-defined]  # side by side
