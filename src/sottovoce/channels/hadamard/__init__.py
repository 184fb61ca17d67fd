"""Hadamard response: one column of a Hadamard matrix, which stands for a set of items."""

from sottovoce.channels.hadamard.channel import HadamardChannel
from sottovoce.channels.hadamard.code import HadamardCode

__all__ = ["HadamardChannel", "HadamardCode"]
