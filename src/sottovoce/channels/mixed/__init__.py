"""A public coin between two lifted subset channels."""

from sottovoce.channels.mixed.channel import MixedChannel

__all__ = ["MixedChannel"]
