"""A study explained on a page: to respondents, to an ethics board or data protection officer, and to analysts. The pages are Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MappingProxyType

from sottovoce._version import __version__
from sottovoce.extras import page
from sottovoce.findings.expected_precision import precision_of
from sottovoce.findings.explained_parts import (
    FILE,
    UNMARKED,
    bullets,
    drawn,
    guarantees,
    joined,
    listed,
    marks_of,
    minimum,
    protected,
    table,
)
from sottovoce.findings.explained_respondents import for_respondents
from sottovoce.findings.formatting import counted
from sottovoce.findings.guarantee import in_words
from sottovoce.findings.limits import assessment_of, has_open_answers, limits_of
from sottovoce.findings.protection import sent_as_they_are
from sottovoce.findings.whom import whom
from sottovoce.policy.wording import shown
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire

_DELETED, _PRUNED = "until you delete the study", "until you run `sottovoce store prune`"
_KEPT = (
    ("the reports, with their level and form if there are any", "yes, shuffled, without a time", _DELETED),
    ("a random identifier of each report", "yes, apart from the reports, so that a report counts once", _DELETED),
    ("tickets", "only if you issue some: a hash of each", f"until its reports are counted, or {_DELETED}"),
    ("the study, its tallies and the number of tickets", "yes", _DELETED),
    ("tokens of analysts and administrators", "a hash, with your note and days", f"after a token has ended, {_PRUNED}"),
    ("what administrators did, with the time", "yes (the audit)", _PRUNED),
    ("backups and exported files", "if someone makes them", "until someone deletes the files"),
    ("network address, browser and time of a report", "no", "–"),
    (
        "order of arrival",
        "not in the tables, but in the database’s own files",
        "SQLite: for a while. PostgreSQL: as long as you keep its WAL",
    ),
    ("a log of requests", "no, unless you set `access_log`", "–"),
)
_CHECKLIST = (
    (
        "Who serves the survey page? A page from the collector is only as trustworthy as the people who run the collector. "
        "An app or a page of your own can check the study itself."
    ),
    "Does anything in front of the collector (a proxy, a firewall, a hosting company) log network addresses and times?",
    "Will the same people be asked again, here or elsewhere? Each further report about the same answer reveals more.",
    "Are the groups in the results large enough that a result about a group isn’t a result about a person?",
    "When will the reports, the backups, exported files and the audit be deleted, and by whom?",
    "For which purpose and on which legal basis are people asked, and what are they told about their rights?",
    f"Who does what if the server is taken over? The steps are in {page('collector-operation.md')}.",
)
_UNRELEASED = " This version isn’t a release, so write down the commit or the SHA-256 of the package too."
_MARKED = "Are all answers that could harm someone marked as sensitive?"


def for_board(study: Study, _: str = FILE) -> str:
    """A page for an ethics board or a data protection officer, with the certificate of the study."""
    source = (
        f"For an ethics board or a data protection officer. sottovoce {__version__} wrote it from the study file. "
        "It describes exactly the study with the fingerprint below."
    ) + _UNRELEASED * (".dev" in __version__)
    how = drawn(study) + (
        "The guarantee stands against everyone who gets the reports: the collector, its administrators, and anyone who breaks into it. "
        "It doesn’t stand against someone who changes the page or program before people answer, because devices then send something else. "
        "Against that, only trust in the server helps, or checking what it serves."
    )
    kept = f"From these files someone may link a report to its ticket or time. See {page('collector-data.md')}."
    check = (
        f"Run `sottovoce check` on the study file, and on what the collector serves: "
        f"`sottovoce check https://collector.example/studies/{study.name}`. It computes the certificate again and prints the fingerprint, "
        f"which must be `{study.fingerprint}`. What is and isn’t protected in general is in {page('threat-model.md')}."
    )
    parts = [
        f"# Privacy summary: {study.question}",
        source,
        table(("", ""), _facts(study)),
        "## What is protected, and what is sent as it is",
        *_protected(study),
        "## What is guaranteed",
        how,
        *guarantees(study),
        "### Certificate",
        (
            "Computed from the integer probabilities that devices draw from, in exact arithmetic rounded against the guarantee. "
            "It covers everything that a person reports in this study, once. ε is that of all these reports together."
        ),
        table(("level", "protected", "guaranteed ε", "computed ε", "holds"), _certificates(study)),
        *_counted(study),
        "## How precise the results will be",
        *_precise(study, FILE),
        "## What is not guaranteed",
        bullets([*[UNMARKED] * bool(study.tags), *limits_of(study)]),
        "## What the collector keeps",
        "This is true of sottovoce’s own collector with its default settings.",
        table(("what", "kept", "for how long"), _KEPT),
        kept,
        "## For a data protection impact assessment",
        bullets(assessment_of(study)),
        "## Questions to settle before you approve",
        bullets(([_MARKED] if has_open_answers(study) else []) + list(_CHECKLIST)),
        f"More about the law is in {page('how-to/data-protection.md')}.",
        "## How to check this page",
        check,
    ]
    return joined(parts)


def for_analysts(study: Study, file: str = FILE) -> str:
    """A page for those who will read the results: the mechanism, the precision to expect, the commands."""
    made = [(level, name, title, epsilon) for (level, title, _, epsilon, _), name in zip(_certificates(study), _made(study), strict=True)]
    advice = (
        "Quote the interval with each share. An interval that begins at 0 means that the answer may not occur at all.",
        "Intervals cover chance only. They don’t cover people who didn’t answer, or forged reports.",
        "Don’t select reports by what they contain. A report that names a protected answer may come from someone who gave another.",
        "Perturb each answer once. A second draw reveals more than the study guarantees.",
        minimum(study),
    )
    some = " Answers that aren’t protected may be among them." * has_open_answers(study)
    parts = [
        f"# Notes for analysts: {study.question}",
        "## What the data are",
        f"Reports, not answers.{some} The study’s fingerprint is `{study.fingerprint}`. Reports of another study are refused.",
        table(("level", "mechanism", "protected", "computed ε"), made),
        *guarantees(study),
        "## How precise the results will be",
        *_precise(study, file),
        "## How to get them",
        f"```sh\nsottovoce estimate {file} reports.parquet --html report.html\n```",
        bullets(advice),
        f"How to read the intervals is in {page('how-to/read-intervals.md')}. How the estimates work is in {page('estimates.md')}.",
    ]
    return joined(parts)


def _protected(study: Study) -> Iterator[str]:
    """What the device changes, before anything is claimed about it."""
    if clear := list(sent_as_they_are(study)):
        yield f"**Answers to these questions are always sent as they are:** {listed([f'“{text}”' for text in clear])}."
    yield protected(study, ("question", "protected", "may be sent as it is", "how often"))
    if study.tags:
        yield marks_of(study)
    if has_open_answers(study):
        yield "“How often” is about people with such an answer: in how many of their reports about the question it is shown."


def _counted(study: Study) -> Iterator[str]:
    """Why devices count more than the certificate shows, if they do."""
    if any(promise is not None and promise.notion == "lip" for promise in study.promises.values()):
        yield (
            "This ε is for someone who believes the prior. Against others, two answers are protected with twice as much, "
            "and that is what devices count in their privacy budget."
        )


def _precise(study: Study, file: str) -> list[str]:
    precision = precision_of(study)
    if precision is None:
        return [f"Run `sottovoce plan {file}` on the study file to see the error to expect."]
    more = f"To see the errors for shares that you expect, run `sottovoce simulate {file}`."
    if study.of_several_questions:
        more = f"To see what other ways of asking would cost, run `sottovoce plan {file}`."
    return [
        precision.said,
        table(precision.heads, precision.rows, right=True),
        more,
    ]


#: The pages by whom they are for.
PAGES: MappingProxyType[str, Callable[[Study, str], str]] = MappingProxyType(
    {"respondent": for_respondents, "board": for_board, "analyst": for_analysts}
)


def _facts(study: Study) -> Iterator[tuple[str, str]]:
    """What a board asks first."""
    yield "Study", f"`{study.name}`"
    if isinstance(study, Questionnaire):
        texts, dates = study.written.texts, study.written.dates
        for key in ("organisation", "contact", "consent"):
            if key in texts:
                yield key.capitalize(), next(iter(texts[key].values()))
        yield "Questions", " ".join(f"“{each.text}”" for each in study.questions)
        for each in study.questions:
            if each.after:
                yield "Asked of some", f"“{each.text}”, of {whom(each, study.questions, whole=True)}"
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
        rows.append((level, in_words(found.notion), asked_for, shown(study.epsilon_per_person(level) or 0.0), _verdict(found.holds)))
    return rows


def _verdict(holds: bool) -> str:  # noqa: FBT001 - a word for a yes or a no
    return "yes" if holds else "**no**"


def _made(study: Study) -> list[str]:
    """What makes the reports of each level."""
    if isinstance(study, Questionnaire):
        return [counted(len(names), "form", "forms") for names in study.mechanism.tiers.values()]
    return [f"`{mechanism.name}`" for mechanism in study.blocks.values()]
