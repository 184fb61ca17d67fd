"""Direct channels: tell the truth, or answer from the noise."""

from sottovoce.channels.direct.channel import DirectChannel

__all__ = ["DirectChannel"]
