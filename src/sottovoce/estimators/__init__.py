"""Estimators: from a tally to a distribution."""

from sottovoce.estimators.estimate import METHODS, estimate
from sottovoce.estimators.intervals import Interval
from sottovoce.estimators.metrics import Distance, distance
from sottovoce.estimators.personal import Resolved, resolve_tags
from sottovoce.estimators.prior_aware import Sum, mmse_histogram, mmse_loss, mmse_sum
from sottovoce.estimators.result import Estimate

__all__ = [
    "METHODS",
    "Distance",
    "Estimate",
    "Interval",
    "Resolved",
    "Sum",
    "distance",
    "estimate",
    "mmse_histogram",
    "mmse_loss",
    "mmse_sum",
    "resolve_tags",
]
