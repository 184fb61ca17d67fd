"""Channels as JSON, and back: all that a client in any language needs to sample exactly what Python samples.

Integers out of 2^64 are written as decimal strings, since not every JSON reader keeps 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels import (
    Channel,
    DirectChannel,
    HadamardChannel,
    HadamardCode,
    HashedChannel,
    HashTableChannel,
    LiftedChannel,
    MatrixChannel,
    MixedChannel,
    SetLikeChannel,
    SubsetChannel,
    UnaryChannel,
)
from sottovoce.channels.hashed import public_seeds
from sottovoce.errors import ReportError, SottovoceError, UnsupportedError


def _texts(values: Any) -> list[str]:
    return [str(value) for value in values.tolist()]


def _integers(texts: list[str]) -> NDArray[np.uint64]:
    return np.array([int(text) for text in texts], dtype=np.uint64)


def describe(channel: Channel) -> dict[str, Any]:
    """The channel as a JSON object.

    >>> from sottovoce import Domain, krr
    >>> describe(krr(Domain("ab"), 1.0).channel)["kind"]
    'direct'
    """
    match channel:
        case DirectChannel(truth=truth, noise=noise):
            return {"kind": "direct", "truth": str(truth), "noise": _texts(noise)}
        case UnaryChannel(present=present, absent=absent):
            return {"kind": "unary", "present": _texts(present), "absent": _texts(absent)}
        case SubsetChannel(items=size, chosen=chosen, include=include):
            return {"kind": "subset", "items": size, "chosen": chosen, "include": str(include)}
        case HadamardChannel(code=code, include=include):
            return {"kind": "hadamard", "items": code.items, "block": code.block, "blocks": code.blocks, "include": str(include)}
        case HashedChannel(items=size, direct=direct):
            return {"kind": "hashed", "items": size, "truth": str(direct.truth), "noise": _texts(direct.noise)}
        case HashTableChannel(items=size, buckets=buckets, directs=directs):
            tables = [
                {"seed": str(seed), "truth": str(d.truth), "noise": _texts(d.noise)}
                for seed, d in zip(_seeds(channel), directs, strict=True)
            ]
            return {"kind": "hash-tables", "items": size, "buckets": buckets, "tables": tables}
        case MatrixChannel(rows=rows):
            return {"kind": "matrix", "rows": [[str(entry) for entry in row] for row in rows.tolist()]}
        case LiftedChannel(base=base, sensitive=sensitive, keep=keep, keep_empty=keep_empty):
            marked = np.flatnonzero(sensitive).tolist()
            return {
                "kind": "lifted",
                "items": len(sensitive),
                "sensitive": marked,
                "keep": str(keep),
                "keep_empty": str(keep_empty),
                "base": describe(base),
            }
        case MixedChannel(parts=parts, share=share):
            return {"kind": "mixed", "share": str(share), "parts": [describe(part) for part in parts]}
    raise UnsupportedError(f"{type(channel).__name__} has no JSON form; give it one in sottovoce.wire.channels")


def _seeds(channel: HashTableChannel) -> list[int]:
    seeds: list[int] = public_seeds(channel.seed_limit).tolist()
    return seeds


def _hash_tables(form: Mapping[str, Any]) -> Channel:
    directs = tuple(DirectChannel(int(table["truth"]), _integers(table["noise"])) for table in form["tables"])
    channel = HashTableChannel(form["items"], form["buckets"], directs)
    if [int(table["seed"]) for table in form["tables"]] != _seeds(channel):
        raise ReportError("the hash functions are not the public ones of this version; compile the study again")
    return channel


def _lifted(form: Mapping[str, Any]) -> Channel:
    base = restore(form["base"])
    if not isinstance(base, SetLikeChannel):
        raise UnsupportedError(f"a lifted channel has a set-like base, not {form['base']['kind']!r}")
    marked = form["sensitive"]
    if any(type(code) is not int or not 0 <= code < form["items"] for code in marked) or len(set(marked)) < len(marked):
        raise ReportError("the sensitive items of a lifted channel are distinct codes of its items")
    sensitive = np.zeros(form["items"], dtype=np.bool_)
    sensitive[marked] = True
    return LiftedChannel(base, sensitive, int(form["keep"]), int(form["keep_empty"]))


def _mixed(form: Mapping[str, Any]) -> Channel:
    parts = tuple(restore(part) for part in form["parts"])
    return MixedChannel(parts, int(form["share"]))  # type: ignore[arg-type]  # the channel checks its parts


_READERS: dict[str, Callable[[Mapping[str, Any]], Channel]] = {
    "direct": lambda form: DirectChannel(int(form["truth"]), _integers(form["noise"])),
    "unary": lambda form: UnaryChannel(_integers(form["present"]), _integers(form["absent"])),
    "subset": lambda form: SubsetChannel(form["items"], form["chosen"], int(form["include"])),
    "hadamard": lambda form: HadamardChannel(HadamardCode(form["items"], form["block"], form["blocks"]), int(form["include"])),
    "hashed": lambda form: HashedChannel(form["items"], DirectChannel(int(form["truth"]), _integers(form["noise"]))),
    "hash-tables": _hash_tables,
    "matrix": lambda form: MatrixChannel(np.array([[int(entry) for entry in row] for row in form["rows"]], dtype=object)),
    "lifted": _lifted,
    "mixed": _mixed,
}


def restore(form: Mapping[str, Any]) -> Channel:
    """The channel that `describe` wrote; tables that no channel can have are refused."""
    kind = form.get("kind") if isinstance(form, Mapping) else None
    if not isinstance(kind, str) or kind not in _READERS:
        raise UnsupportedError(f"{kind!r} is not a kind of channel; the kinds are {', '.join(_READERS)}")
    try:
        return _READERS[kind](form)
    except SottovoceError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, IndexError, MemoryError) as error:
        raise ReportError(f"the tables of this {kind} channel are broken: {error!r}") from None
