"""The device of a person, in Python. Apps and programs use it to record answers and send reports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from sottovoce.devices.drawing import answer_of
from sottovoce.devices.endings import AT_EXIT, follow
from sottovoce.devices.ledger import Book, Ledger, Limits, Line, Status
from sottovoce.devices.loading import FRESH, loaded
from sottovoce.devices.recording import Asked, Rules
from sottovoce.devices.sender import Sender
from sottovoce.devices.spending import Spent, checked_level, checked_study
from sottovoce.devices.storage import GuardedStorage, Storage
from sottovoce.devices.urls import checked_url, is_at
from sottovoce.errors import ParameterError
from sottovoce.sources import Source
from sottovoce.study import Study

_TICKET = re.compile("[!-~]+")
#: The largest cap, and the largest limits of what waits.
_MOST_CAP, _MOST = 1_000_000_000, {"max_waiting": 1_000_000, "max_bytes": 1 << 30, "max_days": 36_525}


class Device:
    """A person's device. It perturbs answers, adds up the budget that it uses in all studies, stops at a cap, and sends the reports.

    `storage` is the path of a file, or an object with `load()` and `save(data)`. At most `max_waiting` submissions of `max_bytes` together
    wait for `max_days`. With `send="never"` nothing leaves until `flush()`. A device can be shared by threads. If its storage is a
    file, or has a lock, processes can share that too.

    >>> from tempfile import TemporaryDirectory
    >>> study = Study.from_toml('''
    ... name = "app"
    ... question = "Which theme is on?"
    ... items = ["light", "dark"]
    ... [privacy]
    ... notion = "ldp"
    ... epsilon = 1.0
    ... ''')
    >>> with TemporaryDirectory() as folder:
    ...     device = Device(f"{folder}/ledger.json", send="never")
    ...     device.record(study, "dark", url="https://collector.example/studies/app").state
    ...     device.spent()
    'waiting'
    Spent(epsilon=1.0, shown=0)
    """

    def __init__(
        self,
        storage: str | Path | Storage,
        cap: float = 8.0,
        max_waiting: int = 100,
        max_bytes: int = 1 << 20,
        max_days: int = 30,
        send: Literal["background", "never"] = "background",
        source: Source | None = None,
    ) -> None:
        if isinstance(cap, bool) or not isinstance(cap, (int, float)) or not 0 < cap <= _MOST_CAP:
            raise ParameterError(f"The cap is {_shortened(cap)}. Give a positive number up to {_MOST_CAP:,}, for example 8.0.")
        for name, value in (("max_waiting", max_waiting), ("max_bytes", max_bytes), ("max_days", max_days)):
            if type(value) is not int or not 1 <= value <= _MOST[name]:
                raise ParameterError(f"{name} is {_shortened(value)}. Give a whole number from 1 to {_MOST[name]:,}.")
        if send not in {"background", "never"}:
            raise ParameterError(f'send is {send!r}. Write "background" or "never".')
        self.cap = float(cap)
        self._rules = Rules(self.cap, Limits(max_waiting, max_bytes, max_days), source)
        self._book = Book(GuardedStorage(storage))
        self._sender = Sender(self._book, self._rules.limits, background=send == "background")
        self._urls: dict[str, str] = {}
        follow(self._book, self._sender)
        if self._book.read().waiting:
            self._sender.wake()

    def study(self, url: str, max_age: float = FRESH) -> Study:
        """The study at a URL, checked, and kept for use without a network. It is fetched again if it is older than `max_age` seconds."""
        place = checked_url(url)
        study = loaded(self._book, place, max_age)
        self._urls[study.fingerprint] = place
        return study

    def record(
        self,
        study: Study | str,
        answer: Any = None,
        /,
        *,
        level: str | None = None,
        marks: Mapping[str, Iterable[Any]] | None = None,
        url: str | None = None,
        ticket: str = "",
        **answers: Any,
    ) -> Status:
        """Draw the report about an answer and keep it until it is sent. It is on disk when this returns.

        `study` is a study or its URL. Answers to several questions are a mapping or keywords. If a question is called like a parameter,
        such as `ticket`, its answer has to be in a mapping. Nothing is drawn if the study was answered before, isn't open, or the person
        has opted out: the status shows which. An answer beyond the cap raises a `LedgerError`.
        """
        settings = {"level": level, "marks": marks, "url": url, "ticket": ticket or None}
        if not isinstance(study, str):
            checked_study(study)
            _check_settings(study, answer, settings)
        place = checked_url(study) if isinstance(study, str) else self._url(study, url)
        before = self._book.read()
        if before.out:
            return Status("opted out")
        line = before.line_at(place) if isinstance(study, str) else None
        if isinstance(study, str):
            if line is not None and not (ticket and line.state == "refused"):
                return self._shown(Status.of(line), place)
            study = self.study(study)
            _check_settings(study, answer, settings)
        if ticket and not (isinstance(ticket, str) and _TICKET.fullmatch(ticket)):
            raise ParameterError("The ticket contains spaces or characters beyond ASCII. Give it exactly as it was issued.")
        tier = checked_level(study, level)
        found = answer_of(study, tier, _given(answer, answers), marks)
        status = self._rules.commit(self._book, study, tier, found, place, ticket)
        if status.state == "waiting":
            self._sender.wake()
        return self._shown(status, place)

    def asked(self, study: Study, level: str | None = None) -> Asked | None:
        """Which questions this device reports about, drawn once, and which others it needs. None if there is nothing to ask.

        That is the case if the study was answered before or isn't open, and if the person has opted out.
        """
        return self._rules.asked(self._book, study, checked_level(study, level), self._known(study, self._book.read()))

    def status(self, study: Study | str) -> Status:
        """The state of the answer to a study. A new study at the URL of an answered one counts as answered."""
        ledger = self._book.read()
        if isinstance(study, str):
            place = checked_url(study)
            return self._shown(Status.of(ledger.line_at(place)), place)
        checked_study(study)
        place = self._known(study, ledger)
        return self._shown(ledger.status(study.fingerprint, place), place)

    def spent(self) -> Spent:
        """The budget that this device has used so far, in all studies. It counts whether or not the reports arrived."""
        return self._book.read().spent

    def removed(self) -> dict[str, int]:
        """How many submissions were removed before they were acknowledged, by the reason."""
        return dict(Counter(line.reason for line in self._book.read().lines.values() if line.state == "removed"))

    def flush(self, timeout: float = 10.0) -> int:
        """Send what waits now. Returns how many submissions were acknowledged in so many seconds."""
        return self._sender.flush(timeout)

    @property
    def opted_out(self) -> bool:
        """Whether the person has opted out."""
        return self._book.read().out

    def opt_out(self) -> None:
        """Remove waiting reports, drawn forms and cached studies, and record nothing from now on.

        The budget already used still counts.
        """
        with self._book.change() as ledger:
            ledger.out = True
            for line in ledger.lines.values():
                _remove(line, "Opted out.")
            ledger.drawn, ledger.studies = [], {}

    def opt_in(self) -> None:
        """Record again after `opt_out`. Studies that had an answer keep it."""
        with self._book.change() as ledger:
            ledger.out = False

    def forget(self, study: Study | str) -> None:
        """Remove a report that isn't acknowledged, and the cached study. Its budget still counts, and a drawn form stays."""
        if not isinstance(study, str):
            checked_study(study)
        with self._book.change() as ledger:
            fingerprint = None if isinstance(study, str) else study.fingerprint
            place = checked_url(study) if isinstance(study, str) else self._known(study, ledger)
            for key, line in ledger.lines.items():
                if key == fingerprint or is_at(line.url, place):
                    _remove(line, "Forgotten.")
            ledger.studies.pop(place, None)

    def close(self, timeout: float = AT_EXIT) -> None:
        """Send what waits for at most so many seconds, then stop. What isn't acknowledged is sent next time."""
        if self._sender.running:
            self._sender.flush(timeout)
        self._sender.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _url(self, study: Study, url: str | None) -> str:
        place = checked_url(url) if url is not None else self._known(study, self._book.read())
        if not place:
            raise ParameterError(f"The study {study.name!r} has no URL to send reports to. Add url=... or use device.study(url).")
        self._urls[study.fingerprint] = place
        return place

    def _known(self, study: Study, ledger: Ledger) -> str:
        """The URL of a study, "" if it isn't known."""
        line = ledger.lines.get(study.fingerprint)
        cached = next((url for url, each in ledger.studies.items() if each.fingerprint == study.fingerprint), "")
        return self._urls.get(study.fingerprint) or (line.url if line else cached)

    def _shown(self, status: Status, place: str) -> Status:
        """A status, with what is known of the attempts to send it."""
        reason = self._sender.reason(place) if status.state == "waiting" and place else ""
        return Status(status.state, status.day, reason, status.reports, status.changed) if reason else status


