"""Parts of the pages that explain a study, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sottovoce.findings.formatting import counted
from sottovoce.findings.guarantee import Guarantee, guarantees_of
from sottovoce.findings.limits import has_open_answers
from sottovoce.findings.protection import always_sent_in, protection_of
from sottovoce.notions.beliefs import LITTLE
from sottovoce.study import Study

#: The study in commands, unless the page knows its file.
FILE = "study.toml"
#: What most guarantees with sensitive answers leave open.
#: How chance protects people, and why a report isn't proof.
_CHANCE, _OTHERS = "Each device draws by chance what it sends (local privacy).", ", because devices with other answers send it too"
#: What reports reveal to those who know that people can mark answers.
UNMARKED = "A report that reveals an answer also reveals that you haven’t marked it."
#: What 1 in 100 becomes when 50 in 100 becomes more than 90: no one would say that no one can be sure then.
STRONG = 8.0
OPEN = "Answers that aren’t protected may be sent as they are."


def guarantees(study: Study, *, to_respondents: bool = False) -> list[str]:
    """The guarantee of each level, in sentences."""
    found = guarantees_of(study, to_respondents=to_respondents)
    return [(f"**Level “{each.tier}”.** " if each.tier else "") + " ".join(each.sentences) for each in found]


def protected(study: Study, head: Sequence[str]) -> str:
    """A table of what is protected in each question, what may be shown as it is, and how often."""
    rows = []
    for each in protection_of(study):
        hidden = f"{each.protected} (always sent, and by devices with other answers {each.by_others})" if each.always else each.protected
        rows.append((f"“{each.question}”", *(cell or "–" for cell in (hidden, each.shown, each.often))))
    return table(head, rows)


def proof(study: Study, report: str, why: str) -> str:
    """What a report that names an answer means, at the level that protects least. A weak guarantee leaves little doubt."""
    most = most_of(guarantees_of(study))
    if most > LITTLE:
        return f"{report} can still show almost for certain that someone gave it, because the guarantee is weak."
    return f"{report} isn’t proof{why}.{' It can still make a suspicion strong.' * (most > STRONG)}"


def drawn(study: Study) -> str:
    """How chance protects people, which is not the same for every answer."""
    bare = [level for level, promise in study.promises.items() if promise is None]
    except_at = f"None of this is true at the level “{bare[0]}”, which hides nothing. " if bare else ""
    if not has_open_answers(study):
        return f"{_CHANCE} {proof(study, 'A report that names an answer', _OTHERS)} {except_at}"
    if not (lone := always_sent_in(study)):
        return f"{_CHANCE} {proof(study, 'A report that names a protected answer', _OTHERS)} {OPEN} {except_at}"
    about = ", if its report is about the question" * study.of_several_questions
    which, often = lone[0], next(each.by_others for each in protection_of(study) if each.always)
    if len(lone) > 1:
        which, about, often = "one of these", f"{about}: {listed(lone, 'or')}", "too, as often as the table above shows"
    return (
        f"**A device with {which} always sends it{about}.** Devices with other answers send it {often}, and only this protects it "
        f"(local privacy). {proof(study, 'So a report that names it', '')} {OPEN} {except_at}"
    )


def most_of(found: Sequence[Guarantee]) -> float:
    """What 1 in 100 becomes at most, at the level that protects least. Levels that hide nothing are left out."""
    return max((each.after for each in found if each.after is not None), default=0.0)


def marks_of(study: Study) -> str:
    """What a person's own marks send, and what stays on the device."""
    if not study.tags:
        return ""
    return (
        f"If you marked your answer, your device reports the name of the mark, such as “{study.tags[0]}”, and protects it like a sensitive "
        "answer. Which answers you marked stays on your device."
    )


def minimum(study: Study) -> str:
    return (
        f"Analysts see no results before there are {counted(study.minimum, 'report', 'reports')}. "
        "Administrators of the collector and everyone with its files can read reports at any time."
    )


def listed(names: Sequence[str], word: str = "and") -> str:
    *before, last = names
    return f"{', '.join(before)} {word} {last}" if before else last


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
