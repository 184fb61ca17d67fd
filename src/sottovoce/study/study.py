"""A study: a question, its items, the privacy guarantee for respondents, and the mechanism that keeps it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from sottovoce.arithmetic import sum_above
from sottovoce.domain import Domain, Item
from sottovoce.errors import FewReportsError, SottovoceError, StudyError, ended
from sottovoce.estimators import estimate
from sottovoce.mechanisms import Mechanism, PersonalMechanism, Population, identity
from sottovoce.names import checked_name, checked_text
from sottovoce.policy import Promise
from sottovoce.policy.wording import factor, shown_from
from sottovoce.printable import Plottable
from sottovoce.study.compiled import QUESTIONNAIRE, canonical, fingerprint_of, read_compiled, read_json
from sottovoce.study.counted import counted
from sottovoce.study.privacy import read_domain, read_minimum, read_promises
from sottovoce.study.questionnaire_files import KEYS
from sottovoce.study.questions import Question
from sottovoce.study.recipes import built, promised, settings_of
from sottovoce.study.sections import LISTED, TOP, Section
from sottovoce.study.texts import domain_texts
from sottovoce.study.toml import Document
from sottovoce.tallies import Tally
from sottovoce.utility.asking import goal_of
from sottovoce.utility.plan import PEOPLE, Plan, planned

#: Reports from which on the results of a study that names no minimum are shown.
MINIMUM = 50
_NOTHING = "There is no guarantee at this level. A report reveals the answer."


@dataclass(frozen=True)
class Study(Plottable):
    """A study: everything that devices, collectors and analysts have to agree on.

    `promises` has the privacy guarantee of each level ("" if there is only one level, None for a level without protection). `mechanism`
    makes one of the `reports` that each person gives, at a budget that is divided over them. Results are shown once there are `minimum`
    reports. `listed` is whether collectors name the study on their home page, None if the file doesn't specify it. It isn't compiled.
    """

    name: str
    question: str
    domain: Domain = field(repr=False)
    promises: Mapping[str, Promise | None] = field(repr=False)
    mechanism: Mechanism | Population = field(repr=False)
    reports: int = 1
    people: int | None = None
    minimum: int = MINIMUM
    listed: bool | None = None

    @classmethod
    def load(cls, path: str | Path) -> Study:
        """Read a study file: TOML, or a compiled study (JSON).

        >>> Study.load("no-such-study.toml")
        Traceback (most recent call last):
            ...
        sottovoce.errors.StudyError: no-such-study.toml doesn't exist. Check the name, or make a study with: sottovoce new survey
        """
        if not isinstance(path, (str, Path)) or not str(path) or "\0" in str(path):
            raise StudyError(f"The study is {path!r}. Give the path of a study file, for example 'study.toml'.")
        try:
            data = Path(path).read_bytes()
        except FileNotFoundError:
            raise StudyError(f"{path} doesn't exist. Check the name, or make a study with: sottovoce new survey") from None
        except IsADirectoryError:
            raise StudyError(f"{path} is a folder. Name a study file.") from None
        except OSError as error:
            raise StudyError(f"{path} can't be read: {ended(str(error.strerror or error))}") from None
        return read_study(data, str(path))

    @classmethod
    def from_toml(cls, text: str, where: str = "study.toml") -> Study:
        """Read the text of a study file. `where` names it in errors.

        >>> study = Study.from_toml('''
        ... name = "clinic-2026"
        ... question = "Which of these do you have?"
        ... items = ["hiv", "flu", "none"]
        ... [privacy]
        ... notion = "uldp"
        ... epsilon = 1.0
        ... sensitive = ["hiv"]
        ... ''')
        >>> study.mechanism.name, study.mechanism.certify().holds
        ('ubd', True)
        """
        if not isinstance(text, str):
            raise StudyError(f"{where}: The text of the study has the type {type(text).__name__}. Give a str, or use Study.load(path).")
        file = Section.whole(Document.of(text, where))
        if file.has("questions"):
            from sottovoce.study.questionnaire import Questionnaire

            return Questionnaire.read(file)
        if several := [key for key in file.values if key in KEYS and key not in TOP]:
            file.fail("It belongs to a questionnaire, but there are no [[questions]]. Add some, or leave it out.", several[0])
        file.only(*TOP)
        name = file.text("name", "clinic-2026")
        with file.at("name"):
            checked_name(name)
        question = file.text("question", "Which of these do you have?")
        with file.at("question"):
            checked_text(question, "the question")
        domain = read_domain(file)
        reports, people = file.whole_number("reports", 1, 1, 1000), file.whole_number("people", 0, 0, 10**12) or None
        promises = read_promises(file, domain)
        mechanism = file.table("mechanism", '[mechanism] then name = "auto"')
        chosen = mechanism.text("name", "auto") if mechanism.has("name") else "auto"
        settings = {key: value for key, value in mechanism.values.items() if key != "name"}
        with mechanism.at("name"):
            allowed = settings_of(chosen)
        if settings and chosen != "auto" and not allowed:
            mechanism.misplaced(first := next(iter(settings)))
            mechanism.fail(f"{chosen} has no settings. Leave it out.", first)
        mechanism.only("name", *allowed)
        with file.at("reports"):
            for promise in promises.values():
                _ = promise and promise.divided(reports)
        with mechanism.blaming(settings, "name"):
            made = {level: _made(domain, promise, reports, chosen, settings, people) for level, promise in promises.items()}
            together = made[""] if list(made) == [""] else Population(made)
        return cls(name, question, domain, promises, together, reports, people, read_minimum(file, MINIMUM), file.flag("listed", LISTED))

    @classmethod
    def from_json(cls, text: str, where: str = "study.json") -> Study:
        """Read a compiled study. A wrong fingerprint, or tables that don't keep the guarantee, raise an error."""
        form = read_json(text, where)
        if form["sottovoce"] == QUESTIONNAIRE:
            from sottovoce.study.questionnaire import Questionnaire

            return Questionnaire.restore(form, where)
        parts = read_compiled(form, where)
        try:
            mechanisms = {block.level: block.mechanism(parts.domain, parts.reports) for block in parts.blocks}
            together = mechanisms[""] if list(mechanisms) == [""] else Population(mechanisms)
        except SottovoceError as error:
            raise StudyError(f"{where}: {error}") from None
        promises = {block.level: block.promise for block in parts.blocks}
        study = cls(parts.name, parts.question, parts.domain, promises, together, parts.reports, minimum=parts.minimum or MINIMUM)
        if study.fingerprint != parts.fingerprint:
            raise StudyError(
                f"{where}: the fingerprint is {parts.fingerprint!r}, but the study's is {study.fingerprint!r}. "
                "The file was changed after it was compiled. Compile it again."
            )
        return study

    @property
    def blocks(self) -> Mapping[str, Mechanism]:
        """The mechanism of each level."""
        return self.mechanism.groups if isinstance(self.mechanism, Population) else {"": self.mechanism}

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions, each with its name, text and domain: one, unless the study is a questionnaire."""
        return (Question("answer", self.question, self.domain),)

    @property
    def of_several_questions(self) -> bool:
        """Whether the study is a questionnaire, even one of a single question."""
        return False

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels that people can choose, if they choose one."""
        return tuple(name for name in self.blocks if name)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags under which people mark items of their own."""
        first = next(iter(self.blocks.values()))
        return first.tags if isinstance(first, PersonalMechanism) else ()

    @property
    def inputs(self) -> Domain:
        """The items, and a bot for each tag."""
        return next(iter(self.blocks.values())).inputs

    @property
    def _canonical(self) -> dict[str, Any]:
        blocks = [(level, self.promises[level], mechanism) for level, mechanism in self.blocks.items()]
        form = canonical(self.name, self.question, self.domain, self.reports, blocks)
        return form if self.minimum == MINIMUM else form | {"minimum": self.minimum}  # fingerprints of earlier versions stay

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that clients must agree on, including an automatically chosen mechanism."""
        return fingerprint_of(self._canonical)

    def compile(self) -> dict[str, Any]:
        """The study as a JSON object with everything that a client in any language needs (spec/study.schema.json).

        Each call makes a new one, so changing it doesn't change the study.
        """
        promise = self._promise() if self.minimum == MINIMUM else self.explain()  # what earlier versions compiled stays as it is
        return self._canonical | {"promise": promise, "fingerprint": self.fingerprint}

    def explain(self, *, limits: bool = True) -> str:
        """The guarantee in plain language, level by level, and how many reports it takes before results are shown.

        Without `limits` it leaves out what isn't protected and when results are shown, for pages that list all of that at once.
        """
        return f"{self._promise()}\n\n{shown_from(self.minimum)}" if limits else self._promise(limits=False)

    def _promise(self, *, limits: bool = True) -> str:
        texts = []
        for level, mechanism in self.blocks.items():
            head = f"Level {level!r}\n\n" if level else ""
            promise = self.promises[level]
            texts.append(head + (_NOTHING if promise is None else self._in_all(promise) + mechanism.certify().explain(limits=limits)))
        return "\n\n".join(texts)

    def check_minimum(self, reports: int) -> None:
        """Refuse to show results of fewer reports than the study's minimum.

        >>> Study.check_minimum(Study("s", "q", Domain(2), {}, identity(Domain(2))), 12)
        Traceback (most recent call last):
            ...
        sottovoce.errors.FewReportsError: 12 reports so far. Results are shown once there are 50.
        """
        if reports < self.minimum:
            raise FewReportsError(reports, self.minimum)

    def _in_all(self, promise: Promise) -> str:
        """What the reports of one person keep together, before what one of them keeps."""
        if self.reports == 1:
            return ""
        most = factor(max(promise.budgets.values()) if promise.budgets else promise.epsilon or 0.0)
        kept = f"Together they keep {promise}, a factor of {most} at most"
        return f"Each person gives {self.reports} reports. {kept}. What follows is about one of them.\n\n"

    def epsilon_per_person(self, level: str = "") -> float | None:
        """The certified ε of all reports of a person together, at a level. None if the level guarantees nothing.

        >>> study = Study.from_toml('''
        ... name = "commute-thrice"
        ... question = "How did you come to work today?"
        ... items = ["bus", "car"]
        ... reports = 3
        ... [privacy]
        ... notion = "ldp"
        ... epsilon = 1.5
        ... ''')
        >>> study.mechanism.certify().level, study.epsilon_per_person()
        (0.5, 1.5)
        """
        return None if self.promises[level] is None else sum_above([self.blocks[level].certify().level] * self.reports)

    def texts(self) -> Iterator[tuple[str, str]]:
        """All texts that people read, each with what it is."""
        yield "the question", self.question
        yield from domain_texts(self.domain)
        yield from (("the level", level) for level in self.blocks)
        yield from (("the tag", tag) for tag in self.tags)

    def closed_on(self, day: date) -> str | None:
        """Why a collector takes no reports on a day. None if it does."""
        return None

    def tally(self, files: Any, method: str | None = None) -> Tally:
        """The reports of files counted: Parquet, NDJSON, CSV or tallies, folders of them, and patterns such as "reports/*.parquet".

        Reports are kept if a `method` needs them, or while they take little room.
        """
        return counted(self, files, method).tally

    def estimate(self, files: Any, method: str | None = None, *, force: bool = False) -> Any:
        r"""The estimate from files of reports, from reports or from a tally. Its `notes` show how many rows were skipped.

        With fewer reports than the study's minimum there is no estimate, unless you use `force`. For a questionnaire you get
        `QuestionnaireFindings`: the findings of all questions, whose `cautions` show how many rows were skipped.

        >>> head = 'name = "flu"\nquestion = "Flu?"\nitems = ["yes", "no"]\n'
        >>> study = Study.from_toml(head + '[privacy]\nnotion = "ldp"\nepsilon = 3.0\n')
        >>> from sottovoce import SeededSource
        >>> study.estimate(study.mechanism.perturb(["yes", "no", "no", "no"] * 250, SeededSource(1)))
        Estimate(no 75.2%, yes 24.8%; n=1,000, method='mle')
        """
        found = counted(self, files, method, minimum=0 if force else self.minimum)
        return replace(estimate(found.tally, method), study=self, notes=found.notes)

    def plan(
        self,
        n: int | None = None,
        target: float | None = None,
        p: Any = None,
        level: str | None = None,
        *,
        item: Item | None = None,
        group: Iterable[Item] | None = None,
        margin: str | Sequence[str] | None = None,
        within: float | None = None,
        find: float | None = None,
        confidence: float | None = None,
        at_most: float | None = None,
        about: str | None = None,
    ) -> Plan:
        """The mechanisms that keep the guarantee of a level (by default the first), ranked by their expected error.

        The other arguments are those of `plan`.
        """
        chosen = next((name for name, promise in self.promises.items() if promise), "") if level is None else level
        promise = self.promises.get(chosen)
        if promise is None:
            known = [name for name, each in self.promises.items() if each and name]
            levels = f"The levels are {', '.join(known)}" if known else "This study has no levels"
            raise StudyError(f"{level!r} isn't a level of this study with a guarantee. {levels}.")
        goal = goal_of(
            self.domain,
            target=target,
            item=item,
            group=group,
            margin=margin,
            within=within,
            find=find,
            confidence=confidence,
            at_most=at_most,
            about=about,
        )
        people = self.people or PEOPLE if n is None and goal.asked is None else n
        return planned(promise, goal, people, p, self.reports, self.people or PEOPLE)


def read_study(data: bytes, where: str) -> Study:
    """The study in the bytes of a file. `where` names it in errors."""
    if not data.strip():
        raise StudyError(f"{where} is empty. Make a study with: sottovoce new survey")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if b"\0" in data:
            raise StudyError(f"{where} is a binary file. Name a study file (.toml) or a compiled study (.json).") from None
        line = data[: error.start].count(b"\n") + 1
        raise StudyError(f"{where}, line {line}: the file isn't UTF-8 text. Save it as UTF-8.") from None
    return Study.from_json(text, where) if text.lstrip().startswith("{") else Study.from_toml(text, where)


def _made(domain: Domain, promise: Promise | None, reports: int, name: str, settings: Mapping[str, Any], people: int | None) -> Mechanism:
    """The mechanism of one report."""
    if promise is None:
        return identity(domain)
    share = promise.divided(reports)
    if name != "auto":
        return built(share, name, settings)
    found = planned(promise, goal_of(domain), people or PEOPLE, reports=reports, usual_n=people or PEOPLE)
    return promised(share, found.closest)  # whatever the size of its reports: a study file keeps its fingerprint
