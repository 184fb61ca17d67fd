"""Mergeable integer statistics of reports."""

from sottovoce.tallies.tally import Block, Tally

__all__ = ["Block", "Tally"]
