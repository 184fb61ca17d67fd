"""Shared by channels whose reports stand for sets of items."""

from sottovoce.channels.sets.channel import SetChannel, SetLikeChannel

__all__ = ["SetChannel", "SetLikeChannel"]
