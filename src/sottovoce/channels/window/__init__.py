"""Window channels: noise everywhere, and more of it around the own place in an order."""

from sottovoce.channels.window.channel import WindowChannel

__all__ = ["WindowChannel"]