def _shortened(value: Any) -> str:
    """A value for an error. Python refuses to write very long numbers."""
    return repr(value) if not isinstance(value, int) or value.bit_length() < 300 else "too large"


def _check_settings(study: Study, answer: Any, settings: Mapping[str, Any]) -> None:
    """Refuse a parameter that may have been meant as the answer to a question of the same name, before it is used or sent."""
    asked = {question.name for question in study.questions} | {axis.name for each in study.questions for axis in each.answers.axes}
    answered = answer.keys() if isinstance(answer, Mapping) else ()
    if taken := [name for name, value in settings.items() if value is not None and name in asked and name not in answered]:
        raise ParameterError(
            f"{taken[0]!r} is both a question of the study {study.name!r} and a parameter of record. Give the answers as a mapping with "
            f"{taken[0]!r} in it."
        )


def _given(answer: Any, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The answers by question, however they were given."""
    if answer is None:
        return dict(answers)
    if answers and not isinstance(answer, Mapping):
        raise ParameterError(f"Got an answer {answer!r} and answers by name ({', '.join(answers)}). Give one or the other.")
    return {**answer, **answers} if isinstance(answer, Mapping) else {"answer": answer}


def _remove(line: Line, reason: str) -> None:
    if line.state == "waiting":
        line.end("removed", reason)
    elif line.reports:
        line.end(line.state, line.reason)
