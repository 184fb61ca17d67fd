"""Shares as the dashboard writes them, from what the collector tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sottovoce.findings.formatting import digits_of, ends_text, share_text

if TYPE_CHECKING:
    from playwright.sync_api import Page

#: Rows from which on the digits are those of the largest found.
_MOST = 40


def digits_for(items: Sequence[dict[str, Any]]) -> int:
    """The digits that all shares of a table have."""
    drawn = list(items)
    if len(items) > _MOST:
        drawn = sorted((each for each in items if each.get("found") is not False), key=lambda each: -each["p"])[:_MOST] or drawn
    return digits_of(each["high"] - each["low"] for each in drawn)


def largest_first(items: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items in the order of a table: by their shares, as numbers and scales aren't."""
    return sorted(items, key=lambda each: -each["p"])


def written(items: Sequence[dict[str, Any]], digits: int | None = None) -> list[list[str]]:
    """The rows of a table: the answer, its share, and the ends of its interval."""
    many = digits_for(items) if digits is None else digits
    return [[each.get("name", each["item"]), _share(each, many), ends_text(each["low"], each["high"], many)] for each in items]


def _share(item: dict[str, Any], digits: int) -> str:
    return "can’t tell" if item["high"] - item["low"] > 0.5 else share_text(item["p"], digits, item["low"])


def rows(page: Page, table: str = "#shares") -> list[list[str]]:
    """The rows of a table on the page, without what is drawn in them."""
    script = "rows => rows.map(row => [...row.cells].filter(cell => !cell.matches('.plot')).map(cell => cell.firstChild.textContent))"
    return list(page.eval_on_selector_all(f"{table} tbody tr", script))


def marks(page: Page, table: str = "#shares") -> list[dict[str, float | None]]:
    """Where each row draws its interval and its estimate, in percent of the width. None: there is no such mark."""
    script = """rows => rows.map(row => {
        const at = (selector, name) => {
            const mark = row.querySelector(selector);
            return mark.getAttribute('visibility') === 'hidden' ? null : parseFloat(mark.getAttribute(name));
        };
        return {low: at('.interval', 'x1'), high: at('.interval', 'x2'), p: at('.estimate', 'cx')};
    })"""
    return list(page.eval_on_selector_all(f"{table} tbody tr", script))
