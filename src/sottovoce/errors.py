"""Every error that the package raises. Messages state what is wrong with which value, then what to do.

`PROBLEMS` is the table of all kinds, with their titles, remedies and HTTP statuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = [
    "BudgetError",
    "ClaimError",
    "DomainError",
    "FewReportsError",
    "FileError",
    "LedgerError",
    "MissingFileError",
    "ParameterError",
    "PriorError",
    "ReportError",
    "RequestError",
    "SottovoceError",
    "SourceError",
    "StoreError",
    "StudyError",
    "UnreachableError",
    "UnsupportedError",
]


class SottovoceError(Exception):
    """Base of every error that sottovoce raises on purpose. `kind` is its row in `PROBLEMS`."""

    kind = "error"


class DomainError(SottovoceError, ValueError):
    """Items that don't form a domain, or a value that isn't one of its items."""

    kind = "domain"


class BudgetError(SottovoceError, ValueError):
    """A privacy budget that isn't a positive number, or is too small or too large to use."""

    kind = "budget"


class PriorError(SottovoceError, ValueError):
    """A prior that isn't a positive distribution over the items."""

    kind = "prior"


class ParameterError(SottovoceError, ValueError):
    """A parameter of the wrong type, or outside its range."""

    kind = "parameter"


class FileError(ParameterError, OSError):
    """A file or folder that can't be used as it was named."""


class MissingFileError(FileError, FileNotFoundError):
    """A file or folder that doesn't exist."""


class SourceError(SottovoceError, RuntimeError):
    """A random source that failed or can't be used here."""

    kind = "source"


class StudyError(SottovoceError, ValueError):
    """An invalid study file. The message names the file, the line and the key."""

    kind = "study"


class ReportError(SottovoceError, ValueError):
    """Reports that the channel can't have produced."""

    kind = "report"


class StoreError(SottovoceError, RuntimeError):
    """A store of reports that fails, or doesn't contain what you asked for.

    `reason` is what the database reported, for logs. Clients of a collector don't get it, since it may name hosts and users.
    """

    kind = "store"
    reason: str = ""


class UnsupportedError(SottovoceError, TypeError):
    """A call that this object doesn't support. The message suggests an alternative."""

    kind = "unsupported"


class ClaimError(SottovoceError, ValueError):
    """A channel that doesn't keep its privacy guarantee. `level` is the level that it really has."""

    kind = "claim"

    def __init__(self, message: str, level: float) -> None:
        super().__init__(message)
        self.level = level


class LedgerError(SottovoceError, RuntimeError):
    """An answer that would exceed the device's cap, or a ledger that can't be read or written."""

    kind = "ledger"


class UnreachableError(SottovoceError, RuntimeError):
    """A collector that a device can't reach, or that gives an unexpected response."""

    kind = "unreachable"


class FewReportsError(SottovoceError):
    """Fewer reports than a study needs before its results are shown."""

    kind = "few-reports"

    def __init__(self, reports: int, minimum: int, remedy: str = "") -> None:
        are = "is" if minimum == 1 else "are"
        found = f"{reports:,} report{'s' * (reports != 1)} so far. Results are shown once there {are} {minimum:,}."
        super().__init__(f"{found} {remedy}".strip())
        self.more = {"reports": reports, "minimum": minimum}


