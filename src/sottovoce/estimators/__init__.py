"""Estimators: from a tally to a distribution."""

from sottovoce.estimators.estimate import METHODS, Estimate, estimate

__all__ = ["METHODS", "Estimate", "estimate"]
