"""What to keep of reports after counting them. It's decided before any is read, by the same rules on one machine and on a cluster."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

from sottovoce.catalogue import METHODS, Need, method_named
from sottovoce.errors import UnsupportedError
from sottovoce.study import Study
from sottovoce.tallies import Tally

#: Bytes of reports that are kept for the likelihood, unless `keep` asks for more.
KEPT_BYTES = 1 << 29
TOO_MANY = (
    "There were too many reports to keep, so only their totals were used. "
    "For maximum likelihood, which uses more of their information, add --method mle."
)


class Keep(Enum):
    """What to keep of reports beside their totals: nothing, the reports, or a way to read them where they are."""

    TOTALS = "totals"
    REPORTS = "reports"
    REMOTE = "remote"


@dataclass(frozen=True)
class Retention:
    """What to keep of reports. If they turn out to take more than `limit` bytes, only their totals are kept, with a caution."""

    keep: Keep
    limit: int | None = None
    cautions: tuple[str, ...] = ()


def remote_methods() -> frozenset[str]:
    """The methods that can work with remote reports: each pass sends p and gets sums back."""
    return frozenset(name for name, entry in METHODS.items() if entry.needs is Need.REPORTS)


def plan_retention(
    study: Study, method: str | None, *, keep: bool | None, report_bytes: float, remote: Collection[str | None] = ()
) -> Retention:
    """Plan to keep reports if the likelihood needs them: as `keep` specifies, for a `method` that needs them, or while they take little
    room.

    `report_bytes` is the size of the reports, as far as it's known. `remote` has the methods (None for any) for which many reports can stay
    where they are.
    """
    needed = any(not block.sufficient for block in Tally(study.mechanism).blocks)
    wanted = (method is None or method_named(method).needs_reports) if keep is None else keep
    if not (needed and wanted):
        return Retention(Keep.TOTALS)
    if keep is not None:
        return Retention(Keep.REPORTS)
    if study.of_several_questions and method is not None and report_bytes > KEPT_BYTES:
        raise UnsupportedError(
            f"The method {method!r} needs {report_bytes / 2**20:,.0f} MiB of reports, but a questionnaire can keep at most "
            f"{KEPT_BYTES >> 20:,} MiB. "
            "Leave out the method to estimate from the totals."
        )
    if report_bytes > KEPT_BYTES and method in remote and not study.of_several_questions:
        return Retention(Keep.REMOTE)
    if method is not None:
        return Retention(Keep.REPORTS)
    if report_bytes > KEPT_BYTES:
        return Retention(Keep.TOTALS, cautions=(TOO_MANY,))
    return Retention(Keep.REPORTS, limit=KEPT_BYTES)
