"""A study explained on a page: to respondents, to an ethics board or data protection officer, and to analysts. The pages are Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import MappingProxyType

from sottovoce._version import __version__
from sottovoce.extras import page
from sottovoce.findings.expected_precision import precision_of
from sottovoce.findings.formatting import counted
from sottovoce.findings.guarantee import guarantees_of, in_words, is_weak
from sottovoce.findings.limits import assessment_of, has_open_answers, limits_of, unprotected
from sottovoce.policy.wording import shown
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.taking_part import TakingPart

#: What no study hides, for respondents.
_RESPONDENTS_OPEN = (
    "That you take part isn’t hidden.",
    "The results aren’t hidden. If nearly everyone in a small group has something, the results show it.",
)
_KEPT = (
    ("the reports", "yes, shuffled, without a time", "until you delete the study"),
    ("a random identifier of each report", "yes, apart from the reports, so that a report counts once", "until you delete the study"),
    ("an invitation code", "only if you issue such codes", "until the report is counted"),
    ("network address, browser, time and order of arrival", "no", "–"),
    ("a log of requests", "no", "–"),
)
_CHECKLIST = (
    (
        "Who serves the survey page? A page from the collector is only as trustworthy as the people who run the collector. "
        "An app or a page of your own can check the study itself."
    ),
    "Does anything in front of the collector (a proxy, a firewall, a hosting company) log network addresses and times?",
    "Will the same people be asked again, here or elsewhere? Each further report about the same answer reveals more.",
    "Are the groups in the results large enough that a result about a group isn’t a result about a person?",
    "When will the reports and the backups be deleted?",
)
#: The study in commands, unless the page knows its file.
_FILE = "study.toml"
_MARKED = "Are all answers that could harm someone marked as sensitive?"


def for_respondents(study: Study, _: str = _FILE) -> str:
    """A page for the people who are asked: what leaves the device, what it can reveal, what the study finds."""
    what = "answers" if study.of_several_questions else "answer"
    parts = [
        f"# What happens to your {what}",
        f"This page is about the study **{study.question}**.",
        _in_short(study, what),
        "## What is sent",
        _bullets(_sent(study)),
        "## What someone can learn from it",
        *_guarantees(study, to_respondents=True),
        "What isn’t hidden:",
        _bullets((*unprotected(study), *_RESPONDENTS_OPEN)),
        "## What the study finds",
        f"Shares of all who answered, such as “about 1 in 4”, each with a margin of error. {_minimum(study)}",
        "## Your choice",
        _choice(study),
    ]
    return _joined(parts)


def for_board(study: Study, _: str = _FILE) -> str:
    """A page for an ethics board or a data protection officer, with the certificate of the study."""
    source = (
        f"For an ethics board or a data protection officer. sottovoce {__version__} wrote it from the study file. "
        "It describes exactly the study with the fingerprint below."
    )
    how = (
        "Each person’s device draws by chance what it sends (local privacy). "
        "The collector, its administrators and anyone who breaks into it see only these reports."
    )
    kept = (
        f"{_minimum(study)} Administrators, who can read the store, aren’t bound by that. "
        f"The database’s own files show recent writes in their order for a while. See “What it keeps” in {page('collector.md')}."
    )
    check = (
        f"Run `sottovoce check` on the study file, or on what the collector serves at `/studies/{study.name}`. It computes the "
        f"certificate again and prints the fingerprint, which must be `{study.fingerprint}`. "
        f"The full list of what is and isn’t protected is in {page('threat-model.md')}."
    )
    parts = [
        f"# Privacy summary: {study.question}",
        source,
        _table(("", ""), _facts(study)),
        "## What is guaranteed",
        how,
        *_guarantees(study),
        "### Certificate",
        (
            "Computed from the integer probabilities that devices draw from, in exact arithmetic rounded against the guarantee. "
            "It covers everything that a person reports."
        ),
        _table(("level", "protected", "guaranteed ε", "computed ε", "holds"), _certificates(study)),
        "## What is not guaranteed",
        _bullets(limits_of(study)),
        "## What the collector keeps",
        "This is true of sottovoce’s own collector with its default settings.",
        _table(("what", "kept", "for how long"), _KEPT),
        kept,
        "## For a data protection impact assessment",
        _bullets(assessment_of(study)),
        "## Questions to settle before you approve",
        _bullets(([_MARKED] if has_open_answers(study) else []) + list(_CHECKLIST)),
        "## How to check this page",
        check,
    ]
    return _joined(parts)


def for_analysts(study: Study, file: str = _FILE) -> str:
    """A page for those who will read the results: the mechanism, the precision to expect, the commands."""
    made = [(level, name, title, epsilon) for (level, title, _, epsilon, _), name in zip(_certificates(study), _made(study), strict=True)]
    advice = (
        "Quote the interval with each share. An interval that begins at 0 means that the answer may not occur at all.",
        "Intervals cover chance only. They don’t cover people who didn’t answer, or forged reports.",
        "Don’t select reports by what they contain. A report that names an answer may come from someone who gave a different one.",
        "Perturb each answer once. A second draw reveals more than the study guarantees.",
        _minimum(study),
    )
    parts = [
        f"# Notes for analysts: {study.question}",
        "## What the data are",
        f"Reports, not answers. The study’s fingerprint is `{study.fingerprint}`. Reports of another study are refused.",
        _table(("level", "mechanism", "protected", "computed ε"), made),
        *_guarantees(study),
        "## How precise the results will be",
        *_precise(study, file),
        "## How to get them",
        f"```sh\nsottovoce estimate {file} reports.parquet --html report.html\n```",
        _bullets(advice),
        f"How to read the intervals is in {page('how-to/read-intervals.md')}. How the estimates work is in {page('estimates.md')}.",
    ]
    return _joined(parts)


def _precise(study: Study, file: str) -> list[str]:
    precision = precision_of(study)
    if precision is None:
        return [f"Run `sottovoce plan {file}` to see the error to expect of each question."]
    return [
        f"The 95% interval of {precision.what}, from the unbiased estimate. The default estimate is usually closer.",
        _table(("people", *precision.heads), precision.rows, right=True),
        f"To see the errors for shares that you expect, run `sottovoce simulate {file}`.",
    ]


#: The pages by whom they are for.
PAGES: MappingProxyType[str, Callable[[Study, str], str]] = MappingProxyType(
    {"respondent": for_respondents, "board": for_board, "analyst": for_analysts}
)


def _in_short(study: Study, what: str) -> str:
    """The gist, which must not claim more than the study guarantees at the level that protects least."""
    found = guarantees_of(study, to_respondents=True)
    bare = [each.tier for each in found if each.after is None]
    together = "Many such reports together show how common each answer is."
    secret = f"what your {what} {'were' if study.of_several_questions else 'was'}"
    opened = ""
    if has_open_answers(study):
        secret, opened = "whether you gave a sensitive answer", ". **Answers that aren’t sensitive may be sent as they are**"
    sure = f"so no one can be sure {secret}"
    if any(each.after is not None and is_weak(each.after) for each in found):
        sure = f"but a report can still reveal almost for certain {secret}"
    opened += "".join(f". **At the level “{tier}”, nothing is hidden**" for tier in bare)
    return f"**In short.** Your device draws by chance what it sends, {sure}{opened}. {together}"


def _sent(study: Study) -> Iterator[str]:
    """What leaves the device."""
    if isinstance(study, Questionnaire):
        found = TakingPart.of(study)
        picked = "" if found.least == found.every else " Chance picks them before you begin."
        yield f"A report about {found.reported}, drawn by chance.{picked} {found.beyond}".rstrip()
        if study.in_the_clear:
            yield f"Your answers about {_listed(study.in_the_clear)} as they are. The study treats nothing about them as sensitive."
    else:
        number = "One report" if study.reports == 1 else f"{study.reports} reports"
        yield f"{number} in place of your answer. Chance decides whether it shows your answer or a different one."
    if study.levels:
        yield "The protection level that you choose."
    yield "A random number for each report, so that it counts once. It isn’t linked to you."
    yield "The collector stores no name, no account, no network address and no time with it."


def _guarantees(study: Study, *, to_respondents: bool = False) -> list[str]:
    """The guarantee of each level, in sentences."""
    found = guarantees_of(study, to_respondents=to_respondents)
    return [(f"**Level “{each.tier}”.** " if each.tier else "") + " ".join(each.sentences) for each in found]


def _minimum(study: Study) -> str:
    return f"No results are shown before there are {counted(study.minimum, 'report', 'reports')}."


def _choice(study: Study) -> str:
    contact = study.written.texts.get("contact") if isinstance(study, Questionnaire) else None
    asked = f" If you have questions, write to {next(iter(contact.values()))}." if contact else ""
    final = "A report that has been sent can’t be taken back, because nothing shows which one is yours."
    return f"You decide whether to take part. {final}{asked}"


def _facts(study: Study) -> Iterator[tuple[str, str]]:
    """What a board asks first."""
    yield "Study", f"`{study.name}`"
    if isinstance(study, Questionnaire):
        texts, dates = study.written.texts, study.written.dates
        for key in ("organisation", "contact", "consent"):
            if key in texts:
                yield key.capitalize(), next(iter(texts[key].values()))
        yield "Questions", " ".join(f"“{each.text}”" for each in study.questions)
        if dates:
            yield "Open", " ".join(f"{word} {dates[key]}" for key, word in (("opens", "from"), ("closes", "to")) if key in dates)
    else:
        yield "Question", f"“{study.question}”"
        yield "Reports per person", str(study.reports)
    if study.people:
        yield "People expected", f"{study.people:,}"
    yield "Results shown from", counted(study.minimum, "report", "reports")
    yield "Fingerprint", f"`{study.fingerprint}`"


def _certificates(study: Study) -> list[tuple[str, str, str, str, str]]:
    """A line for each level: what is guaranteed for all reports of a person together, and what was computed."""
    if isinstance(study, Questionnaire):
        asked, computed = study.written.levels, study.mechanism.levels
        return [
            (tier, in_words(claim), shown(asked[tier]), shown(computed[tier]), _verdict(computed[tier] <= asked[tier]))
            for tier, claim in study.mechanism.claims.items()
        ]
    rows = []
    for level, mechanism in study.blocks.items():
        promise = study.promises[level]
        if promise is None:
            rows.append((level, "none: answers are sent as they are", "–", "–", "–"))
            continue
        found = mechanism.certify()
        budgets = sorted(set((promise.budgets or {}).values()))
        ends = [budgets[0], budgets[-1]] if len(budgets) > 1 else budgets
        asked_for = shown(promise.epsilon) if promise.epsilon is not None else " to ".join(map(shown, ends))
        rows.append((level, in_words(found.notion), asked_for, shown(study.reports * found.level), _verdict(found.holds)))
    return rows


def _verdict(holds: bool) -> str:  # noqa: FBT001 - a word for a yes or a no
    return "yes" if holds else "**no**"


def _made(study: Study) -> list[str]:
    """What makes the reports of each level."""
    if isinstance(study, Questionnaire):
        return [counted(len(names), "form", "forms") for names in study.mechanism.tiers.values()]
    return [f"`{mechanism.name}`" for mechanism in study.blocks.values()]


def _listed(names: Sequence[str]) -> str:
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: bool = False) -> str:
    """A Markdown table, without a column for levels if people choose none."""
    lines = [tuple(cell.replace("|", "\\|") for cell in row) for row in rows]
    kept = [place for place, name in enumerate(head) if name != "level" or any(line[place] for line in lines)]
    rule = ["---:" if right else "---"] * len(kept)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in ([head[k] for k in kept], rule, *([line[k] for k in kept] for line in lines)))


def _joined(parts: Sequence[str]) -> str:
    return "\n\n".join(parts) + "\n"
