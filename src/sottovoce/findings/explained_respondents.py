"""A study explained to the people who are asked."""

from __future__ import annotations

from collections.abc import Iterator

from sottovoce.findings.explained_parts import (
    FILE,
    STRONG,
    UNMARKED,
    bullets,
    guarantees,
    joined,
    listed,
    marks_of,
    minimum,
    most_of,
    protected,
)
from sottovoce.findings.formatting import counted
from sottovoce.findings.guarantee import guarantees_of
from sottovoce.findings.limits import has_open_answers, unprotected
from sottovoce.findings.protection import protection_of, sent_as_they_are, shared_with_others
from sottovoce.notions.beliefs import LITTLE
from sottovoce.notions.explain import ADD_UP
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.taking_part import TakingPart

#: What no study hides, for respondents.
_RESPONDENTS_OPEN = (
    (
        "That you take part isn’t hidden. Your network, such as that of an employer, and what stands in front of the collector "
        "can see that you send something, and when."
    ),
    "The guarantee needs an unchanged page or program. One that someone has tampered with can send your answers as they are.",
    "The results aren’t hidden. If nearly everyone in a small group has something, the results show it.",
)
#: Where answers that are sent as they are may identify a person, rights to a report remain.
_FOUND = ", unless the answers that it shows as they are identify you."
#: What only the organisation knows that asks.
_YOURS = "(fill in)"


def for_respondents(study: Study, _: str = FILE) -> str:
    """A page for the people who are asked: what leaves the device, what it can reveal, what the study finds."""
    what = "answers" if study.of_several_questions else "answer"
    parts = [
        f"# What happens to your {what}",
        f"This page is about the study **{study.question}**.",
        _in_short(study, what),
        "## What is sent",
        bullets(_sent(study)),
        *_open(study),
        "## What someone can learn from it",
        *guarantees(study, to_respondents=True),
        "What isn’t hidden:",
        bullets((*unprotected(study), *[UNMARKED] * bool(study.tags), ADD_UP, *_RESPONDENTS_OPEN)),
        "## What the study finds",
        f"Shares of all who answered, such as “about 1 in 4”, each with a margin of error. {minimum(study)}",
        "## Your choice",
        _choice(study),
        "## Who asks, and your rights",
        bullets(_asked_by(study)),
    ]
    return joined(parts)


def _in_short(study: Study, what: str) -> str:
    """The gist, which must not claim more than the study guarantees at the level that protects least."""
    found = guarantees_of(study, to_respondents=True)
    bare = [each.tier for each in found if each.after is None]
    together = "Many such reports together show how common each answer is."
    secret = f"what your {what} {'were' if study.of_several_questions else 'was'}"
    opened = ""
    if has_open_answers(study):
        secret = "which sensitive answers you gave" if study.of_several_questions else "that you gave a sensitive answer"
        opened = ". **Answers that aren’t sensitive may be sent as they are**"
    sure = f"so no one can be sure {secret}"
    if most_of(found) > STRONG:
        sure = f"so no one can know for certain {secret}, though a suspicion can become strong"
    if most_of(found) > LITTLE:
        sure = f"but a report can still reveal almost for certain {secret}"
    opened += "".join(f". **At the level “{tier}”, nothing is hidden**" for tier in bare)
    drawn = "Your device draws by chance what it sends"
    if has_open_answers(study):
        drawn = "If your answer is sensitive, your device sends something that, by chance, devices with other answers send too"
    return f"**In short.** {drawn}, {sure}{opened}. {together}"


