"""Sources of randomness: 64-bit words from the operating system, from a seed, or from a recording.

A source is always an argument. Randomness that protects people is `SecureSource`, the default of every `perturb`;
nothing falls back to another generator.
"""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

from sottovoce.errors import SourceError

Words = NDArray[np.uint64]

_ZEROS = memoryview(bytes(1 << 20))
#: The cipher asks for room for one more block than it writes.
_BLOCK_WORDS = 2
#: Up to here a system call is cheaper than setting up a cipher.
_FEW_WORDS = 256


def _stream(key: bytes) -> CipherContext:
    """AES-256 in counter mode: a vetted stream generator at several gigabytes a second."""
    return Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()


def _draw(stream: CipherContext, count: int, scratch: Words | None = None) -> Words:
    """The next `count` words of the stream, written into `scratch` where it has room for them."""
    room = count + _BLOCK_WORDS
    words = np.empty(room, dtype=np.uint64) if scratch is None or len(scratch) < room else scratch
    target = memoryview(words).cast("B")
    for start in range(0, 8 * count, len(_ZEROS)):
        size = min(len(_ZEROS), 8 * count - start)
        stream.update_into(_ZEROS[:size], target[start:])
    drawn = words[:count]
    return drawn if np.little_endian else drawn.byteswap()


class Source(ABC):
    """A sequence of independent uniform 64-bit words.

    `take` hands words out, `give_back` returns those at the end that were not needed, so that the next report starts
    exactly where the last one stopped reading, whether people are perturbed one by one or in bulk.
    """

    @abstractmethod
    def take(self, count: int, scratch: Words | None = None) -> Words:
        """The next `count` words (fewer only at the end of a recording).

        A caller who is done with the words before it takes more may lend a `scratch` array, slightly longer, to hold them.
        """

    def give_back(self, words: Words) -> None:
        """Return unused words, the last ones taken."""

    def word(self) -> int:
        """The next word as an integer."""
        words = self.take(1)
        if len(words) == 0:
            raise SourceError("the recorded words are used up; record more words, or perturb fewer people")
        return int(words[0])

    def split(self, parts: int) -> list[Source] | None:
        """Independent sources for `parts` threads, or None where the order of the words matters."""
        return None


class SecureSource(Source):
    """The operating system's generator; in bulk AES-256-CTR, keyed afresh from it for every draw.

    Safe to share between threads, and across a fork: a child never repeats words that its parent holds.
    """

    _STOCK = 512

    def __init__(self) -> None:
        self._stock: list[int] = []
        self._owner = os.getpid()

    def take(self, count: int, scratch: Words | None = None) -> Words:
        if count <= _FEW_WORDS:
            return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)
        return _draw(_stream(os.urandom(32)), count, scratch)

    def word(self) -> int:
        if self._owner != os.getpid():
            self._stock, self._owner = [], os.getpid()
        try:
            return self._stock.pop()
        except IndexError:
            stock = np.frombuffer(os.urandom(8 * self._STOCK), dtype=np.uint64).tolist()
            word: int = stock.pop()
            self._stock = stock
            return word

    def split(self, parts: int) -> list[Source] | None:
        return [self] * parts

    def __repr__(self) -> str:
        return "SecureSource()"


class _Sequential(Source):
    """A source whose words come in one fixed order."""

    def __init__(self) -> None:
        self._returned: Words = np.empty(0, dtype=np.uint64)

    @abstractmethod
    def _fresh(self, count: int, scratch: Words | None = None) -> Words: ...

    def take(self, count: int, scratch: Words | None = None) -> Words:
        kept = self._returned
        if len(kept) == 0:
            return self._fresh(count, scratch)
        if len(kept) >= count:
            self._returned = kept[count:]
            return kept[:count]
        self._returned = kept[:0]
        return np.concatenate([kept, self._fresh(count - len(kept))])

    def give_back(self, words: Words) -> None:
        self._returned = np.concatenate([words, self._returned]) if len(self._returned) else words.copy()

    def word(self) -> int:
        if len(self._returned) == 0:
            self._returned = self._fresh(512)
        return super().word()


class SeededSource(_Sequential):
    """Reproducible words for simulations: the same seed gives the same words on every platform. Protects nobody.

    >>> SeededSource(7).word() == SeededSource(7).word()
    True
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
            raise SourceError(f"the seed is {seed!r}; a seed is a non-negative integer")
        self.seed = int(seed)
        self._stream = _stream(hashlib.sha256(b"sottovoce seed " + str(self.seed).encode()).digest())

    def _fresh(self, count: int, scratch: Words | None = None) -> Words:
        return _draw(self._stream, count, scratch)

    def __repr__(self) -> str:
        return f"SeededSource({self.seed})"


class ReplaySource(_Sequential):
    """Recorded words, consumed in order; running out is an error.

    >>> ReplaySource([1, 2]).word()
    1
    """

    def __init__(self, words: Iterable[int]) -> None:
        super().__init__()
        recorded: Any = words if isinstance(words, np.ndarray) else list(words)
        try:
            if any(not 0 <= int(word) < 1 << 64 or int(word) != word for word in recorded):
                raise OverflowError
            self._recorded = np.array(recorded, dtype=np.uint64)
        except (OverflowError, ValueError, TypeError):
            raise SourceError("a recorded word is not an integer from 0 to 2^64 - 1; record words as unsigned 64-bit integers") from None
        self._used = 0

    def _fresh(self, count: int, scratch: Words | None = None) -> Words:
        words = self._recorded[self._used : self._used + count]
        self._used += len(words)
        return words

    @property
    def remaining(self) -> int:
        return len(self._recorded) - self._used + len(self._returned)

    def __repr__(self) -> str:
        return f"ReplaySource({self.remaining} words left)"
