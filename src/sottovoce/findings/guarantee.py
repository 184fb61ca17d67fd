"""The privacy guarantee in words for people who read findings: what a belief about someone's answer can become."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sottovoce.channels.columns import Ratio
from sottovoce.domain import Domain
from sottovoce.findings.answer_groups import Group, groups_of
from sottovoce.labels import text_of
from sottovoce.notions import IDLDP, IPLDP, LDP, LIP, ULDP, Certificate, ItemULDP, Notion, RecordULDP
from sottovoce.notions.beliefs import LITTLE, ONE_IN_TWO, WEAK, of_hundred
from sottovoce.notions.odds import swing_of
from sottovoce.policy.wording import shown
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire

#: Sensitive answers that are named.
_NAMED = 4
#: Groups of answers that are listed and drawn.
_GROUPS = 4
_OPEN = "Reports can show answers that aren’t sensitive as they are."
#: From so many in 100 on, an answer is almost certain.
_SURE = 100
_WEAK = "That’s weak protection."
_LITTLE = "That’s weak protection: the answer could then seem likelier than all others together."
_NOTHING = "Nothing is hidden: reports show answers as they are."


@dataclass(frozen=True)
class Protected:
    """Answers that are protected alike: a belief of 1 in 100 that someone gave one becomes `after` in 100 at most, 50 becomes `half`."""

    answers: str
    after: float
    half: float


@dataclass(frozen=True)
class Guarantee:
    """What a tier guarantees, in sentences: a belief of 1 in 100 becomes `after` in 100 at most. None if nothing is hidden.

    `groups` are the answers by their protection, the best protected first. Of many groups, it has the first ones and the last one.
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
    sends: str
    hint: str


@dataclass(frozen=True)
class _Answers:
    """The answers that codes stand for: those of the domain, then a person's own by their tags."""

    domain: Domain
    tags: Sequence[str]
    #: Who marks them.
    who: str

    @property
    def are_places(self) -> bool:
        """Cells of a grid have names that only files need."""
        return all(axis.bounds for axis in self.domain.axes)


#: What the notions that studies promise protect.
_PROTECTS: dict[type[Notion], str] = {
    LDP: "every answer",
    ULDP: "the sensitive answers",
    IPLDP: "the sensitive answers, each up to a limit of its own",
    ItemULDP: "the sensitive answers, each up to a limit of its own",
    IDLDP: "every answer, each up to a limit of its own",
    LIP: "every answer, from someone who knows how common it is",
    RecordULDP: "the sensitive answers to all questions together",
}
_SOMEONE = _Person("a person’s", "a person", "this person", "this person sends", "Those can hint at the other answers too.")
_YOU = _Person("your", "you", "you", "you send", "Those can hint at your other answers too.")


def guarantees_of(study: Study, *, to_respondents: bool = False) -> list[Guarantee]:
    """What a study guarantees, for each tier that people can choose: in sentences about a person, or for the person who answers."""
    person = _YOU if to_respondents else _SOMEONE
    if isinstance(study, Questionnaire):
        return [_of_record(study, tier, person) for tier in study.mechanism.tiers]
    return [_of_answer(study, tier, person) for tier in study.promises]


def beliefs_of(study: Study) -> list[dict[str, Any]]:
    """What 1 and 50 in 100 become at most, as plain data: for each level, and each group of answers that are protected alike."""
    return [{"level": each.tier, "after_in_100": each.after, "groups": list(map(_plain, each.groups))} for each in guarantees_of(study)]


def _plain(group: Protected) -> dict[str, Any]:
    return {"answers": group.answers, "after_in_100": group.after, "from_50_in_100": group.half}


def in_words(notion: Notion) -> str:
    """What a notion protects in words, with its name in brackets for those who know it."""
    title = notion.title.replace(" (", ", ").removesuffix(")")  # no brackets within brackets
    return f"{_PROTECTS[type(notion)]} ({title})"


def guarantee_lines(study: Study) -> Iterator[tuple[str, bool]]:
    """The guarantee for people, and with True what others want to check."""
    for each in guarantees_of(study):
        yield f"Guarantee{f' at level {each.tier!r}' if each.tier else ''}: {' '.join(each.sentences)}", False
    if isinstance(study, Questionnaire):
        claim, level = study.mechanism.claim, study.mechanism.level
        yield f"{claim.title}, ε = {shown(level)} for all that a person reports.", True
    else:
        for name, mechanism in study.blocks.items():
            certificate, at = mechanism.certify(), f" at level {name!r}" if name else ""
            several = f" for all {study.reports} reports of a person, {shown(certificate.level)} for each" if study.reports > 1 else ""
            whole = study.epsilon_per_person(name)
            epsilon = certificate.level if whole is None else whole
            yield f"Mechanism {mechanism.name}{at}, {certificate.notion.title}, ε = {shown(epsilon)}{several}.", True
    if study.name:
        yield f"Fingerprint {study.fingerprint}.", True


def of_certificate(certificate: Certificate) -> str:
    """What a notion promises, with a belief before and after as an example if the notion bounds all odds alike."""
    notion = certificate.notion
    if not isinstance(notion, (LDP, ULDP)) or math.isinf(certificate.level):
        return notion.promise()
    what = "a person’s answer is a certain sensitive one" if isinstance(notion, ULDP) else "a person’s answer is a certain one"
    return f"{notion.promise()} {_belief(what, 'the report', swing_of(certificate)[0])}"


