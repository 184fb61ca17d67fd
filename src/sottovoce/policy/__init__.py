"""What is promised: budgets and priors, validated once, exact from then on."""

from sottovoce.policy.budgets import LARGEST_EPSILON, SMALLEST_EPSILON, budget_map, positive_epsilon
from sottovoce.policy.prior import Prior, PriorSet

__all__ = ["LARGEST_EPSILON", "SMALLEST_EPSILON", "Prior", "PriorSet", "budget_map", "positive_epsilon"]
