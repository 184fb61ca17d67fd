"""What is computed from a study's reports at one moment: once for all responses about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sottovoce import estimators
from sottovoce.catalogue import METHODS
from sottovoce.collector import questionnaires
from sottovoce.collector.estimating import Estimates
from sottovoce.errors import UnsupportedError
from sottovoce.findings.questionnaire import QuestionnaireFindings
from sottovoce.findings.results import Findings
from sottovoce.store import Entry, Store
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.tallies import Tally

#: Bytes of reports up to which they are read without being asked to, so that the numbers are those of the same reports in files.
FEW = 16 << 20
_TOTALS = "The estimate uses the totals of the reports. Maximum likelihood (method 'mle') uses more information, and takes longer."


@dataclass(frozen=True)
class Analysis:
    """The counts of a study with a hash of them (`state`), and its reports if they take at most `most` bytes."""

    store: Store
    entry: Entry
    found: Tally
    state: bytes
    most: int
    estimates: Estimates

    @property
    def room(self) -> int:
        """The bytes of all reports."""
        sizes = {name: each.channel.reports_from_bytes(b"").records().shape[1] for name, each in self.entry.study.blocks.items()}
        return sum(block.n * sizes[block.name] for block in self.found.blocks)

    @property
    def methods(self) -> list[str]:
        """The methods that work: those that the counts support, and those that can read the reports again."""
        reread = self.room <= self.most
        prior = all(promise is not None and promise.prior is not None for promise in self.entry.study.promises.values())
        return [
            name
            for name in estimators.METHODS
            if (self._supports(name) or (METHODS[name].needs_reports and reread)) and (name != "mmse" or prior)
        ]

    def shows(self, method: str | None) -> bool:
        """Whether there are results to show."""
        works = method is not None or self._reads(None) or self._supports("mle") or self._supports("projected")
        return works and 0 < self.found.n >= self.entry.study.minimum

    def note(self, method: str | None) -> str:
        """What to know about an estimate without a method, if the reports are too many to be read."""
        return _TOTALS if method is None and self.found.n and not (self._supports("mle") or self._reads(None)) else ""

    def estimate(self, method: str | None) -> estimators.Estimate:
        """The estimate of a study with one question."""
        return self._shared(("estimate", method), lambda: estimators.estimate(self._tally(method), method))

    def findings(self, method: str | None, level: float, *, simultaneous: bool = False) -> Findings:
        """The findings of a study with one question."""
        make = partial(Findings.of, self.entry.study, level=level, simultaneous=simultaneous)
        return self._shared(("findings", method, level, simultaneous), lambda: make(self.estimate(method)))

    def questions(self, method: str | None, level: float) -> QuestionnaireFindings:
        """The findings of a questionnaire."""
        study = self.entry.study
        assert isinstance(study, Questionnaire)
        return self._shared(
            ("findings", method, level), lambda: QuestionnaireFindings.of(study, self._tally(method), method=method, level=level)
        )

    def without(self) -> Analysis:
        """The analysis before anyone has answered, which reveals nothing about the answers."""
        return replace(self, found=Tally(self.entry.study.mechanism), state=b"")

    def _shared(self, key: tuple[Any, ...], make: Any) -> Any:
        return self.estimates.shared((self.entry.key, self.entry.fingerprint, self.state, *key), make)

    def _supports(self, method: str) -> bool:
        return questionnaires.supports(self.entry.study, self.found, method)

    def _reads(self, method: str | None) -> bool:
        """Whether a method reads the reports. Without one that's so if they are few, as for files."""
        if not self.found.n or self._supports(method or "mle"):
            return False
        return self.room <= min(self.most, FEW) if method is None else METHODS[method].needs_reports

    def _tally(self, method: str | None) -> Tally:
        if not self._reads(method):
            return self.found
        if self.room > self.most:
            raise UnsupportedError(
                f"This method reads all reports ({self.room:,} bytes), more than the limit of {self.most:,} bytes (reread_bytes). "
                "Export the reports and run: sottovoce estimate study.json reports.parquet"
            )
        return self.store.tally(self.entry, keep_reports=True)
