"""Matrix channels: any finite table of probabilities."""

from sottovoce.channels.matrix.channel import MatrixChannel
from sottovoce.channels.matrix_columns import MatrixColumns

__all__ = ["MatrixChannel", "MatrixColumns"]
