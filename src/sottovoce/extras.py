"""What is installed on demand, and where the pages are that commands refer to."""

from __future__ import annotations

import re
import sys

REPOSITORY = "https://github.com/sottovoce/sottovoce"
#: The documentation site, with a folder for each version. The package contains no pages, so commands link to them there.
SITE = "https://sottovoce.github.io/sottovoce/"


def page(name: str) -> str:
    """The URL of a page of the documentation.

    >>> page("estimates.md")
    'https://sottovoce.github.io/sottovoce/stable/estimates.html'
    """
    return f"{SITE}stable/{name.removesuffix('.md')}.html"


def install(extra: str) -> str:
    """The command that installs what an extra needs. It names the packages, so it works however sottovoce was installed.

    >>> install("postgres")
    "pip install 'psycopg[binary]>=3.2'"
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        listed = requires("sottovoce") or []
    except PackageNotFoundError:  # the sources are on the path, and nothing is installed
        return f"pip install '.[{extra}]'"
    found = []
    for line in listed:
        requirement, _, marker = line.partition(";")
        if re.search(rf"extra == ['\"]{extra}['\"]", marker) and not ("win32" in marker and sys.platform == "win32"):
            found.append(f"'{requirement.strip()}'")
    return f"pip install {' '.join(found)}"
