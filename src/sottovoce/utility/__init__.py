"""Utility: what to expect of a mechanism, and how good any mechanism can be."""

from sottovoce.optima.uldp import Limit, uldp_limit
from sottovoce.policy import Promise
from sottovoce.utility.limits import cramer_rao
from sottovoce.utility.losses import Losses, WorstCase, losses, worst_case
from sottovoce.utility.plan import Option, Plan, plan

__all__ = ["Limit", "Losses", "Option", "Plan", "Promise", "WorstCase", "cramer_rao", "losses", "plan", "uldp_limit", "worst_case"]
