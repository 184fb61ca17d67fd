"""The papers, in the order in which they are reproduced."""

NAMES = ("uldp", "lip", "ipldp", "small_samples", "beyond")
