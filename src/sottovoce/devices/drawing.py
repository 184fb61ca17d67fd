"""What a device draws: the form of a questionnaire, once, and the reports about an answer, once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from sottovoce.devices.answers import Codes, codes_of, input_of, missing
from sottovoce.errors import DomainError
from sottovoce.mechanisms.base import chosen_source
from sottovoce.reports import PopulationReports, Reports
from sottovoce.sources import Source
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.wire import Body, lines


def drawn_form(study: Questionnaire, level: str, source: Source | None) -> str:
    """The name of a form of a level. One word decides."""
    forms = study.mechanism
    tier = None if "" in forms.tiers else np.array([list(forms.tiers).index(level)])
    return str(forms.names[forms.draw(1, source, tier)[0]])


@dataclass(frozen=True)
class SingleAnswer:
    """The answer to a study of one question: the input of its channel."""

    study: Study
    level: str
    code: int

    def bodies(self, form: str, source: Source | None) -> list[Body]:
        """All reports of a person. A study of one question has no forms."""
        codes = np.full(self.study.reports, self.code)
        return _bodies(self.study, self.level, self.study.blocks[self.level].channel.sample(codes, chosen_source(source)))


@dataclass(frozen=True)
class RecordAnswer:
    """The answers to a questionnaire, as far as they are known."""

    study: Questionnaire
    codes: Codes

    def bodies(self, form: str, source: Source | None) -> list[Body]:
        """The report about the questions of a form. Words are read part by part."""
        asked = self.study.mechanism.groups[form]
        if absent := missing(self.study, asked, self.codes):
            raise DomainError(f"{absent[0]!r} has no answer. Give one for each of {', '.join(absent)}, which this device reports about.")
        return _bodies(self.study, form, asked.sample(self.codes, chosen_source(source)))


Answer = SingleAnswer | RecordAnswer


def answer_of(study: Study, level: str, given: Mapping[str, Any], marks: Mapping[str, Any] | None) -> Answer:
    """What a program gave, encoded. An answer that the study doesn't know is refused here, before anything is drawn."""
    if isinstance(study, Questionnaire):
        if marks:
            raise DomainError("This study doesn't use marks. Leave them out.")
        if given.keys() == {"answer"} and not any(question.name == "answer" for question in study.questions):
            names = [question.name for question in study.questions]
            raise DomainError(f"Got a single answer, but the study {study.name!r} asks {', '.join(names)}. Give answers by name.")
        return RecordAnswer(study, codes_of(study.questions, given))
    answer = given.get("answer") if given.keys() <= {"answer"} else given  # or a label for each axis
    if answer is None:
        raise DomainError(f"The study {study.name!r} asks one question. Give its answer: device.record(study, answer).")
    return SingleAnswer(study, level, input_of(study, answer, marks))


def _bodies(study: Study, level: str, reports: Reports) -> list[Body]:
    """The reports as they travel, each with an identifier from the operating system's randomness."""
    together = PopulationReports(np.zeros(len(reports), dtype=np.uint8), (level,), {level: reports})
    return [msgspec.json.decode(line, type=Body) for line in lines(study.fingerprint, together).splitlines()]
