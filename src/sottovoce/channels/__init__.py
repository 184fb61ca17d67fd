"""Channels: Q(report | item) as integers out of 2^64, sampled exactly and checked by `sottovoce.notions`.

`protocol` describes what a channel provides. Each folder has one family of channels.
"""

from sottovoce.channels.capped import CappedChannel
from sottovoce.channels.direct import DirectChannel
from sottovoce.channels.hadamard import HadamardChannel, HadamardCode
from sottovoce.channels.hashed import HashedChannel, HashTableChannel
from sottovoce.channels.information import Bounds
from sottovoce.channels.lifted import LiftedChannel, lift
from sottovoce.channels.matrix import MatrixChannel
from sottovoce.channels.mixed import MixedChannel
from sottovoce.channels.product import ProductChannel
from sottovoce.channels.protocol import Channel
from sottovoce.channels.sets import SetChannel, SetLikeChannel
from sottovoce.channels.subset import SubsetChannel
from sottovoce.channels.unary import UnaryChannel
from sottovoce.channels.window import WindowChannel

__all__ = [
    "Bounds",
    "CappedChannel",
    "Channel",
    "DirectChannel",
    "HadamardChannel",
    "HadamardCode",
    "HashTableChannel",
    "HashedChannel",
    "LiftedChannel",
    "MatrixChannel",
    "MixedChannel",
    "ProductChannel",
    "SetChannel",
    "SetLikeChannel",
    "SubsetChannel",
    "UnaryChannel",
    "WindowChannel",
    "lift",
]
