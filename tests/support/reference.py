"""spec/sampling.md in plain Python, apart from the compiled loops: slow, simple, and what other languages must do."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

ONE = 1 << 64
Words = Iterator[int]


def below(bound: int, words: Words) -> int:
    while True:
        word = next(words)
        if word - word % bound <= ONE - bound:
            return word % bound


def direct(truth: int, noise: list[int], own: int, words: Words) -> int:
    word, running = next(words), 0
    for item, share in enumerate(noise):
        running += share
        if word < running:
            return item
    return own


def unary(thresholds: list[int], words: Words) -> list[int]:
    chosen = []
    for start in range(0, len(thresholds), 64):
        group = {j: thresholds[j] for j in range(start, min(start + 64, len(thresholds))) if thresholds[j]}
        for level in range(64):
            if not group:
                break
            word = next(words)
            for j, threshold in list(group.items()):
                bit, wanted = word >> (j - start) & 1, threshold >> (63 - level) & 1
                if bit != wanted:
                    del group[j]
                    if wanted:
                        chosen.append(j)
    return sorted(chosen)


def selection(count: int, wanted: int, words: Words) -> set[int]:
    chosen: set[int] = set()
    for j in range(count - wanted, count):
        t = below(j + 1, words)
        chosen.add(j if t in chosen else t)
    return chosen


def column(row: int, index: int, odd: int) -> int:
    bit = row & -row
    found = (index // bit) * 2 * bit + index % bit
    return found if bin(found & row).count("1") % 2 == odd else found + bit


def bucket(seed: int, item: int, g: int) -> int:
    return ((seed >> 31) * item + (seed & (2**31 - 1))) % (2**31 - 1) * g >> 31


def integers(form: dict[str, Any], name: str) -> list[int]:
    return [int(text) for text in form[name]]


def report(form: dict[str, Any], item: int, words: Words) -> Any:
    """The report of an item under the channel's JSON form, as a plain value."""
    match form["kind"]:
        case "direct":
            return direct(int(form["truth"]), integers(form, "noise"), item, words)
        case "unary":
            present, absent = integers(form, "present"), integers(form, "absent")
            return unary([present[j] if j == item else absent[j] for j in range(len(present))], words)
        case "subset":
            count, size = form["items"], form["chosen"]
            inside = next(words) < int(form["include"]) or size == count
            others = selection(count - 1, size - 1 if inside else size, words)
            return sorted([item] * inside + [j + (j >= item) for j in others])
        case "capped":
            return capped(form, item, words)
        case "hadamard":
            return hadamard(form, item, words)
        case "hashed":
            noise = integers(form, "noise")
            seed = next(words) % 2**62
            return seed, direct(int(form["truth"]), noise, bucket(seed, item, len(noise)), words)
        case "hash-tables":
            chosen = next(words) % len(form["tables"])
            table = form["tables"][chosen]
            return chosen, direct(int(table["truth"]), integers(table, "noise"), bucket(int(table["seed"]), item, form["buckets"]), words)
        case "matrix":
            return direct(0, [int(text) for text in form["rows"][item]], -1, words)
        case "window":
            return window(form, item, words)
        case "lifted":
            return lifted(form, item, words)
        case "mixed":
            return report(form["parts"][0 if next(words) < int(form["share"]) else 1], item, words)
    raise AssertionError(form["kind"])


def hadamard(form: dict[str, Any], item: int, words: Words) -> int:
    block, length = form["block"], form["block"] * form["blocks"]
    home, row = item // (block - 1), 1 + item % (block - 1)
    if next(words) < int(form["include"]):
        return home * block + column(row, below(block // 2, words), 0)
    index = below(length - block // 2, words)
    if index < block // 2:
        return home * block + column(row, index, 1)
    index -= block // 2
    return index if index < home * block else index + block


def capped(form: dict[str, Any], item: int, words: Words) -> list[int]:
    """The item is the place of the set among all sets, by size and then by their last boxes, with the marks at the end."""
    boxes, marks, cap, chosen = (form[name] for name in ("boxes", "marks", "cap", "chosen"))
    sets = [each for size in range(cap + 1) for each in sorted(combinations(range(boxes), size), key=lambda each: each[::-1])]
    mine = [*(sets + [(boxes + mark,) for mark in range(marks)])[item]]
    mine += [boxes + marks + dummy for dummy in range(cap - len(mine))]
    if next(words) >= int(form["include"]):
        others = [place for place in range(boxes + marks + cap) if place not in mine]
        return sorted(others[j] for j in selection(len(others), chosen, words))
    while True:
        first = mine[below(cap, words)]
        found = [first, *(j + (j >= first) for j in selection(boxes + marks + cap - 1, chosen - 1, words))]
        shared = sum(place in mine for place in found)
        if shared == 1 or below(shared, words) == 0:
            return sorted(found)


def window(form: dict[str, Any], item: int, words: Words) -> int:
    noise, gain = integers(form, "noise"), int(form["gain"])
    sensitive = form.get("sensitive", range(len(noise) - 2 * form["half"]))
    word = next(words)
    if item in sensitive:
        near = (word - sum(noise)) // gain + sensitive.index(item)
        return direct(0, noise, near, iter([word]))
    free = [other for other in range(form["items"]) if other not in sensitive]
    return direct(0, integers(form, "kept"), len(noise) + free.index(item), iter([word]))


def lifted(form: dict[str, Any], item: int, words: Words) -> Any:
    base, sensitive = form["base"], form["sensitive"]
    if item in sensitive:
        inner = report(base, sensitive.index(item), words)
        return [sensitive[j] for j in inner] if isinstance(inner, list) else inner
    drawn, filled, shown = neutral(base, words)
    if next(words) < int(form["keep" if filled else "keep_empty"]):
        return [sensitive[j] for j in drawn] if isinstance(drawn, list) else drawn
    return shown(item)


def neutral(base: dict[str, Any], words: Words) -> Any:
    """A draw of the base that depends on no item, whether it stands for some item, and how an item is shown instead."""
    match base["kind"]:
        case "unary":
            drawn = unary(integers(base, "absent"), words)
            return drawn, bool(drawn), lambda x: [x]
        case "subset":
            return sorted(selection(base["items"], base["chosen"], words)), True, lambda x: [x]
        case "hadamard":
            block, length = base["block"], base["block"] * base["blocks"]
            y = below(length, words)
            rows = [1 + j % (block - 1) for j in range(base["items"]) if j // (block - 1) == y // block]
            return y, any(bin(row & y % block).count("1") % 2 == 0 for row in rows), lambda x: length + x
        case "hashed":
            g = len(base["noise"])
            seed = next(words) % 2**62
            y = below(g, words)
            return (seed, y), any(bucket(seed, j, g) == y for j in range(base["items"])), lambda x: (0, g + x)
    raise AssertionError(base["kind"])
