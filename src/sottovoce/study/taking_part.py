"""How many questions a person reports about, and how many they are asked: two numbers, which pages and commands say in the same words."""

from __future__ import annotations

from dataclasses import dataclass

from sottovoce.mechanisms import Form
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.questions import Question


@dataclass(frozen=True)
class TakingPart:
    """A person reports about `least` to `most` of `every` question and is asked at most `asked` of them.

    Some are asked `others` than those of their report: if a question depends on an earlier one, or if everyone is asked everything
    (`all_asked`).
    """

    least: int
    most: int
    asked: int
    every: int
    all_asked: bool
    others: bool

    @classmethod
    def of(cls, study: Questionnaire) -> TakingPart:
        """The numbers of a study, over all levels."""
        counts = [(len(study.in_words(form.questions)), len(needed(study, form))) for form in study.mechanism.groups.values()]
        every, whole = len(study.questions), study.written.ask != "drawn"
        reported, asked = zip(*((mine, every if whole else all_) for mine, all_ in counts), strict=True)
        return cls(min(reported), max(reported), max(asked), every, whole, reported != asked)

    @property
    def reported(self) -> str:
        """What a report is about: "1 of 5 questions"."""
        if self.least == self.every:
            return "the one question" if self.every == 1 else f"all {self.every} questions"
        number = str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
        return f"{number} of {self.every} questions"

    @property
    def sentence(self) -> str:
        """Both numbers: "Each person reports about 1 of 5 questions and is asked at most 2 of them."."""
        if not self.others:
            return f"Each person reports about {self.reported}{'' if self.least == self.every else ' and is asked no others'}."
        asked = f"all {self.every}" if self.all_asked else f"at most {self.asked}"
        return f"Each person reports about {self.reported} and is asked {asked} of them."

    @property
    def beyond(self) -> str:
        """What to tell a person about questions that the report isn't about. Nothing if no others are asked."""
        if not self.others:
            return ""
        if self.all_asked:
            return f"You are asked all {self.every} questions. Your other answers stay on your device."
        return (
            f"You are asked at most {self.asked} of the {self.every} questions, because some depend on the answer to an earlier one. "
            "If the report isn’t about that one, its answer isn’t sent, and the guarantee covers what the report reveals about it."
        )


def needed(study: Questionnaire, form: Form) -> tuple[Question, ...]:
    """The questions that a form reports about and those they depend on, in the order of the study."""
    wanted = set(study.in_words(form.questions))
    for question in reversed(study.questions):
        if question.name in wanted:
            wanted |= question.after.keys()
    return tuple(question for question in study.questions if question.name in wanted)
