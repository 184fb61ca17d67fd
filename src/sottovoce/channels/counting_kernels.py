"""Counting loops for reports that are numbers: one pass, with memory bounded by the number of counts."""

from __future__ import annotations

from sottovoce.loops import loop


@loop(lambda codes, tables: len(codes) // 4)
def count_codes(codes, tables):
    """Count codes in four alternating tables, so that equal neighbours don't wait for each other."""
    whole = len(codes) >> 2 << 2
    for i in range(0, whole, 4):
        tables[0, codes[i]] += 1
        tables[1, codes[i + 1]] += 1
        tables[2, codes[i + 2]] += 1
        tables[3, codes[i + 3]] += 1
    for i in range(whole, len(codes)):
        tables[0, codes[i]] += 1


@loop(lambda codes, table: len(codes) // 4)
def count_many_codes(codes, table):
    """Count codes of a wide range. Equal neighbours are rare, and one table stays in the cache better than four."""
    for i in range(len(codes)):
        table[codes[i]] += 1
