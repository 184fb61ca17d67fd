"""Encodings that leave the process."""

from sottovoce.wire.channels import describe, restore

__all__ = ["describe", "restore"]
