"""Parts of the pages that explain a study, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sottovoce.findings.formatting import counted
from sottovoce.findings.guarantee import guarantees_of
from sottovoce.findings.protection import protection_of
from sottovoce.study import Study

#: The study in commands, unless the page knows its file.
FILE = "study.toml"
#: What most guarantees with sensitive answers leave open.
OPEN = "Answers that aren’t protected may be sent as they are."


def guarantees(study: Study, *, to_respondents: bool = False) -> list[str]:
    """The guarantee of each level, in sentences."""
    found = guarantees_of(study, to_respondents=to_respondents)
    return [(f"**Level “{each.tier}”.** " if each.tier else "") + " ".join(each.sentences) for each in found]


def protected(study: Study, head: Sequence[str]) -> str:
    """A table of what is protected in each question, what may be shown as it is, and how often."""
    rows = []
    for each in protection_of(study):
        hidden = f"{each.protected} (always sent, and by others too)" if each.always else each.protected
        rows.append((f"“{each.question}”", *(cell or "–" for cell in (hidden, each.shown, each.often))))
    return table(head, rows)


def always_sent_in(study: Study) -> list[str]:
    """The protected answers that devices always send, since chance has no other to mix them up with: of each question at most one."""
    found = [each for each in protection_of(study) if each.always]
    if study.of_several_questions:
        return [f"the answer {each.always} to “{each.question}”" for each in found]
    return [f"the {'mark' if study.tags else 'answer'} {each.always}" for each in found]


def minimum(study: Study) -> str:
    return (
        f"Analysts see no results before there are {counted(study.minimum, 'report', 'reports')}. "
        "Administrators of the collector and everyone with its files can read reports at any time."
    )


def listed(names: Sequence[str]) -> str:
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: bool = False) -> str:
    """A Markdown table, without a column for levels if people choose none."""
    lines = [tuple(cell.replace("|", "\\|") for cell in row) for row in rows]
    kept = [place for place, name in enumerate(head) if name != "level" or any(line[place] for line in lines)]
    rule = ["---:" if right and head[k] not in {"level", "question"} else "---" for k in kept]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in ([head[k] for k in kept], rule, *([line[k] for k in kept] for line in lines)))


def joined(parts: Sequence[str]) -> str:
    return "\n\n".join(parts) + "\n"
