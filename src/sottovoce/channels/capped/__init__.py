"""Capped channels: a set of at most some of many boxes, reported as a set of fixed size."""

from sottovoce.channels.capped.channel import CappedChannel, reports_boxes

__all__ = ["CappedChannel", "reports_boxes"]
