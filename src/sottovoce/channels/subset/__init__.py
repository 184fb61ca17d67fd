"""Subset channels: a set of fixed size."""

from sottovoce.channels.subset.channel import SubsetChannel, draw_subsets

__all__ = ["SubsetChannel", "draw_subsets"]
