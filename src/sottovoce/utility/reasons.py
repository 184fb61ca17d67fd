"""A plan in words: why the first option is first, how the next one compares, and whether the goal is possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sottovoce.utility.expectations import Curve
from sottovoce.utility.goals import Goal
from sottovoce.utility.ranking import Ranked


def reason(goal: Goal, ranked: Sequence[Ranked], floor: Curve | None, n: int | None, left_out: Sequence[str]) -> str:
    """Why the first option is first."""
    text = _with_people(goal, ranked, floor, n) if n is not None else _for_people(goal, ranked, floor)
    if not left_out:
        return text
    which = f"{left_out[0]} is left out, because its" if len(left_out) == 1 else f"{' and '.join(left_out)} are left out, because their"
    return f"{text} {which} error for this goal isn't known."


def _with_people(goal: Goal, ranked: Sequence[Ranked], floor: Curve | None, n: int) -> str:
    best = ranked[0]
    assert best.error is not None
    least = 0.0 if floor is None else floor.error(n)
    rest = _rest(ranked, lambda each: goal.short(each.error or 0.0), "is at")
    lead = "is recommended" if best.instead_of else "has the least expected error"
    text = f"{best.name} {lead} with {n:,} people: {goal.phrase(best.error)} {best.where}{rest}."
    if least > 0:
        text += f" Without any protection it would be {goal.short(least)}."
    if goal.asked is not None:
        return f"{text} {_verdict(goal, best, floor, n)}"
    worth = goal.useless(best.error)
    remedy = "ask more people, or allow a larger epsilon" if best.error > 1.2 * least else "ask more people"
    return f"{text} {worth}: {remedy}." if worth else text


def _for_people(goal: Goal, ranked: Sequence[Ranked], floor: Curve | None) -> str:
    best = ranked[0]
    assert goal.asked is not None
    rest = _rest(ranked, lambda each: f"{each.people:,}", "needs")
    lead = f"is recommended {goal.purpose}" if best.instead_of else f"needs the fewest people {goal.purpose}"
    text = f"{best.name} {lead} {best.where}: {best.people:,}{' people' if best.instead_of else ''}{rest}."
    if floor is None or floor.needed(goal.asked) == 0:
        return text
    return f"{text} Without any protection it would take {floor.people(goal.asked):,}."


def _rest(ranked: Sequence[Ranked], show: Callable[[Ranked], str], verb: str) -> str:
    """A sentence about the second option: how it compares, or why it isn't the first although its error is smaller."""
    best = ranked[0]
    if best.instead_of is not None:
        closer = best.instead_of
        gain = f"be {100 * (1 - closer.strength / best.strength):.2g}% closer" if verb == "is at" else f"need {show(closer)}"
        return f"; {closer.name} would {gain}, with reports of {closer.report_bytes:,} bytes instead of {best.report_bytes:,}"
    if len(ranked) < 2:
        return ""
    name, values = ranked[1].name, [show(each) for each in ranked[:2]]
    ties = values[0] == values[1] or ranked[1].strength < best.strength  # which of those that tie comes first is a rule, and no merit
    return f"; {name} does as well" if ties else f"; the next best, {name}, {verb} {values[1]}"


def _verdict(goal: Goal, best: Ranked, floor: Curve | None, n: int) -> str:
    """Whether the given people are enough for the goal, and what to change if not."""
    assert best.error is not None
    assert goal.asked is not None
    target = f"The target of {goal.short(goal.asked)}"
    if best.error <= goal.asked:
        return f"{target} is met; {best.people:,} people would suffice."
    if floor is not None and floor.error(n) > goal.asked:
        return (
            f"{target} is out of reach: even unprotected answers of {n:,} people would miss it, and it takes "
            f"{floor.people(goal.asked):,} of those. Ask {best.people:,} people, or {goal.settle}."
        )
    return f"{target} is missed: ask {best.people:,} people, allow a larger epsilon, or {goal.settle}."
