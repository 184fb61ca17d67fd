"""The guarantee of the reports about a whole record: one report about each of several answers of the same person."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from sottovoce.arithmetic import log_above
from sottovoce.catalogue import notion
from sottovoce.channels.columns import Extreme
from sottovoce.domain import Item
from sottovoce.errors import UnsupportedError
from sottovoce.notions.base import Certificate, EpsilonNotion, Judged, Notion, Witness, all_items, revealed, sensitive_mask, widest, witness
from sottovoce.notions.ldp import LDP
from sottovoce.notions.uldp import ULDP
from sottovoce.policy.wording import factor


@notion(
    says="ratios of at most e^ε between any two records, except for reports that show an answer that isn't sensitive",
    source="",
    see="decisions/0022-questionnaires.md",
)
class RecordULDP(EpsilonNotion):
    """ULDP for a record of several answers: each is reported under ULDP for its question, or unchanged if nothing about it is sensitive.

    For every report y and all records x, x' with Q(y|x) > 0 and Q(y|x') > 0: Q(y|x) ≤ e^ε·Q(y|x'). A report rules a record out only by
    showing an answer that isn't sensitive. ULDP itself, which lets a report show all or nothing, can't hold for whole records.
    """

    title: ClassVar[str] = "utility-optimized local differential privacy of every question, for the whole record"

    def check(self, mechanism: Judged) -> Certificate:
        return together(self, getattr(mechanism, "parts", ()))

    def raises(self, item: Item) -> float:
        """Between all records that agree with the answers that are shown, the odds change by e^ε at most."""
        return self.epsilon

    def promise(self) -> str:
        return (
            "Your reports never prove a sensitive answer, because other answers may lead to the same reports. Answers that aren't "
            "sensitive may be shown as they are. Between two sets of answers that both fit what is shown, all reports together change "
            f"the odds by at most a factor of {factor(self.epsilon)}."
        )

    def limits(self) -> list[str]:
        return [
            "Answers that aren't sensitive aren't protected. A report may reveal them, and several together may identify you.",
            "The collector knows which questions your report is about and which answers count as sensitive.",
        ]


def together(claim: Notion, parts: Sequence[Judged]) -> Certificate:
    """The certificate of independent reports, one about each of several answers: their largest ratios multiply.

    Under LDP every part is checked as a whole. Under `RecordULDP` a part with an ULDP claim must hide its sensitive items, and one that
    claims nothing has none.

    >>> from sottovoce import Domain, krr
    >>> together(LDP(1.5), [krr(Domain("abc"), 1.0), krr(Domain("xy"), 0.5)]).level
    1.5
    """
    if not isinstance(claim, (LDP, RecordULDP)) or not parts:
        raise UnsupportedError("This notion doesn't cover reports about several answers. Use LDP or RecordULDP.")
    ratio, worst = Fraction(1), Extreme(Fraction(1))
    where: Judged | None = None
    for part in parts:
        extreme = _extreme(claim, part)
        if isinstance(extreme.ratio, float):  # infinitely telling
            return Certificate(claim, holds=False, level=extreme.ratio, witness=witness(part, extreme), ratio=extreme.ratio)
        ratio *= max(Fraction(1), extreme.ratio)
        if extreme.ratio > worst.ratio:
            worst, where = extreme, part
    level = max(0.0, log_above(ratio))
    found: Witness | None = None if where is None or len(parts) > 1 else witness(where, worst)
    return Certificate(claim, level <= claim.epsilon, level, found, ratio=ratio)


def _extreme(claim: Notion, part: Judged) -> Extreme:
    """The largest ratio of a part, infinite if it shows what it must hide."""
    own = getattr(part, "claim", None)
    exposed = None
    if not isinstance(claim, LDP) and isinstance(own, ULDP):
        exposed = revealed(part, sensitive_mask(part, own.sensitive))
    elif isinstance(claim, LDP) or own != LDP(float("inf")):
        return widest(part)
    everything = all_items(part)
    return exposed or part.channel.columns.largest_pair(everything, everything)
