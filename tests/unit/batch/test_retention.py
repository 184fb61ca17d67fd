"""What is kept of reports is decided before any is read, by one rule for one machine and for a cluster."""

from __future__ import annotations

import math

import pytest

from collectors import named
from messages import refused, wording
from sottovoce.batch.retention import KEPT_BYTES, Keep, plan_retention, remote_methods
from sottovoce.errors import UnsupportedError

LITTLE, MUCH = 1000, KEPT_BYTES + 1
#: Methods for which a cluster keeps reports where they are.
REMOTE_METHODS = remote_methods()
CLUSTER = REMOTE_METHODS | {None}


@pytest.mark.parametrize(
    ("method", "keep", "report_bytes", "remote", "expected"),
    [
        (None, None, LITTLE, REMOTE_METHODS, Keep.REPORTS),
        (None, None, MUCH, REMOTE_METHODS, Keep.TOTALS),
        ("mle", None, LITTLE, REMOTE_METHODS, Keep.REPORTS),
        ("mle", None, MUCH, REMOTE_METHODS, Keep.REMOTE),
        ("mle", None, MUCH, (), Keep.REPORTS),
        ("corrected", None, MUCH, REMOTE_METHODS, Keep.REPORTS),
        ("projected", None, LITTLE, REMOTE_METHODS, Keep.TOTALS),
        (None, True, MUCH, REMOTE_METHODS, Keep.REPORTS),
        ("mle", False, LITTLE, REMOTE_METHODS, Keep.TOTALS),
        (None, None, math.inf, CLUSTER, Keep.REMOTE),
        ("em", None, math.inf, CLUSTER, Keep.REMOTE),
        ("corrected", None, math.inf, CLUSTER, Keep.REPORTS),
        ("projected", None, math.inf, CLUSTER, Keep.TOTALS),
        (None, True, math.inf, CLUSTER, Keep.REPORTS),
        (None, False, math.inf, CLUSTER, Keep.TOTALS),
    ],
)
def test_what_is_kept(method: str | None, keep: bool | None, report_bytes: float, remote: frozenset[str | None], expected: Keep) -> None:
    assert plan_retention(named("integers"), method, keep=keep, report_bytes=report_bytes, remote=remote).keep is expected
    assert plan_retention(named("ldp"), method, keep=keep, report_bytes=report_bytes, remote=remote).keep is Keep.TOTALS, (
        "its counts suffice"
    )


def test_reports_of_a_questionnaire_are_kept_or_counted() -> None:
    """They can't be asked where they are: each question has a likelihood of its own."""
    study = named("split")
    assert plan_retention(study, None, keep=None, report_bytes=LITTLE, remote=CLUSTER).keep is Keep.REPORTS
    assert plan_retention(study, None, keep=None, report_bytes=MUCH, remote=CLUSTER).keep is Keep.TOTALS
    assert plan_retention(study, "mle", keep=None, report_bytes=LITTLE, remote=CLUSTER).keep is Keep.REPORTS
    assert plan_retention(study, "projected", keep=None, report_bytes=MUCH, remote=CLUSTER).keep is Keep.TOTALS
    with refused(UnsupportedError, "mle", "512"):
        plan_retention(study, "mle", keep=None, report_bytes=MUCH, remote=CLUSTER)


def test_only_what_nobody_asked_for_is_limited() -> None:
    study = named("integers")
    assert plan_retention(study, None, keep=None, report_bytes=LITTLE).limit == KEPT_BYTES
    assert plan_retention(study, "mle", keep=None, report_bytes=LITTLE).limit is None
    assert plan_retention(study, None, keep=True, report_bytes=LITTLE).limit is None
    (caution,) = plan_retention(study, None, keep=None, report_bytes=MUCH).cautions
    wording(caution)
