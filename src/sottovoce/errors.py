"""Every error the package raises: the rule, the value that broke it, and what to change.

`PROBLEMS` is the one table of them: what each kind is called, and the status that it has over HTTP.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "BudgetError",
    "ClaimError",
    "DomainError",
    "ParameterError",
    "PriorError",
    "ReportError",
    "SottovoceError",
    "SourceError",
    "StoreError",
    "StudyError",
    "UnsupportedError",
]


class SottovoceError(Exception):
    """Base of every error that sottovoce raises on purpose."""


class DomainError(SottovoceError, ValueError):
    """Items that do not form a domain, or a value that is not an item of it."""


class BudgetError(SottovoceError, ValueError):
    """A privacy budget that is not a usable positive number."""


class PriorError(SottovoceError, ValueError):
    """A prior that is not a strictly positive distribution over the items."""


class ParameterError(SottovoceError, ValueError):
    """A parameter outside its range."""


class SourceError(SottovoceError, RuntimeError):
    """A source of randomness that cannot give what is asked of it."""


class StudyError(SottovoceError, ValueError):
    """A study file that does not say what a study needs; the message names the file, the line and the key."""


class ReportError(SottovoceError, ValueError):
    """Reports that the channel cannot have produced."""


class StoreError(SottovoceError, RuntimeError):
    """A store of reports that cannot do what is asked of it, or does not hold what is asked for."""


class UnsupportedError(SottovoceError, TypeError):
    """A question that has no answer for this object; the message gives the remedy."""


class ClaimError(SottovoceError, ValueError):
    """A channel that does not keep the promise made for it. `level` is what it really gives."""

    def __init__(self, message: str, level: float) -> None:
        super().__init__(message)
        self.level = level


@dataclass(frozen=True)
class Problem:
    """A kind of error: its short name, its status over HTTP, the rule that was broken, and what to do about it in general."""

    kind: str
    status: int
    rule: str
    remedy: str


#: Every kind of error of the package.
PROBLEMS: dict[type[SottovoceError], Problem] = {
    SottovoceError: Problem("error", 400, "The request cannot be carried out.", "Read the detail."),
    DomainError: Problem("domain", 422, "Items are those of the study.", "Read the study for its items."),
    BudgetError: Problem("budget", 422, "Budgets are positive numbers.", "Change the budget."),
    PriorError: Problem("prior", 422, "A prior is a positive distribution over the items.", "Change the prior."),
    ParameterError: Problem("parameter", 422, "Every parameter lies in its range.", "Change the parameter that the detail names."),
    SourceError: Problem("source", 500, "Randomness comes from a source that can give it.", "See to the system's generator."),
    StudyError: Problem("study", 422, "A study says what is asked, of which items, and what is promised.", "Compile the study again."),
    ReportError: Problem("report", 422, "A report is one that the study's mechanism makes.", "Make the report as the compiled study says."),
    StoreError: Problem("store", 503, "The store answers.", "Send it again a little later: what was not acknowledged was not counted."),
    UnsupportedError: Problem("unsupported", 422, "The question has an answer for this study.", "Follow the remedy that the detail gives."),
    ClaimError: Problem("claim", 422, "A channel keeps the promise that is made for it.", "Promise less, or protect more."),
}


def problem_of(error: SottovoceError) -> Problem:
    """The kind of an error.

    >>> problem_of(ReportError("its report is 7")).status
    422
    """
    return next(PROBLEMS[each] for each in type(error).__mro__ if each in PROBLEMS)
