"""Estimators: from a tally to a distribution."""

from typing import TYPE_CHECKING

from sottovoce.later import exports

if TYPE_CHECKING:
    from sottovoce.estimators.distances import Distance, distance
    from sottovoce.estimators.intervals import Interval
    from sottovoce.estimators.methods import METHODS, estimate
    from sottovoce.estimators.numbers import Quantity
    from sottovoce.estimators.prior_aware import Sum, mmse_histogram, mmse_loss, mmse_sum
    from sottovoce.estimators.result import Estimate
    from sottovoce.estimators.tags import Resolved, resolve_tags

__all__ = [
    "METHODS",
    "Distance",
    "Estimate",
    "Interval",
    "Quantity",
    "Resolved",
    "Sum",
    "distance",
    "estimate",
    "mmse_histogram",
    "mmse_loss",
    "mmse_sum",
    "resolve_tags",
]

_PLACES = {
    "METHODS": "methods",
    "estimate": "methods",
    "Interval": "intervals",
    "Quantity": "numbers",
    "Distance": "distances",
    "distance": "distances",
    "Resolved": "tags",
    "resolve_tags": "tags",
    "Sum": "prior_aware",
    "mmse_histogram": "prior_aware",
    "mmse_loss": "prior_aware",
    "mmse_sum": "prior_aware",
    "Estimate": "result",
}

__getattr__ = exports(__name__, _PLACES)
