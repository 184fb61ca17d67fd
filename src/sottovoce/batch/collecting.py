"""From files of reports to a tally, in bounded memory and on all cores: inspect the files, plan what to keep of them, count."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sottovoce.batch.collected import Collected
from sottovoce.batch.counting import count
from sottovoce.batch.file_checks import shortened
from sottovoce.batch.inspecting import inspect
from sottovoce.batch.remote_files import RemoteFiles
from sottovoce.batch.retention import Keep, plan_retention, remote_methods
from sottovoce.batch.tally_cache import TallyCache
from sottovoce.progress import Progress
from sottovoce.study import Study


def collect(
    study: Study,
    paths: Sequence[str],
    *,
    method: str | None = None,
    keep: bool | None = None,
    form: str | None = None,
    strict: bool = False,
    parts: str | Path | None = None,
) -> Collected:
    """Count the reports of files, and add up tallies.

    Reports are kept if the likelihood needs them: as `keep` specifies, for a `method` that needs them, or (by default) while they take
    little room. If a method needs more of them than fit, they stay in their Parquet files, and each pass reads them again. Parquet files
    are counted on all cores. If you name a folder for `parts`, the tally of each file is stored there, and a file isn't counted twice.
    """
    with Progress("counting reports") as bar:
        inspected = inspect(study, paths, form, lambda note: bar.at(0.0, note))
        retention = plan_retention(
            study,
            method,
            keep=keep,
            report_bytes=inspected.report_bytes,
            remote=remote_methods() if inspected.indexed and method is not None else (),
        )
        cache = None if parts is None or retention.keep is Keep.REMOTE else TallyCache(parts, study, keep=retention.keep is Keep.REPORTS)
        found, files = count(study, inspected, retention, bar, form=form, strict=strict, cache=cache)
    if retention.keep is Keep.REMOTE:
        remote = RemoteFiles(study, files, [block.name for block in found.tally.blocks if not block.sufficient])
        found.tally = found.tally.with_remote(dict.fromkeys(remote.others, remote))
    found.cautions = [*found.left_out.cautions, *shortened(found.cautions)]
    return found
