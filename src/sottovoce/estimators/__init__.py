"""Estimators: from a tally to a distribution."""

from sottovoce.estimators.estimate import METHODS, Estimate, estimate
from sottovoce.estimators.personal import Resolved, resolve_tags

__all__ = ["METHODS", "Estimate", "Resolved", "estimate", "resolve_tags"]
