"""Every error the package raises: the rule, the value that broke it, and what to change.

`PROBLEMS` is the one table of them: what each kind is called, and the status that it has over HTTP.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = [
    "BudgetError",
    "ClaimError",
    "DomainError",
    "FewReportsError",
    "LedgerError",
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
    """Items that do not form a domain, or a value that is not an item of it."""

    kind = "domain"


class BudgetError(SottovoceError, ValueError):
    """A privacy budget that is not a usable positive number."""

    kind = "budget"


class PriorError(SottovoceError, ValueError):
    """A prior that is not a strictly positive distribution over the items."""

    kind = "prior"


class ParameterError(SottovoceError, ValueError):
    """A parameter outside its range."""

    kind = "parameter"


class SourceError(SottovoceError, RuntimeError):
    """A source of randomness that cannot give what is asked of it."""

    kind = "source"


class StudyError(SottovoceError, ValueError):
    """A study file that does not say what a study needs; the message names the file, the line and the key."""

    kind = "study"


class ReportError(SottovoceError, ValueError):
    """Reports that the channel cannot have produced."""

    kind = "report"


class StoreError(SottovoceError, RuntimeError):
    """A store of reports that cannot do what is asked of it, or does not hold what is asked for."""

    kind = "store"


class UnsupportedError(SottovoceError, TypeError):
    """A question that has no answer for this object; the message gives the remedy."""

    kind = "unsupported"


class ClaimError(SottovoceError, ValueError):
    """A channel that does not keep the promise made for it. `level` is what it really gives."""

    kind = "claim"

    def __init__(self, message: str, level: float) -> None:
        super().__init__(message)
        self.level = level


class LedgerError(SottovoceError, RuntimeError):
    """An answer beyond what a device gives, or a ledger that can't be read or written."""

    kind = "ledger"


class UnreachableError(SottovoceError, RuntimeError):
    """A collector that a device can't reach, or that doesn't answer as one."""

    kind = "unreachable"


class FewReportsError(SottovoceError):
    """Fewer reports than a study's minimum, from which on its results are shown."""

    kind = "few-reports"

    def __init__(self, reports: int, minimum: int, remedy: str = "") -> None:
        said = f"{reports:,} report{'s' * (reports != 1)} so far. Results are shown from {minimum:,} on."
        super().__init__(f"{said} {remedy}".strip())
        self.more = {"reports": reports, "minimum": minimum}


class RequestError(SottovoceError):
    """A request that a collector refuses: its kind (a row of `PROBLEMS`), what is wrong, and what else the answer should hold."""

    def __init__(self, kind: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.kind = kind
        self.more = more


@dataclass(frozen=True)
class Problem:
    """A kind of error: its status over HTTP, the rule that was broken, and what to do about it in general."""

    status: int
    rule: str
    remedy: str


#: Every kind of error: those of the library, then those that only a collector has.
PROBLEMS: dict[str, Problem] = {
    "error": Problem(400, "A request says what it wants.", "Read the detail."),
    "domain": Problem(422, "Items are those of the study.", "Read the study for its items."),
    "budget": Problem(422, "Budgets are positive numbers.", "Change the budget."),
    "prior": Problem(422, "A prior is a positive distribution over the items.", "Change the prior."),
    "parameter": Problem(422, "Every parameter lies in its range.", "Change the parameter that the detail names."),
    "source": Problem(500, "Randomness comes from a source that can give it.", "See to the system's generator."),
    "study": Problem(422, "A study says what is asked, of which items, and what is promised.", "Compile the study again."),
    "report": Problem(422, "A report is one that the study's mechanism makes.", "Make the report as the compiled study says."),
    "store": Problem(503, "The store answers.", "Send it again a little later: what was not acknowledged was not counted."),
    "unsupported": Problem(422, "The question has an answer for this study.", "Follow the remedy that the detail gives."),
    "claim": Problem(422, "A channel keeps the promise that is made for it.", "Promise less, or protect more."),
    "ledger": Problem(409, "A device gives no more than its cap.", "Read the detail."),
    "unreachable": Problem(502, "The collector can be reached.", "Try again later."),
    "malformed": Problem(400, "A request is well-formed HTTP, and its body what its type says.", "Mend the request."),
    "not-found": Problem(404, "The address is one that there is.", "Read /openapi.json for the addresses, /studies for the studies."),
    "method": Problem(405, "Each address has its methods.", "Use one of the methods that the Allow header names."),
    "slow": Problem(408, "A request arrives in reasonable time.", "Send it again, in smaller parts where the line is slow."),
    "another-study": Problem(409, "A report was made under the study as it is here.", "Fetch the study, and make the report anew."),
    "closed": Problem(409, "Reports are taken while the study is open.", "Ask those who run the study."),
    "few-reports": Problem(409, "Results are shown once there are enough reports.", "Wait for more reports."),
    "exists": Problem(409, "A name stands for one study.", "Give the study another name, or delete the one that is here."),
    "changed": Problem(412, "If-Match names the study as it is here.", "Fetch the study, and look at what you are about to delete."),
    "too-large": Problem(413, "A body is no larger than the collector takes.", "Send fewer reports at a time."),
    "media-type": Problem(
        415, "A body is of a type that the address takes, not compressed.", "Send one of the types that the detail names."
    ),
    "unconfirmed": Problem(428, "What cannot be undone is confirmed.", "Send the study's fingerprint as If-Match."),
    "headers": Problem(431, "A request's line and headers are short.", "Send fewer or shorter headers."),
    "no-token": Problem(401, "Analysts and administrators show a token.", "Send a valid token: Authorization: Bearer sv_…"),
    "expired-token": Problem(401, "A token is used before it expires.", "Ask an administrator for a new token."),
    "no-ticket": Problem(401, "Respondents of this study show a ticket.", "Send the ticket that you were given: Authorization: Ticket …"),
    "forbidden": Problem(403, "A token opens what it was made for.", "Ask for a token for this."),
    "used-ticket": Problem(403, "A ticket can be used once.", "Use another ticket, or send the same report as before."),
    "broken": Problem(500, "The collector has no mistakes.", "Tell those who run the collector; its log names the mistake."),
    "too-long": Problem(
        503, "An estimate is ready in reasonable time.", "Choose a faster method, or ask again after the time that Retry-After names."
    ),
    "busy": Problem(503, "The collector takes no more than it can keep.", "Send it again after the time that Retry-After names."),
}


def problem_of(error: SottovoceError) -> Problem:
    """The row of an error.

    >>> problem_of(ReportError("its report is 7")).status
    422
    """
    return PROBLEMS[error.kind]
