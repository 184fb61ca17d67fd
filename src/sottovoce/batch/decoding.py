"""Read text of any encoding as UTF-8."""

from __future__ import annotations

import codecs
import io
from typing import Any

from sottovoce.errors import ParameterError

_STEP = 1 << 16


class Decoded(io.RawIOBase):
    """A stream of bytes in another encoding."""

    def __init__(self, file: Any, encoding: str, name: str) -> None:
        try:
            "a".encode(encoding).decode(encoding)
            self._decoder = codecs.getincrementaldecoder(encoding)()
        except (LookupError, UnicodeError):
            raise ParameterError(f"Unknown encoding {encoding!r}. Try latin-1, cp1252 or utf-16.") from None
        self._file, self._encoding, self._name, self._rest = file, encoding, name, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        more = True
        while not self._rest and more:
            data = self._file.read1(_STEP)
            more = bool(data)
            try:
                self._rest = self._decoder.decode(data, final=not data).encode("utf-8", "surrogatepass")
            except UnicodeDecodeError as error:
                raise ParameterError(f"{self._name} isn't {self._encoding} ({error.reason}). Name its encoding with --encoding.") from None
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count