class RequestError(SottovoceError):
    """A request that a collector refuses: its kind (a row of `PROBLEMS`), the message, and further fields of the response."""

    def __init__(self, kind: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.kind = kind
        self.more = more


def ended(text: str) -> str:
    """A text that ends like a sentence, whatever it ended with.

    >>> ended("Connection refused"), ended("Was it made by this channel?")
    ('Connection refused.', 'Was it made by this channel?')
    """
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


def capital(text: str) -> str:
    """A text that begins like a sentence.

    >>> capital("the question 'Who?'")
    "The question 'Who?'"
    """
    return f"{text[:1].upper()}{text[1:]}"


@dataclass(frozen=True)
class Problem:
    """A kind of error: its HTTP status, its title, and what to do about it."""

    status: int
    title: str
    remedy: str


#: Every kind of error: first those of the library, then those of collectors only.
PROBLEMS: dict[str, Problem] = {
    "error": Problem(400, "The request can't be answered.", "Correct what the detail names."),
    "domain": Problem(422, "Unknown item, or items that don't fit.", "Compare the items with those of the study."),
    "budget": Problem(422, "Invalid privacy budget.", "Change the budget."),
    "prior": Problem(422, "Invalid prior.", "Give every item a positive probability. They must sum to 1."),
    "parameter": Problem(422, "Invalid parameter.", "Change the parameter that the detail names."),
    "source": Problem(500, "The random source failed.", "Check the random source, or the system's random generator."),
    "study": Problem(422, "Invalid study.", "Correct what the detail names and compile the study again."),
    "report": Problem(422, "The report doesn't fit the study.", "Fetch the compiled study and make the report as it describes."),
    "store": Problem(503, "The store failed.", "Send the request again later. Reports that weren't acknowledged haven't been counted."),
    "unsupported": Problem(422, "Not supported for this study.", "Follow the advice in the detail."),
    "claim": Problem(422, "The channel doesn't keep the privacy guarantee.", "Choose a larger budget, or more noise."),
    "ledger": Problem(409, "The device's limit or its ledger doesn't allow this.", "Follow the advice in the detail."),
    "unreachable": Problem(502, "The collector can't be reached.", "Try again later."),
    "malformed": Problem(400, "Malformed request.", "Correct the request and send it again."),
    "not-found": Problem(404, "Not found.", "See /openapi.json for all endpoints and /studies for all studies."),
    "method": Problem(405, "Method not allowed.", "Use one of the methods in the Allow header."),
    "slow": Problem(408, "The request took too long to arrive.", "Send it again, in smaller parts if the connection is slow."),
    "another-study": Problem(
        409, "The report was made for another version of this study.", "Don't draw the report again. Give a changed study a new name."
    ),
    "closed": Problem(409, "The study is closed.", "Ask the people who run the study."),
    "few-reports": Problem(409, "Not enough reports yet.", "Wait for more reports."),
    "exists": Problem(409, "A study of this name already exists.", "Give your study another name, or delete the stored one."),
    "changed": Problem(412, "The study has changed.", "Fetch the study and check that you still want to delete it."),
    "too-large": Problem(413, "The request body is too large.", "Send fewer reports at a time."),
    "media-type": Problem(415, "Unsupported media type.", "Send one of the types that the detail names, without compression."),
    "unconfirmed": Problem(428, "This can't be undone and needs a confirmation.", "Send the study's fingerprint as If-Match."),
    "headers": Problem(431, "The request line or the headers are too long.", "Send fewer or shorter headers."),
    "no-token": Problem(401, "A token is missing or invalid.", "Send a valid token: Authorization: Bearer sv_…"),
    "expired-token": Problem(401, "The token has expired.", "Ask an administrator for a new token."),
    "no-ticket": Problem(401, "A ticket is missing.", "Send the ticket that you were given: Authorization: Ticket …"),
    "forbidden": Problem(403, "The token doesn't allow this.", "Ask an administrator for a token that does."),
    "used-ticket": Problem(
        403, "The ticket is wrong or already used.", "Check the ticket or use another one. A report that was sent can be sent again."
    ),
    "broken": Problem(500, "Internal error in the collector.", "Tell the people who run the collector. Its log contains the cause."),
    "too-long": Problem(
        503, "The estimate took too long.", "Choose a faster method, or ask again after the time in the Retry-After header."
    ),
    "busy": Problem(503, "The collector is busy.", "Send the request again after the time in the Retry-After header."),
}


def problem_of(error: SottovoceError) -> Problem:
    """The row of an error.

    >>> problem_of(ReportError("its report is 7")).status
    422
    """
    return PROBLEMS[error.kind]
