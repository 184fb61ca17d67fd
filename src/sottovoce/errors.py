"""Every error the package raises: the rule, the value that broke it, and what to change."""

from __future__ import annotations

__all__ = [
    "BudgetError",
    "ClaimError",
    "DomainError",
    "ParameterError",
    "PriorError",
    "ReportError",
    "SottovoceError",
    "SourceError",
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


class UnsupportedError(SottovoceError, TypeError):
    """A question that has no answer for this object; the message gives the remedy."""


class ClaimError(SottovoceError, ValueError):
    """A channel that does not keep the promise made for it. `level` is what it really gives."""

    def __init__(self, message: str, level: float) -> None:
        super().__init__(message)
        self.level = level
