"""Channels: Q(report | item) as integers out of 2^64, sampled exactly, judged by `sottovoce.notions`."""

from sottovoce.channels.base import Channel
from sottovoce.channels.direct import DirectChannel
from sottovoce.channels.hadamard import HadamardChannel, HadamardCode
from sottovoce.channels.hash_tables import HashTableChannel
from sottovoce.channels.hashed import HashedChannel
from sottovoce.channels.information import Bounds
from sottovoce.channels.lifted import LiftedChannel, lift
from sottovoce.channels.matrix import MatrixChannel
from sottovoce.channels.mixed import MixedChannel
from sottovoce.channels.sets import SetChannel, SetLikeChannel, SubsetChannel
from sottovoce.channels.unary import UnaryChannel

__all__ = [
    "Bounds",
    "Channel",
    "DirectChannel",
    "HadamardChannel",
    "HadamardCode",
    "HashTableChannel",
    "HashedChannel",
    "LiftedChannel",
    "MatrixChannel",
    "MixedChannel",
    "SetChannel",
    "SetLikeChannel",
    "SubsetChannel",
    "UnaryChannel",
    "lift",
]