def _sent(study: Study) -> Iterator[str]:
    """What leaves the device."""
    if isinstance(study, Questionnaire):
        if clear := [f"“{text}”" for text in sent_as_they_are(study)]:
            what = "answers to these questions as they are" if len(clear) > 1 else "answer to this question as it is"
            yield f"**Your {what}:** {listed(clear)}. The study treats nothing about {'them' if len(clear) > 1 else 'it'} as sensitive."
        total, open_ones = len(study.questions), set(study.in_the_clear)
        forms = [set(study.in_words(form.questions)) for form in study.mechanism.groups.values()]
        counts = sorted({len(names - open_ones) for names in forms})
        if all(len(names) == total for names in forms):
            whole = "the other " if open_ones else "all " if counts[0] > 1 else ""
            number = "question" if open_ones and counts[0] == 1 else counted(counts[0], "question", "questions")
            yield f"A report about {whole}{number}{', drawn by chance' * (not has_open_answers(study))}."
        else:
            most = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
            others = f"{'the other ' * bool(open_ones)}{total - len(open_ones)} questions"
            yield f"A report about {most} of {others}. Chance picks them before you begin."
            if beyond := TakingPart.of(study).beyond:
                yield beyond
            yield "Which questions the report is about."
    else:
        number = "One report" if study.reports == 1 else f"{study.reports} reports"
        yield f"{number} in place of your answer. {_drawn(study)}"
        yield from (f"At the level “{level}”, your answer as it is." for level, promise in study.promises.items() if promise is None)
    if study.tags:
        yield marks_of(study)
    if study.levels:
        yield "The protection level that you choose."
    yield "A random number for each report, so that it counts once. It’s drawn by chance and contains nothing about you."
    yield "Your ticket, if you were given one. The collector removes it when it counts your report."
    yield (
        "The collector stores no name, no account, no network address and no time with it. "
        "For a while, or longer with PostgreSQL, someone with its disk or backups may still see in which group of reports yours arrived."
    )


def _open(study: Study) -> Iterator[str]:
    """What is protected, question by question, if not every answer is."""
    if not has_open_answers(study):
        return
    yield protected(study, ("question", "protected answers", "may be sent as they are", "how often, for people with such an answer"))
    if study.of_several_questions and (shared := list(shared_with_others(study))):
        yield "In a report about the question:"
        yield bullets(shared)


def _drawn(study: Study) -> str:
    """What chance decides about a report."""
    if not has_open_answers(study):
        return "Chance decides whether it shows your answer or a different one."
    if lone := "".join(each.always for each in protection_of(study)):
        mine = "you marked your answer" if study.tags else f"yours is {lone}"
        return f"If {mine}, it always shows {lone}. Otherwise chance decides whether it shows {lone} or yours."
    return "If yours is sensitive, chance decides which sensitive answers it names. If it isn’t, it names such answers or shows yours."


def _choice(study: Study) -> str:
    contact = study.written.texts.get("contact") if isinstance(study, Questionnaire) else None
    asked = f" If you have questions, write to {next(iter(contact.values()))}." if contact else ""
    final = "A report that has been sent can’t be taken back, because the collector doesn’t store which one is yours."
    if has_open_answers(study):
        final += " If the answers that it shows identify you, ask whether it can be found."
    return f"You decide whether to take part. {final}{asked}"


def _asked_by(study: Study) -> Iterator[str]:
    """What people must know about who asks. sottovoce knows only what the study file names."""
    texts = study.written.texts if isinstance(study, Questionnaire) else {}
    who = ", ".join(next(iter(texts[key].values())) for key in ("organisation", "contact") if key in texts)
    yield f"Who asks: {who or _YOURS}"
    yield f"Why, and on which legal basis: {_YOURS}"
    yield f"Who reads the results: {_YOURS}"
    yield f"How long the reports are kept: {_YOURS}. They stay until the study is deleted."
    yield (
        "Your rights: you can ask what is stored, and object before you send. "
        "The collector doesn’t store which report is yours, so afterwards a single report can’t be shown to you, corrected or deleted"
        f"{_FOUND if has_open_answers(study) else '.'} The whole study can be deleted. Withdrawing consent, the data protection officer, "
        f"and where complaints go: {_YOURS}."
    )
