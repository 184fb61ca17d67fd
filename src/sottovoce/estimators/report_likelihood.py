"""The likelihood of a tally, block by block, in pieces of simple shape.

A direct block is its counts, a tabulated one its counts and matrix. Reports that are sets or hashed may fall into several pieces: those
that reveal their item, empty ones, and all others.
"""

from __future__ import annotations

from collections.abc import Sequence

from sottovoce.channels.likelihood import Likelihood
from sottovoce.tallies import Block, Remote


def of_blocks(blocks: Sequence[Block]) -> list[Likelihood]:
    """The likelihood of some blocks. Remote reports are asked together, so that one pass over them serves all blocks."""
    parts = [part for block in blocks if block.remote is None for part in named(block).values()]
    remote: dict[int, tuple[Remote, list[str]]] = {}
    for block in blocks:
        if block.remote is not None and block.n:
            remote.setdefault(id(block.remote), (block.remote, []))[1].append(block.name)
    return parts + [part for reports, names in remote.values() for part in reports.likelihoods(names)]


def likelihoods(block: Block) -> list[Likelihood]:
    """The likelihood of a block, in pieces of simple shape."""
    return of_blocks([block])


def named(block: Block) -> dict[str, Likelihood]:
    """The likelihood of a block that is at hand, its pieces by name."""
    if block.n == 0:
        return {}
    if block.reports is None:
        return {"counts": block.channel.model.of_counts(block.counts)}
    return {name: piece.simplest() for name, piece in block.channel.model.pieces(block.reports).items()}
