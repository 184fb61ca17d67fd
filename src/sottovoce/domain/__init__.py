"""Domains: the items that an answer can be, their order if they have one, and their integer codes."""

from sottovoce.domain.axis import Axis as Axis
from sottovoce.domain.axis import Item as Item
from sottovoce.domain.domain import Domain

__all__ = ["Domain"]
