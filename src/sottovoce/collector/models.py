"""The types of requests and responses. The OpenAPI document is generated from them. `result_models` has those of results."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from sottovoce.findings.precision import TARGET
from sottovoce.wire import Body

Count = Annotated[int, Meta(ge=0)]
State = Literal["open", "closed"]
Respondents = Literal["open", "tickets"]
#: A compiled study is handed on as it was sent.
CompiledStudy = Annotated[dict[str, Any], Meta(description="A compiled study, as spec/study.schema.json describes it.")]


class Model(Struct, forbid_unknown_fields=True):
    """Something that travels as JSON."""


class Report(Body):
    """One report as it travels."""

    study: Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="The fingerprint of the study.")]
    id: Annotated[str, Meta(pattern="^[0-9a-f]{32}$", description="128 random bits from the device. A retry sends the same.")]
    report: Annotated[Count | str, Meta(description="A code, or the bytes of a record in base64.")]
    level: Annotated[str, Meta(description="The level that the respondent chose, if the study has levels.")] = ""


class Receipt(Model):
    """How many of the reports are newly counted, and how many were already counted."""

    accepted: Count
    repeated: Count


class Problem(Struct, kw_only=True):
    """Why a request was refused (RFC 9457), or what a kind of problem means. Some kinds have more members."""

    type: str
    title: str
    status: int
    detail: str | UnsetType = UNSET
    remedy: str


class StudyState(Model):
    """A study in short."""

    name: str
    fingerprint: str
    state: State
    respondents: Respondents
    listed: Annotated[bool, Meta(description="Whether the home page lists the study.")]


class ListedStudy(StudyState):
    """A study in short, with its question."""

    question: str


class Studies(Model):
    """Studies of a collector."""

    studies: list[ListedStudy]


class Health(Model):
    """The collector is running or, at /ready, can write reports."""

    status: Literal["ok"]


class Change(Model):
    """The changes to a study."""

    state: State | None = None
    respondents: Respondents | None = None
    listed: bool | None = None


class TicketCount(Model):
    """How many tickets to issue."""

    count: Annotated[int, Meta(ge=1, le=10_000)]


class TicketList(Model):
    """New tickets. They are shown once."""

    tickets: list[str]


class Deleted(Model):
    """The name of the deleted study."""

    deleted: str


class Block(Model):
    """The counts of the reports of one level."""

    level: str
    n: Count
    counts: list[Count]


class Method(Model):
    """A method of estimation that works for a study."""

    method: str
    about: str


class Part(Model):
    """What a form asks through one mechanism, and the counts of the reports about it."""

    questions: Annotated[list[str], Meta(description="Questions, or boxes of several choices.")]
    counts: list[Count]


class Form(Model):
    """The counts of the reports of one form of a questionnaire."""

    form: str
    n: Count
    parts: list[Part]


class Tally(Model):
    """The counts of a study's reports. Those of a questionnaire are also listed by form."""

    study: str
    fingerprint: str
    n: Count
    blocks: list[Block]
    methods: list[Method]
    forms: list[Form] | UnsetType = UNSET


class Recount(Model):
    """The tally of a study compared with its reports."""

    study: str
    holds: bool
    reports: Count
    identifiers: Count
    wrong: list[str]


class AuditEntry(Model):
    """An action of an administrator."""

    actor: str
    action: str
    study: str
    detail: str
    at: str


class Audit(Model):
    """The actions of administrators, latest first."""

    audit: list[AuditEntry]


#: A number between 0 and 1 in a query; `what` it is stands in the message about another one.
Level = Annotated[float, Meta(gt=0, lt=1, description="The level of the intervals.", extra={"what": "the level of an interval"})]
Target = Annotated[
    float,
    Meta(
        gt=0,
        lt=1,
        description="The target margin. A half-width of 0.01 is one percentage point.",
        extra={"what": "the half-width of an interval"},
    ),
]


class StudiesQuery(Model):
    """Which studies to list."""

    name: Annotated[str, Meta(description="The name of a study, which is listed even if it doesn't ask for it.")] = ""


#: As for files, unless there are many reports.
MethodName = (
    Annotated[str, Meta(description="The estimation method. By default mle, or projected if there are too many reports to read them all.")]
    | UnsetType
)


class EstimateQuery(Model):
    """How to estimate."""

    method: MethodName = UNSET
    level: Level = 0.95
    simultaneous: Annotated[bool, Meta(description="Make the intervals hold for all items at once, not only for each one.")] = False


class OutlookQuery(Model):
    """The target precision, and how the estimate is made whose intervals count."""

    method: MethodName = UNSET
    level: Level = 0.95
    target: Target = TARGET


class NewStudyQuery(Model):
    """How to add a study."""

    respondents: Annotated[str, Meta(description="Who may answer.", extra_json_schema={"enum": ["open", "tickets"]})] = "open"


def prepare(kind: type[Struct]) -> None:
    """Make msgspec analyse a type and those derived from it, now and in one thread.

    It usually does so when a type is first used, and two threads that do this at once crash the process.
    """
    msgspec.json.Decoder(kind)
    for each in kind.__subclasses__():
        prepare(each)


for _kind in (Model, Problem, Report):
    prepare(_kind)
