"""Several channels side by side: a report about each part of a record."""

from sottovoce.channels.product.channel import ProductChannel

__all__ = ["ProductChannel"]
