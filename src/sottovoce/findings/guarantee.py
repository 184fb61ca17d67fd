"""The privacy guarantee in words for people who read findings: what a belief about someone's answer can become."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sottovoce.domain import Domain, Item
from sottovoce.labels import text_of
from sottovoce.notions import IDLDP, IPLDP, LDP, LIP, OSLDP, ULDP, Certificate, ItemULDP, Notion, RecordULDP
from sottovoce.notions.beliefs import of_hundred
from sottovoce.policy import Promise
from sottovoce.policy.items import Bot
from sottovoce.policy.wording import shown
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire

#: Sensitive answers that are named.
_NAMED = 4
#: Groups of answers that are drawn.
_GROUPS = 4
_OPEN = "Answers that aren’t sensitive may be seen as they are."
#: From so many in 100 on, the guarantee is called weak.
_WEAK = 50
_LITTLE = "That’s little protection: the answer could then seem likelier than all others together."
_NOTHING = "Nothing is hidden: reports show answers as they are."


@dataclass(frozen=True)
class Protected:
    """Answers with one budget: a belief of 1 in 100 becomes `after` in 100 at most."""

    answers: str
    after: float


@dataclass(frozen=True)
class Guarantee:
    """What a tier guarantees, in sentences: a belief of 1 in 100 becomes `after` in 100 at most. None if nothing is hidden.

    `groups` are the answers by their protection, the best protected first. Empty if all are protected alike.
    """

    tier: str
    sentences: Sequence[str]
    after: float | None
    groups: Sequence[Protected] = ()


@dataclass(frozen=True)
class _Person:
    """How sentences call the person who answers."""

    whose: str
    who: str
    seeing: str


_SOMEONE = _Person("a person’s", "a person", "this person")
_YOU = _Person("your", "you", "you")


def guarantees_of(study: Study, *, to_respondents: bool = False) -> list[Guarantee]:
    """What a study guarantees, for each tier that people can choose: in sentences about a person, or for the person who answers."""
    person = _YOU if to_respondents else _SOMEONE
    if isinstance(study, Questionnaire):
        return [_of_record(study, tier, claim, person) for tier, claim in study.mechanism.claims.items()]
    return [
        Guarantee(tier, [_NOTHING], None) if promise is None else _of_answer(tier, promise, study.reports, person)
        for tier, promise in study.promises.items()
    ]


def guarantee_lines(study: Study) -> Iterator[tuple[str, bool]]:
    """The guarantee for people, and with True what others want to check."""
    for each in guarantees_of(study):
        yield f"Guarantee{f' at level {each.tier!r}' if each.tier else ''}: {' '.join(each.sentences)}", False
    if isinstance(study, Questionnaire):
        claim, level = study.mechanism.claim, study.mechanism.level
        yield f"{claim.title}, ε = {shown(level)} for all that a person reports.", True
    else:
        for name, mechanism in study.blocks.items():
            certificate, several = mechanism.certify(), f" of one report ({study.reports} per person)" if study.reports > 1 else ""
            at = f" at level {name!r}" if name else ""
            yield f"Mechanism {mechanism.name}{at}, {certificate.notion.title}, ε = {shown(certificate.level)}{several}.", True
    if study.name:
        yield f"Fingerprint {study.fingerprint}.", True


def of_certificate(certificate: Certificate) -> str:
    """What a notion promises, with a belief before and after as an example if the notion bounds all odds alike."""
    notion = certificate.notion
    if not isinstance(notion, (LDP, ULDP)) or math.isinf(certificate.level):
        return notion.promise()
    what = "a person’s answer is a certain sensitive one" if isinstance(notion, ULDP) else "a person’s answer is a certain one"
    return f"{notion.promise()} {_belief(what, 'the report', of_hundred(certificate.level))}"


def odds_of(certificate: Certificate) -> tuple[float, float]:
    """How far a report can raise, and lower, the log-odds of a protected answer, as ε.

    They are infinite if the notion bounds no such thing. An answer that isn't sensitive may be shown, which rules the sensitive ones out.
    """
    notion, level = certificate.notion, certificate.level
    if isinstance(notion, (LDP, IDLDP)):
        return level, level
    if isinstance(notion, (ULDP, OSLDP, IPLDP, ItemULDP, RecordULDP)):
        return level, math.inf
    if isinstance(notion, LIP) and notion.secrets is None:  # whatever was believed before, and not only with the prior of the study
        return 2 * level, 2 * level
    return math.inf, math.inf


def _of_answer(tier: str, promise: Promise, reports: int, person: _Person) -> Guarantee:
    """The guarantee of a study of one question: for the answers with the smallest budget, then for those with the largest."""
    claim, domain, seeing = promise.claim(), promise.domain, "the report" if reports == 1 else f"all {reports} reports"
    protected: list[Item] = list(promise.budgets or [*promise.sensitive, *promise.bots] or [domain.item(0)])
    first, last = (pick(protected, key=claim.raises) for pick in (min, max))
    everything = not promise.bots and (promise.notion in {"ldp", "lip"} or len(protected) == len(domain))
    after, most = of_hundred(claim.raises(first)), of_hundred(claim.raises(last))
    said = [_belief(f"{person.whose} answer is {_quoted(domain, first, sensitive=not everything)}", seeing, after)]
    if after != most:
        said.append(f"For {_quoted(domain, last)}, which is protected least, it can raise that to at most about {most:g} in 100.")
    if everything:
        said += ["The same is true of every answer."] * (after == most and len(domain) > 1)
    else:
        others = [item for item in protected if item != first] if after == most else []
        if others:
            said.append(f"The same is true of {_listed(domain, others)}.")
        said.append(_OPEN)
    return Guarantee(tier, [*said, *_warned(most)], most, _groups(promise))


def _groups(promise: Promise) -> list[Protected]:
    """The answers with budgets of their own, by budget. Of many groups the first ones are listed, and the last one.

    Under a promise about reports the budget is that of the answer that is reported.
    """
    budgets = promise.budgets or {}
    levels = sorted(set(budgets.values()))
    if len(levels) < 2:
        return []
    kept = levels if len(levels) <= _GROUPS else [*levels[: _GROUPS - 1], levels[-1]]
    names = {level: [item for item, budget in budgets.items() if budget == level] for level in kept}
    head = "A report of " if isinstance(promise.claim(), IPLDP) else ""
    found = [Protected(head + _either(promise.domain, names[level]), of_hundred(level)) for level in kept]
    if len(levels) > _GROUPS:
        found[-1] = replace(found[-1], answers=f"… {found[-1].answers}")
    return found


def _either(domain: Domain, items: Sequence[Item]) -> str:
    """One of some answers."""
    named = [_quoted(domain, item) for item in items]
    return " or ".join(named) if len(named) <= 2 else f"{named[0]} or {len(named) - 1} others"


def _of_record(study: Questionnaire, tier: str, claim: Notion, person: _Person) -> Guarantee:
    """The guarantee of a questionnaire: it covers all that a person reports."""
    level = claim.raises(study.questions[0].answers.item(0))
    if math.isinf(level):
        return Guarantee(tier, [_NOTHING], None)
    after, sensitive = of_hundred(level), study.written.notion != "ldp"
    seeing = f"all that {person.seeing} reported"
    said = [_belief(f"{person.who} gave a certain answer to a question", seeing, after)]
    if sensitive:
        said = [_belief(f"{person.who} gave a certain sensitive answer", seeing, after)]
        said.append(f"{_OPEN} What they have to do with sensitive answers can then be guessed, as it could without any report.")
    else:
        said.append("The same is true of every answer to every question.")
    return Guarantee(tier, [*said, *_warned(after)], after)


def _warned(after: float) -> list[str]:
    """What to know about a weak guarantee."""
    return [_LITTLE] if is_weak(after) else []


def is_weak(after: float) -> bool:
    """Whether so many in 100 are called weak protection."""
    return after > _WEAK


def _belief(what: str, seeing: str, after: float) -> str:
    """The sentence that the survey page has too, about someone else."""
    if after >= 100:
        return f"If someone thinks there is a 1 in 100 chance that {what}, seeing {seeing} can make that almost certain."
    return f"If someone thinks there is a 1 in 100 chance that {what}, seeing {seeing} can raise that to at most about {after:g} in 100."


def _listed(domain: Domain, items: Sequence[Item]) -> str:
    if len(items) > _NAMED or any(axis.bounds for axis in domain.axes):
        return f"the other {len(items):,} sensitive answers" if len(items) > 1 else "the other sensitive answer"
    *before, last = (_quoted(domain, item) for item in items)
    return f"{', '.join(before)} and {last}" if before else last


def _quoted(domain: Domain, item: Item, *, sensitive: bool = True) -> str:
    """An answer in a sentence. Cells of a grid have names that only files need."""
    if isinstance(item, Bot):
        return f"one that this person marked as “{item.tag}”"
    if all(axis.bounds for axis in domain.axes):
        return "a certain sensitive place" if sensitive else "a certain place"
    return f"“{text_of(item)}”"
