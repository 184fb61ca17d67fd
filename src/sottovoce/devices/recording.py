"""The rules of the ledger: a study is answered once, within the cap, and what is drawn is drawn once."""

from __future__ import annotations

from dataclasses import dataclass

from sottovoce.devices.answers import form_fields
from sottovoce.devices.drawing import Answer, RecordAnswer, drawn_form
from sottovoce.devices.ledger import Book, Drawn, Ledger, Limits, Line, Status, today
from sottovoce.devices.spending import price
from sottovoce.errors import DomainError
from sottovoce.sources import Source
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.taking_part import needed


@dataclass(frozen=True)
class Asked:
    """The form that a person drew, "" if the study has one question, and the questions that go with it.

    `reported` has the questions that count. `needed` has these and the earlier ones on which they depend.
    """

    form: str
    level: str
    reported: tuple[str, ...]
    needed: tuple[str, ...]


@dataclass(frozen=True)
class Rules:
    """What a device gives in all, what may wait, and where its randomness comes from."""

    cap: float
    limits: Limits
    source: Source | None = None

    def asked(self, book: Book, study: Study, level: str, url: str) -> Asked | None:
        """What a person of a level is asked. Its form stays from then on, whatever is answered."""
        with book.change() as ledger:
            if ledger.out or ledger.status(study.fingerprint, url).state != "none" or _closed(ledger, study, url):
                return None
            ledger.afford(price(study, level), self.cap)
            if not isinstance(study, Questionnaire):
                names = tuple(question.name for question in study.questions)
                return Asked("", level, names, names)
            name = self._form(ledger, study, level, url)
            form = study.mechanism.groups[name]
            reported = tuple(each.name for each in study.questions if not form_fields(form).isdisjoint(each.fields))
            return Asked(name, level, reported, tuple(each.name for each in needed(study, form)))

    def commit(self, book: Book, study: Study, level: str, answer: Answer, url: str, ticket: str) -> Status:
        """Draw the reports and save them in one step, unless the study has its answer. A form that was drawn is saved in any case."""
        missing: DomainError | None = None
        with book.change() as ledger:
            if ledger.out:
                return Status("opted out")
            status = ledger.status(study.fingerprint, url)
            if ticket and status.state == "refused" and status.reports:
                line = ledger.lines[study.fingerprint]  # the same reports with another ticket
                line.state, line.reason, line.ticket = "waiting", "", ticket
            elif status.state != "none":
                return status
            elif reason := _closed(ledger, study, url):
                return Status(reason=reason)
            else:
                try:
                    ledger.lines[study.fingerprint] = self._line(ledger, study, level, answer, url, ticket)
                except DomainError as error:
                    missing = error
            self.limits.trim(ledger, today())
            status = ledger.status(study.fingerprint, url)
        if missing is not None:
            raise missing
        return status

    def _line(self, ledger: Ledger, study: Study, level: str, answer: Answer, url: str, ticket: str) -> Line:
        spent = price(study, level)
        ledger.afford(spent, self.cap)
        closes = ""
        if isinstance(study, Questionnaire) and isinstance(answer, RecordAnswer):
            reports = answer.bodies(self._form(ledger, study, level, url), self.source)
            closes = study.written.dates.get("closes", "")
        else:
            reports = answer.bodies("", self.source)
        return Line(url=url, state="waiting", day=today().isoformat(), spent=spent, reports=reports, ticket=ticket, closes=closes)

    def _form(self, ledger: Ledger, study: Questionnaire, level: str, url: str) -> str:
        """The form of a level: as it was drawn before, or drawn now."""
        known = next((each.form for each in ledger.drawn if (each.study, each.level) == (study.fingerprint, level)), None)
        if known is not None:
            return known
        form = drawn_form(study, level, self.source)
        ledger.drawn.append(Drawn(study.fingerprint, url, level, form))
        return form


def _closed(ledger: Ledger, study: Study, url: str) -> str:
    """Why a study takes no answer today, by its dates or by what its collector has said. "" if it does."""
    return study.closed_on(today()) or ledger.closed(study.fingerprint, url)
