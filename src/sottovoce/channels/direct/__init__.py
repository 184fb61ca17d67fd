"""Direct channels: report the truth, or draw from the noise."""

from sottovoce.channels.direct.channel import DirectChannel

__all__ = ["DirectChannel"]
