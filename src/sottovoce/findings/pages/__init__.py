"""Findings as self-contained HTML pages. They need the extra `plot`."""
