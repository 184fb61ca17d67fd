"""Mergeable integer statistics of reports."""

from sottovoce.tallies.block import Block
from sottovoce.tallies.tally import Tally

__all__ = ["Block", "Tally"]
