from __future__ import annotations

from hypothesis import settings

settings.register_profile("sottovoce", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("sottovoce")
