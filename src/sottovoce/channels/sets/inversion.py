"""What an inversion of sets must provide so that it can be lifted."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass


@dataclass(frozen=True)
class Pairs:
    """Two items i and j: E[φ_i·φ_j] when the holder of one of them reports, and when another person does, and the chance that a neutral
    draw contains both.
    """

    held: float
    aside: float
    together: float


class Liftable:
    """The inversion of a channel that treats all items alike."""

    #: The chance that a neutral draw contains an item.
    neutral: float

    @property
    @abstractmethod
    def pairs(self) -> Pairs:
        """The moments of two items (there must be at least two)."""