def _of_answer(study: Study, tier: str, person: _Person) -> Guarantee:
    """The guarantee of a study of one question, read off its probabilities: for each group of answers that are protected alike."""
    groups, tags = groups_of(study, tier), study.tags
    if not groups:
        return Guarantee(tier, [_NOTHING], None)
    first, most, seeing = groups[0], groups[-1].after, "the report" if study.reports == 1 else f"all {study.reports} reports"
    answers, protected = _Answers(study.domain, tags, person.seeing), sum(len(group.codes) for group in groups)
    everything = not tags and protected == len(study.domain)
    example = first.codes[len(first.codes) // 2 if study.domain.edges is not None else 0]  # the ends of numbers are rare
    said = [_belief(f"{person.whose} answer is {_quoted(answers, example, sensitive=not everything)}", seeing, first.ratio)]
    if len(groups) > 1:
        said += _others(answers, groups, example)
    elif everything:
        said += ["The same is true of every answer."] * (protected > 1)
    elif protected > 1:
        said.append(f"The same is true of {_listed(answers, [code for code in first.codes if code != example])}.")
    if not everything:
        said.append(_OPEN)
    drawn = [Protected(_either(answers, group.codes), group.after, group.half) for group in groups]
    if len(groups) == 1:
        drawn = [replace(drawn[0], answers=_either(answers, [example]))]
    elif len(groups) > _GROUPS:
        drawn = [*drawn[: _GROUPS - 1], replace(drawn[-1], answers=f"… {drawn[-1].answers}")]
    return Guarantee(tier, [*said, *_warned(most)], most, drawn)


def _others(answers: _Answers, groups: Sequence[Group], example: int) -> Iterator[str]:
    """What the answers besides the example can become. Of many groups, the last one is named, and that the others lie between."""
    same, last = groups[0].codes, groups[-1]
    if len(same) > 1:
        yield f"The same is true of {_listed(answers, [code for code in same if code != example])}."
    if len(groups) <= _GROUPS:
        yield from (f"For {_either(answers, group.codes)}, it can become {_to(group.ratio)}." for group in groups[1:-1])
    yield f"For {_either(answers, last.codes)}, with the least protection, it can become {_to(last.ratio)}."
    if len(groups) > _GROUPS:
        yield "All other answers lie between."


def _to(ratio: Ratio) -> str:
    """What 1 and 50 in 100 can become."""
    after = of_hundred(ratio)
    return "almost certain" if after >= _SURE else f"at most about {after:g} in 100, and from 50 in 100 {_half(ratio)}"


def _half(ratio: Ratio) -> str:
    """What 50 in 100 can become."""
    half = of_hundred(ratio, ONE_IN_TWO)
    return "nearly 100" if half >= _SURE else f"at most about {half:g}"


def _either(answers: _Answers, codes: Sequence[int]) -> str:
    """One of some answers."""
    if answers.are_places:
        return "a certain sensitive place" if len(codes) == 1 else f"one of {len(codes):,} sensitive places"
    named = [_quoted(answers, code) for code in codes[:2]]
    return " or ".join(named) if len(codes) <= 2 else f"{named[0]} or {len(codes) - 1:,} others"


def _of_record(study: Questionnaire, tier: str, person: _Person) -> Guarantee:
    """The guarantee of a questionnaire: it covers all that a person reports."""
    ratio = study.mechanism.raised(tier)
    if math.isinf(ratio):
        return Guarantee(tier, [_NOTHING], None)
    after, half, sensitive = of_hundred(ratio), of_hundred(ratio, ONE_IN_TWO), study.written.notion != "ldp"
    seeing = f"all that {person.seeing} reported"
    said = [_belief(f"{person.who} gave a certain answer to a question", seeing, ratio)]
    if sensitive:
        said = [_belief(f"{person.who} gave a certain sensitive answer", seeing, ratio), _OPEN]
        said.append(f"This is for someone who already knows the answers that {person.sends} as they are. {person.hint}")
    else:
        said.append("The same is true of every answer to every question.")
    return Guarantee(tier, [*said, *_warned(after)], after, [Protected(f"a certain {'sensitive ' * sensitive}one", after, half)])


def _warned(after: float) -> list[str]:
    """What to know about a weak guarantee."""
    return [_LITTLE if after > LITTLE else _WEAK] if after > WEAK else []


def _belief(what: str, seeing: str, ratio: Ratio) -> str:
    """The sentence that the survey page has too, about someone else."""
    after = of_hundred(ratio)
    if after >= _SURE:
        return f"If someone thinks there is a 1 in 100 chance that {what}, seeing {seeing} can make that almost certain."
    to = f"at most about {after:g} in 100, and from 50 in 100 to {_half(ratio)}"
    return f"If someone thinks there is a 1 in 100 chance that {what}, seeing {seeing} can raise that to {to}."


def _listed(answers: _Answers, codes: Sequence[int]) -> str:
    """The other answers of a group."""
    if answers.are_places:
        marks = [f"answers marked as “{answers.tags[code - len(answers.domain)]}”" for code in codes if code >= len(answers.domain)]
        others = len(codes) - len(marks)
        places = [f"the other {others:,} sensitive places" if others > 1 else "the other sensitive place"] * (others > 0)
        return " and ".join([*places, *marks])
    if len(codes) > _NAMED:
        return f"the other {len(codes):,} sensitive answers" if len(codes) > 1 else "the other sensitive answer"
    *before, last = (_quoted(answers, code) for code in codes)
    return f"{', '.join(before)} and {last}" if before else last


def _quoted(answers: _Answers, code: int, *, sensitive: bool = True) -> str:
    """An answer in a sentence."""
    if code >= len(answers.domain):
        return f"one that {answers.who} marked as “{answers.tags[code - len(answers.domain)]}”"
    if answers.are_places:
        return "a certain sensitive place" if sensitive else "a certain place"
    return f"“{text_of(answers.domain.item(code))}”"
