"""Questionnaires: studies of several questions under one guarantee for the whole record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any

from sottovoce.domain import Domain
from sottovoce.errors import ParameterError, ReportError, StudyError
from sottovoce.estimators import Estimate, estimate
from sottovoce.later import above
from sottovoce.mechanisms import Forms, Part, Population
from sottovoce.policy import Promise
from sottovoce.policy.wording import factor
from sottovoce.reports import PopulationReports
from sottovoce.sources import Source
from sottovoce.study.asking import Asking
from sottovoce.study.compiled import fingerprint_of
from sottovoce.study.counted import counted
from sottovoce.study.planned_asking import chosen
from sottovoce.study.questionnaire_files import Written, read_questionnaire
from sottovoce.study.questionnaire_forms import canonical, read_compiled_questionnaire
from sottovoce.study.questions import Question, encoded, encoded_levels
from sottovoce.study.sections import Section
from sottovoce.study.study import MINIMUM, Study
from sottovoce.study.texts import domain_texts
from sottovoce.study.theme_tallies import mechanism_of, tally_of
from sottovoce.tallies import Tally
from sottovoce.utility.plan import PEOPLE

_findings, _plans = above("sottovoce.findings.questionnaire"), above("sottovoce.study.strategy_plan")


@dataclass(frozen=True)
class Questionnaire(Study):
    """A study of several questions. Each person draws a form before she answers, and reports about the questions of that form.

    `mechanism` contains the forms, each certified for the whole record.
    """

    mechanism: Forms = field(repr=False)
    written: Written = field(kw_only=True, repr=False)

    @classmethod
    def of(cls, written: Written, forms: Forms | None = None) -> Questionnaire:
        """The questionnaire of a study file. Without `forms` its strategy is planned."""
        made = _planned(written) if forms is None else forms
        domain = Domain.joined({name: each for question in written.questions for name, each in question.fields.items()})
        promises = {name: Promise(domain, written.notion, written.levels[tier]) for tier, names in made.tiers.items() for name in names}
        title = next(iter(written.texts["title"].values()))
        return cls(written.name, title, domain, promises, made, 1, written.people, written.minimum, written.listed, written=written)

    @classmethod
    def read(cls, file: Section) -> Questionnaire:
        """The questionnaire of a study file."""
        written = read_questionnaire(file, MINIMUM)
        blamed = file.table("strategy", '[strategy] then kind = "auto"')
        with blamed.blaming(["questions"], "kind") if blamed.values else file.at("questions"):
            return cls.of(written)

    @classmethod
    def restore(cls, form: Mapping[str, Any], where: str) -> Questionnaire:
        """The questionnaire of a compiled study."""
        written, forms = read_compiled_questionnaire(form, where)
        study = cls.of(written, forms)
        if study.fingerprint != form.get("fingerprint"):
            raise StudyError(f"{where}: The fingerprint doesn't match, so the file was changed after it was compiled. Compile it again.")
        return study

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.written.questions

    @property
    def of_several_questions(self) -> bool:
        return True

    @property
    def levels(self) -> tuple[str, ...]:
        return tuple(name for name in self.mechanism.tiers if name)

    @property
    def introduction(self) -> str:
        """What stands before the questions, if anything, in the first language."""
        return next(iter(self.written.texts.get("introduction", {"": ""}).values()))

    @cached_property
    def asking(self) -> Asking:
        """The questions as themes, and the strategies that there are for them (at the first level, if people choose one)."""
        return _asking(self.written, next(iter(self.written.levels)))

    def asking_at(self, level: str | None) -> Asking:
        """The questions as themes, and the strategies for a level, by default the first."""
        if level is None:
            return self.asking
        if level not in self.levels:
            known = f"The levels are {', '.join(self.levels)}" if self.levels else "This study has no levels"
            raise StudyError(f"{level!r} isn't a level of this study with a guarantee. {known}.")
        return _asking(self.written, level)

    @property
    def _canonical(self) -> dict[str, Any]:
        return canonical(self.written, self.mechanism)

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint_of(self._canonical)

    def compile(self) -> dict[str, Any]:
        return self._canonical | {"promise": self.explain(), "fingerprint": self.fingerprint}

    @property
    def in_the_clear(self) -> list[str]:
        """The names of the questions that are reported unchanged, because nothing about them is sensitive."""
        return self.in_words([name for theme in self.asking.clear for name in theme.fields])

    def _promise(self, *, limits: bool = True) -> str:
        texts = [text for tier in self.mechanism.tiers for text in self._promised(tier)]
        if self.in_the_clear:
            names = ", ".join(self.in_the_clear)
            texts.append(f"Answers to these questions are sent as they are, because nothing about them is sensitive: {names}.")
        if limits:
            open_ones = [limit for claim in self.mechanism.claims.values() for limit in claim.limits()]
            open_ones += ["Which level you chose is not hidden."] * bool(self.levels)
            open_ones.append("That you take part, and which questions your report is about, is not hidden.")
            texts.append("What is not protected:\n" + "\n".join(f"  - {limit}" for limit in dict.fromkeys(open_ones)))
        return "\n\n".join(texts)

    def _promised(self, tier: str) -> list[str]:
        """What is promised to people of a level, and what they report about."""
        claim = self.mechanism.claims[tier]
        counts = sorted({len(self.in_words(self.mechanism.groups[name].questions)) for name in self.mechanism.tiers[tier]})
        number = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(counts[0])
        total = len(self.questions)
        drawn = "all questions" if counts[0] == total else f"{number} of {total} questions, drawn before you answer"
        shown = "your " if not self.in_the_clear else "protected answers of your "
        kept = f"a factor of {factor(self.mechanism.levels[tier])} at most, computed on the integer probabilities that are sampled"
        return [
            *([f"Level {tier!r}"] if tier else []),
            f"The guarantee ({claim.title}): {claim.promise()}",
            f"You report about {drawn}. The guarantee holds for all {shown}reports together: {kept}.",
        ]

    def texts(self) -> Iterator[tuple[str, str]]:
        yield from (("the level", level) for level in self.levels)
        for by_level in self.written.labels.values():
            yield from ((f"the label of {level!r}", text) for level, text in by_level.items())
        for key, texts in self.written.texts.items():
            yield from ((f"the {key}", text) for text in texts.values())
        for question in self.questions:
            yield "the question's name", question.name
            for key, by_language in question.translations.items():
                yield from ((f"the {key} of {question.name!r}", text) for text in by_language.values())
            for by_item in question.labels.values():
                yield from ((f"the label of {item!r}", text) for item, text in by_item.items())
            yield from domain_texts(question.domain)

    def closed_on(self, day: date) -> str | None:
        opens, closes = (self.written.dates.get(key) for key in ("opens", "closes"))
        if opens is not None and day < date.fromisoformat(opens):
            return f"This study opens on {opens}."
        if closes is not None and day > date.fromisoformat(closes):
            return f"This study closed on {closes}."
        return None

    def about(self, part: Part) -> str:
        """What a part of a form is about: the names of its questions, or of the one whose boxes it reports as a whole."""
        return " × ".join(part.questions if part.cap is None else self.in_words(part.questions))

    def in_words(self, fields: Any) -> list[str]:
        """The names of the questions that fields belong to, each once."""
        owner = {name: question.name for question in self.questions for name in question.fields}
        return list(dict.fromkeys(owner[name] for name in fields))

    def plan(
        self,
        n: int | None = None,
        *arguments: Any,
        within: float | None = None,
        confidence: float | None = None,
        level: str | None = None,
        about: str | None = None,
        **options: Any,
    ) -> Any:
        """The ways to ask the questions, the best first, with `n` people or for intervals `within` a half-width: a `StrategyPlan`.

        `within` is that of every share, or of the question that the plan is `about`. Of numbers it's that of the mean.
        """
        if arguments or options:
            raise ParameterError("A questionnaire is planned as a whole. Use only n, within, confidence, level and about.")
        return _plans.StrategyPlan.of(self, n, within, confidence, level, about)

    def perturb(self, table: Mapping[str, Any], source: Source | None = None) -> PopulationReports:
        """One submission for each row of a table with a column of labels for each question: a draw of the form, then its reports.

        If people choose a level, the table also has a column `level`, and each form is drawn among those of the person's level. Perturb
        a person's answers only once. Another draw would reveal more than the study guarantees.
        """
        if not self.levels:
            return self.mechanism.perturb(encoded(self.questions, table), source=source)
        chosen_levels = encoded_levels(self.levels, table)
        answers = encoded(self.questions, {name: column for name, column in table.items() if name != "level"}, len(chosen_levels))
        return self.mechanism.perturb(answers, source=source, levels=chosen_levels)

    def tallies(self, tally: Tally) -> dict[str, Tally]:
        """The tally of each theme, by its name, over all forms."""
        return {theme.name: tally_of(theme, self._own(tally)) for theme in self.asking.themes}

    def _own(self, tally: Any) -> Tally:
        """A tally of this study's reports."""
        if not isinstance(tally, Tally):
            raise ReportError(f"{tally!r} isn't a tally. Count reports first with study.tally(files), or use study.estimate(files).")
        if tally.source != self.mechanism:
            raise ReportError("The tally was made for a different study. Count the reports of this study.")
        return tally

    def estimates(self, tally: Tally, method: str | None = None) -> dict[str, Estimate]:
        """The estimate of each field: of a question, of a box of several choices, and of the themes of several questions.

        A question that is asked together with others is estimated as a margin of all of them.
        """
        found, tally = dict[str, Estimate](), self._own(tally)
        for theme in self.asking.themes:
            counted = tally_of(theme, tally)
            if counted.n == 0:
                continue
            whole = estimate(counted, method)
            found[theme.name] = whole
            if len(theme.fields) > 1:
                for name, domain in theme.fields.items():
                    axes = [name] if len(domain.axes) == 1 else [f"{name}.{axis.name}" for axis in domain.axes]
                    found[name] = whole.margin(*axes)
        return found

    def estimate(self, files: Any, method: str | None = None, *, force: bool = False) -> Any:
        """The findings of all questions, from files of submissions, from submissions or from a tally: `QuestionnaireFindings`.

        Their `cautions` show how many rows were skipped. With fewer submissions than the study's minimum there are no findings, unless you
        use `force`.
        """
        found = counted(self, files, method, minimum=0 if force else self.minimum)
        return _findings.QuestionnaireFindings.of(self, found.tally, method=method, notes=found.notes)

    def view(self, name: str) -> Study:
        """A field, or a theme, as a study of one question: what an estimate of it is shown with."""
        theme = next((each for each in self.asking.themes if name in each.fields or name == each.name), None)
        if theme is None:
            raise StudyError(f"{name!r} isn't a question of this study. Check its name.")
        domain = theme.domain if name == theme.name else theme.fields[name]
        question = next((each for each in self.questions if name in each.fields), None)
        text = name if question is None or question.choices else question.text
        mechanism = mechanism_of(theme, self.mechanism)
        groups = mechanism.names if isinstance(mechanism, Population) else ("",)
        promises = dict.fromkeys(groups, Promise(domain, "ldp", self.written.epsilon))
        return Study(self.name, text, domain, promises, mechanism, 1, self.people, self.minimum)


def _asking(written: Written, level: str) -> Asking:
    return Asking(written.questions, written.notion, written.levels[level], written.people or PEOPLE)


def _planned(written: Written) -> Forms:
    """The forms of every level, each planned at its ε."""
    levels = {}
    for level in written.levels:
        found = chosen(_asking(written, level), written.strategy)
        levels[level] = found.asking.forms(found.strategy, level)
    return Forms.of_levels(levels)
