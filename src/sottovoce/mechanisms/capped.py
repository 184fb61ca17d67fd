"""Several choices with a cap: a set of at most m of M boxes, reported as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sottovoce.arithmetic import exp_below, threshold_below
from sottovoce.channels import CappedChannel, Channel
from sottovoce.channels.capped import reports_boxes
from sottovoce.domain import Domain
from sottovoce.errors import ParameterError
from sottovoce.mechanisms.base import Mechanism
from sottovoce.mechanisms.forms import Part
from sottovoce.notions import LDP, Notion
from sottovoce.optima.capped import best_capped, reports_that_meet
from sottovoce.policy import positive_epsilon


def capped_subset(boxes: Mapping[str, int], cap: int, epsilon: float, chosen: int | None = None) -> Part:
    """A report about boxes of which at most `cap` are chosen. `boxes` has the items of each: yes, no, and refusals, alike for all.

    m dummies fill the choice up to exactly m of d = M + m items. The report is a set of k of the d items, and e^ε times as likely if it
    meets the filled choice. By default k has the least error.

    >>> part = capped_subset({f"box {k}": 2 for k in range(20)}, 3, 1.0)
    >>> part.channel.chosen, part.certify().level <= 1.0
    (2, True)
    """
    epsilon, sizes = positive_epsilon(epsilon), set(boxes.values())
    if len(sizes) != 1 or min(sizes) < 2:
        raise ParameterError("The boxes have different items. Give each of them yes, no, and the same refusals.")
    if not 1 <= cap <= len(boxes):
        raise ParameterError(f"The cap is {cap!r}. Choose between 1 and the {len(boxes)} boxes.")
    items = len(boxes) + sizes.pop() - 2
    size = best_capped(items, cap, epsilon)[0] if chosen is None else chosen
    hits, misses = reports_that_meet(items, cap, size)
    favoured = hits * exp_below(epsilon)
    include = threshold_below(favoured / (favoured + misses))
    channel = CappedChannel(len(boxes), items - len(boxes), cap, size, include)
    return capped_part(boxes, cap, channel, LDP(epsilon))


def capped_part(boxes: Mapping[str, int], cap: int, channel: Channel, claim: Notion) -> Part:
    """The part of a form that a capped channel makes, if it is one for these boxes."""
    marks = next(iter(boxes.values())) - 2
    if not reports_boxes(channel, len(boxes), marks, cap):
        raise ParameterError(f"This channel isn't made for {len(boxes)} boxes of which at most {cap} are chosen. Use capped_subset.")
    made = Part.of(Mechanism(Domain(channel.size), channel, claim, "capped_subset"), boxes)
    return replace(made, cap=cap)
