"""What is promised: budgets and priors, validated once, exact from then on."""

from sottovoce.policy.budgets import LARGEST_EPSILON, SMALLEST_EPSILON, budget_map, positive_epsilon
from sottovoce.policy.frozen import FrozenMap
from sottovoce.policy.prior import Prior, PriorSet

__all__ = ["LARGEST_EPSILON", "SMALLEST_EPSILON", "FrozenMap", "Prior", "PriorSet", "budget_map", "positive_epsilon"]
