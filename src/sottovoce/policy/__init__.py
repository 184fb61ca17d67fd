"""Privacy guarantees: budgets, priors and sensitive items, validated once and exact from then on, and promises made of them."""

from sottovoce.policy.budgets import LARGEST_EPSILON, SMALLEST_EPSILON, budget_map, positive_epsilon
from sottovoce.policy.distribution import is_distribution
from sottovoce.policy.frozen import Frozen, FrozenMap
from sottovoce.policy.items import Bot, checked_domain, mask_of
from sottovoce.policy.prior import Prior, PriorSet
from sottovoce.policy.promise import Promise

__all__ = [
    "LARGEST_EPSILON",
    "SMALLEST_EPSILON",
    "Bot",
    "Frozen",
    "FrozenMap",
    "Prior",
    "PriorSet",
    "Promise",
    "budget_map",
    "checked_domain",
    "is_distribution",
    "mask_of",
    "positive_epsilon",
]
