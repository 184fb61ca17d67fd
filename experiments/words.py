"""What charts call columns, files and series."""

from __future__ import annotations

#: The titles of legends, by column.
_HEADS = {
    "mechanism": "Mechanism",
    "method": "Estimator",
    "winner": "Estimator",
    "estimate": "Read as",
    "correlation": "Correlation",
    "ε": "Budget",
}
#: The data files by what they contain, and short forms that only the code needs.
_WORDS = {
    "₁": "1",  # few fonts have it
    "peopleflow_1998_printed.csv": "people flow 1998, as printed",
    "peopleflow_sns_tokyo.csv": "people flow, Tokyo",
    "gowalla_world_415.csv": "check-ins worldwide (Gowalla)",
    "census_income_kdd_400.csv": "census, 400 groups",
    "census_income_kdd_12800.csv": "census, 12,800 groups",
    "foursquare_nyc_manhattan.csv": "Manhattan (Foursquare)",
}


def headed(column: str) -> str:
    """The title of the legend of a column."""
    return _HEADS.get(column, column.capitalize())


def in_words(text: str) -> str:
    """A title without names of files.

    >>> in_words("foursquare_nyc_manhattan.csv · emp")
    'Manhattan (Foursquare) · emp'
    """
    for file, words in _WORDS.items():
        text = text.replace(file, words)
    return text
