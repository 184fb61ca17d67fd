"""Estimators: from a tally to a distribution."""

from sottovoce.estimators.estimate import METHODS, Estimate, estimate
from sottovoce.estimators.metrics import Distance, distance
from sottovoce.estimators.personal import Resolved, resolve_tags

__all__ = ["METHODS", "Distance", "Estimate", "Resolved", "distance", "estimate", "resolve_tags"]
