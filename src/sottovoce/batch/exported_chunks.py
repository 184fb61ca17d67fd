"""Metadata in files of reports: which chunks of a collector's store they contain, so that no report is exported or counted twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

import numpy as np

#: The entry of a file's metadata: the random keys of the chunks, level by level.
CHUNKS = b"sottovoce.chunks"


def chunks_entry(keys: Mapping[str, Sequence[int]]) -> bytes:
    """The metadata entry for these chunks."""
    return json.dumps({level: np.array(those, dtype=">u8").tobytes().hex() for level, those in keys.items()}).encode()


def read_chunks(metadata: Mapping[bytes, bytes] | None) -> dict[str, list[int]]:
    """Read which chunks a file contains, from its metadata.

    >>> read_chunks({CHUNKS: chunks_entry({"": [3, 2**63 - 1]})})
    {'': [3, 9223372036854775807]}
    """
    try:
        found = json.loads((metadata or {}).get(CHUNKS, b"{}"))
        return {str(level): np.frombuffer(bytes.fromhex(keys), dtype=">u8").tolist() for level, keys in found.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def chunk_keys(metadata: Mapping[bytes, bytes] | None) -> list[str]:
    """The chunks as identifiers of 128 bits, in hexadecimal digits."""
    found = read_chunks(metadata)
    return [hashlib.blake2b(level.encode(), digest_size=8).hexdigest() + f"{key:016x}" for level, those in found.items() for key in those]
