"""The papers, in the order in which they are reproduced."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from experiments.experiment import Paper

NAMES = ("uldp", "lip", "ipldp", "small_samples", "beyond")


def paper_of(name: str) -> Paper:
    """The paper of that name."""
    return import_module(f"experiments.{name}").PAPER
