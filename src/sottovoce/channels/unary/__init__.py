"""Unary channels: one independent bit per item."""

from sottovoce.channels.unary.channel import UnaryChannel

__all__ = ["UnaryChannel"]
