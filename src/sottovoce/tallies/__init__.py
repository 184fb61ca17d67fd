"""Tallies: integer counts of reports that add up."""

from sottovoce.tallies.block import Block, Remote
from sottovoce.tallies.tally import Tally

#: The name of `Remote` in earlier versions.
Elsewhere = Remote

__all__ = ["Block", "Elsewhere", "Remote", "Tally"]
