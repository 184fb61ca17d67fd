"""The lift: any LDP channel over the sensitive items becomes a ULDP channel over all items."""

from sottovoce.channels.lifted.channel import LiftedChannel, lift

__all__ = ["LiftedChannel", "lift"]
