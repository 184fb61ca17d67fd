"""Checks that every mechanism must pass. Import `conform` to test a mechanism of your own."""

from sottovoce.checks.conformance import Check, ConformanceError, checks_for, conform
from sottovoce.checks.statistics import FALSE_ALARM, p_value

__all__ = ["FALSE_ALARM", "Check", "ConformanceError", "checks_for", "conform", "p_value"]
