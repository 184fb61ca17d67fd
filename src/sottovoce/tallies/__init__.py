"""Mergeable integer statistics of reports."""

from sottovoce.tallies.block import Block, Elsewhere
from sottovoce.tallies.tally import Tally

__all__ = ["Block", "Elsewhere", "Tally"]
