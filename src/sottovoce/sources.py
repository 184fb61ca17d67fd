"""Sources of randomness: 64-bit words from the operating system, from a seed, or from a recording.

A source is always an argument. Randomness that protects people is `SecureSource`, the default of every `perturb`.
Nothing falls back to another generator.
"""

from __future__ import annotations

import hashlib
import os
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

from sottovoce.errors import SourceError

__all__ = ["ReplaySource", "SecureSource", "SeededSource", "Source"]

Words = NDArray[np.uint64]

_ZEROS = memoryview(bytes(1 << 20))
#: The cipher asks for room for one more block than it writes, so the last block goes by another way.
_BLOCK_WORDS = 2
#: Up to here a system call is cheaper than setting up a cipher.
_FEW_WORDS = 256


def _stream(key: bytes, block: int = 0) -> CipherContext:
    """AES-256 in counter mode, from a block on: a vetted stream generator at several gigabytes a second."""
    return Cipher(algorithms.AES(key), modes.CTR(block.to_bytes(16, "big"))).encryptor()


def _fill(stream: CipherContext, target: Words) -> None:
    """Write the next words of the stream into a contiguous array."""
    octets = memoryview(target.data).cast("B")
    body = max(0, len(octets) - 8 * _BLOCK_WORDS)
    for start in range(0, body, len(_ZEROS)):
        stream.update_into(_ZEROS[: min(len(_ZEROS), body - start)], octets[start:])
    octets[body:] = stream.update(_ZEROS[: len(octets) - body])
    if not np.little_endian:
        target.byteswap(inplace=True)


class Source(ABC):
    """A sequence of independent uniform 64-bit words.

    `fill` and `take` return words. `give_back` takes those at the end back that weren't needed, so that the next report starts
    exactly where the last one stopped reading, whether people are perturbed one by one or in bulk.
    """

    @abstractmethod
    def fill(self, target: Words) -> int:
        """Write the next words into `target`, and return how many (fewer than its size only at the end of a recording)."""

    def give_back(self, words: Words) -> None:  # noqa: B027 - a source without an order of its own has nothing to take back
        """Return unused words, the last ones handed out."""

    def take(self, count: int) -> Words:
        """The next `count` words (fewer only at the end of a recording)."""
        words = np.empty(count, dtype=np.uint64)
        return words[: self.fill(words)]

    def word(self) -> int:
        """The next word as an integer."""
        words = self.take(1)
        if len(words) == 0:
            raise used_up()
        return int(words[0])

    def split(self, parts: int) -> list[Source] | None:
        """Independent sources for `parts` threads, or None where the order of the words matters."""
        return None


def used_up() -> SourceError:
    return SourceError("The recorded words are used up. Record more words, or perturb fewer people.")


_secure_sources: weakref.WeakSet[SecureSource] = weakref.WeakSet()


class SecureSource(Source):
    """The operating system's generator. In bulk it's AES-256-CTR, with a fresh key from the system for every draw.

    You can share it between threads and across a fork: a child never repeats words of its parent, and neither does a copy.
    """

    _STOCK = 512

    def __init__(self) -> None:
        self._forget()
        _secure_sources.add(self)

    def _forget(self) -> None:
        self._stock: list[int] = []
        self._owner = os.getpid()

    def __reduce__(self) -> tuple[type[SecureSource], tuple[()]]:
        return SecureSource, ()

    def fill(self, target: Words) -> int:
        if len(target) <= _FEW_WORDS:
            target[:] = self.take(len(target))
        else:
            _fill(_stream(os.urandom(32)), target)
        return len(target)

    def take(self, count: int) -> Words:
        if count <= _FEW_WORDS:
            return np.frombuffer(bytearray(os.urandom(8 * count)), dtype=np.uint64)
        return super().take(count)

    def word(self) -> int:
        if self._owner != os.getpid():
            self._forget()
        try:
            return self._stock.pop()
        except IndexError:
            stock: list[int] = np.frombuffer(os.urandom(8 * self._STOCK), dtype=np.uint64).tolist()
            word = stock.pop()
            self._stock = stock
            return word

    def split(self, parts: int) -> list[Source] | None:
        return [self] * parts

    def __repr__(self) -> str:
        return "SecureSource()"


def _forget_all() -> None:
    for source in list(_secure_sources):
        source._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


class _Sequential(Source):
    """A source whose words come in one fixed order."""

    def __init__(self) -> None:
        self._returned: Words = np.empty(0, dtype=np.uint64)

    @abstractmethod
    def _fresh(self, target: Words) -> int: ...

    def fill(self, target: Words) -> int:
        kept = min(len(self._returned), len(target))
        target[:kept] = self._returned[:kept]
        self._returned = self._returned[kept:]
        return kept + self._fresh(target[kept:])

    def give_back(self, words: Words) -> None:
        self._returned = np.concatenate([words, self._returned])

    def word(self) -> int:
        if len(self._returned) == 0:
            stock = np.empty(512, dtype=np.uint64)
            self._returned = stock[: self._fresh(stock)]
        return super().word()


class SeededSource(_Sequential):
    """Reproducible words for simulations: the same seed gives the same words on every platform. It protects no one.

    >>> SeededSource(7).word() == SeededSource(7).word()
    True
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
            raise SourceError(f"The seed is {seed!r}. Give an integer of at least 0.")
        self.seed = int(seed)
        self._drawn = 0
        self._stream = self._opened()

    def _opened(self) -> CipherContext:
        """The stream of the seed, with the words that were drawn already left out."""
        key = hashlib.sha256(b"sottovoce seed " + str(self.seed).encode()).digest()
        stream = _stream(key, self._drawn // _BLOCK_WORDS)
        stream.update(_ZEROS[: 8 * (self._drawn % _BLOCK_WORDS)])
        return stream

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_stream"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._stream = self._opened()

    def _fresh(self, target: Words) -> int:
        if len(target):
            _fill(self._stream, target)
            self._drawn += len(target)
        return len(target)

    def __repr__(self) -> str:
        return f"SeededSource({self.seed})"


class ReplaySource(_Sequential):
    """Recorded words, consumed in order. Running out raises a `SourceError`.

    >>> ReplaySource([1, 2]).word()
    1
    """

    def __init__(self, words: Iterable[int]) -> None:
        super().__init__()
        try:
            recorded: Any = words if isinstance(words, np.ndarray) else list(words)
            if any(not 0 <= int(word) < 1 << 64 or int(word) != word for word in recorded):
                raise OverflowError
            self._recorded = np.array(recorded, dtype=np.uint64)
        except (OverflowError, ValueError, TypeError):
            raise SourceError("A recorded word isn't an integer from 0 to 2^64 − 1. Give unsigned 64-bit integers.") from None
        self._used = 0

    def _fresh(self, target: Words) -> int:
        words = self._recorded[self._used : self._used + len(target)]
        target[: len(words)] = words
        self._used += len(words)
        return len(words)

    @property
    def remaining(self) -> int:
        return len(self._recorded) - self._used + len(self._returned)

    def __repr__(self) -> str:
        return f"ReplaySource({self.remaining} words left)"
