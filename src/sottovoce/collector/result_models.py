"""The types of responses with results: estimates and their expected precision."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from sottovoce.collector.models import Count, Model, prepare


class Share(Model):
    """The share of an item, with its interval."""

    item: str
    p: float | None
    low: float | None
    high: float | None
    remark: Annotated[str, Meta(description="A remark to read before the share: can't tell, or maybe zero.")] | UnsetType = UNSET


class ItemShare(Share):
    """The share of an item, with its interval and whether it can be distinguished from zero (left out if that's unknown)."""

    found: bool | UnsetType = UNSET
    name: Annotated[str, Meta(description="What people call the item, if that differs: a place by one near it.")] | UnsetType = UNSET


class FoundItems(Model):
    """How many items can be distinguished from zero."""

    count: Count
    items: Count
    level: Annotated[
        float, Meta(description="The accepted share of false items among those found, or the accepted chance of a single false one.")
    ]
    control: Literal["fdr", "familywise"]
    false: Annotated[float, Meta(description="The largest expected number of false items among those found.")]
    rest: Annotated[float, Meta(description="The total share of the other items.")]
    above_zero: Annotated[Count, Meta(description="The number of other items whose interval excludes zero.")]
    by_chance: Annotated[float | None, Meta(description="How many of those to expect by chance alone.")]
    words: Annotated[str, Meta(description="All of this in sentences. Empty if every item was found.")]


class TagShare(Model):
    """The share of the answers that people marked under a tag, with its interval."""

    tag: str
    p: float | None
    low: float | None
    high: float | None


class FigureOf(Model, kw_only=True, omit_defaults=True):
    """A number that sums up the answers, with its interval."""

    q: Annotated[float, Meta(description="For a quantile: the share of answers up to it.")] | UnsetType = UNSET
    value: float | None
    low: float | None
    high: float | None
    remark: Annotated[str, Meta(description="A remark to read before the number: can't tell.")] | UnsetType = UNSET
    note: Annotated[str, Meta(description="What to know about it, or why there is no such number.")] | UnsetType = UNSET


class UpTo(Model):
    """The share of the answers up to a number, with its interval."""

    value: float
    p: float
    low: float
    high: float


class Estimate(Model, kw_only=True):
    """The estimate of a study."""

    study: str
    fingerprint: str
    n: Count
    people: Count
    method: str
    gap: float | None
    level: float
    simultaneous: Annotated[bool, Meta(description="Whether the intervals hold for all items at once.")]
    items: list[ItemShare]
    margins: Annotated[dict[str, list[Share]], Meta(description="The shares of each axis of a product. The items' shares sum to them.")]
    found: Annotated[FoundItems | None, Meta(description="Which items can be distinguished from zero, if that's known.")]
    headline: Annotated[str, Meta(description="What was found, in a sentence.")]
    claim: Annotated[str, Meta(description="The beginning of the headline: what was found. Its numbers follow.")]
    note: Annotated[str, Meta(description="What the method found, in words.")]
    mean: Annotated[FigureOf, Meta(description="The mean of numbers or a scale.")] | UnsetType = UNSET
    quantiles: Annotated[list[FigureOf], Meta(description="The quartiles of numbers.")] | UnsetType = UNSET
    cumulative: Annotated[list[UpTo], Meta(description="The share of the answers up to some numbers.")] | UnsetType = UNSET
    tags: list[TagShare] | UnsetType = UNSET
    marked: Annotated[str, Meta(description="What to know about the answers that people marked, in sentences.")] | UnsetType = UNSET
    cautions: list[str]


class QuestionEstimate(Model, kw_only=True):
    """The estimate of a question."""

    text: str
    headline: Annotated[str, Meta(description="What was found, in a sentence.")]
    claim: Annotated[str, Meta(description="The beginning of the headline: what was found. Its numbers follow.")]
    asked: Annotated[str, Meta(description="Who was asked, and how many people reported about the question, in words.")]
    whom: Annotated[str, Meta(description="Those who answered, for a phrase: “those who answered “daily” to “Do you smoke?””.")]
    n: Annotated[Count, Meta(description="How many people reported about the question, also if it didn't apply to them.")]
    method: str
    items: Annotated[list[ItemShare], Meta(description="The shares of all people. Those of several choices don't sum to one.")]
    answered: Annotated[list[ItemShare], Meta(description="The shares among those who answered, if some didn't.")] | UnsetType = UNSET
    margins: Annotated[dict[str, list[Share]], Meta(description="The shares of each axis of a product.")] | UnsetType = UNSET
    note: Annotated[str, Meta(description="What the method found, in words.")] | UnsetType = UNSET
    mean: Annotated[FigureOf, Meta(description="The mean of numbers or a scale, of those who answered.")] | UnsetType = UNSET
    quantiles: Annotated[list[FigureOf], Meta(description="The quartiles of numbers.")] | UnsetType = UNSET
    cumulative: Annotated[list[UpTo], Meta(description="The share of the answers up to some numbers.")] | UnsetType = UNSET
    cautions: list[str]


class TogetherEstimate(Model, kw_only=True):
    """The estimate of questions that were asked together."""

    axes: Annotated[dict[str, list[str]], Meta(description="The answers to each question. In the items, the last one changes fastest.")]
    n: Count
    method: str
    items: list[ItemShare]
    within: (
        Annotated[list[Share], Meta(description="For two questions: the shares among those who gave the same answer to the first.")]
        | UnsetType
    ) = UNSET
    cautions: list[str]


class QuestionnaireEstimate(Model, kw_only=True):
    """The estimates of all questions of a questionnaire."""

    study: str
    fingerprint: str
    n: Count
    level: float
    questions: Annotated[dict[str, QuestionEstimate], Meta(description="By the names of the questions, in their order.")]
    together: dict[str, TogetherEstimate] | UnsetType = UNSET
    note: Annotated[str, Meta(description="How the estimates could use more information in the reports.")] | UnsetType = UNSET
    cautions: list[str]


class Point(Model):
    """What to expect with so many people."""

    people: Count
    margin: float
    tv: float


class Widest(Model):
    """An interval that is shown."""

    item: str
    low: float
    high: float


class Outlook(Model):
    """How precise the estimate is, and how many people make it more precise."""

    study: str
    fingerprint: str
    people: Count
    level: float
    margin: Annotated[float | None, Meta(description="The half-width of the widest interval of the estimate, with the people so far.")]
    widest: Annotated[Widest | None, Meta(description="That interval, and what its share is called.")]
    least: Annotated[float | None, Meta(description="The half-width that remains however many people answer.")]
    ranked: Annotated[bool, Meta(description="Whether the intervals put at least one item before another.")]
    tv: Annotated[float | None, Meta(description="The total variation to expect of the unbiased estimate, with the people so far.")]
    target: Annotated[float, Meta(description="The target margin.")]
    needed: Annotated[Count | None, Meta(description="The number of people needed in all.")]
    more: Annotated[Count | None, Meta(description="The number of people still missing.")]
    curve: list[Point]
    note: Annotated[str | None, Meta(description="The assumption behind the numbers, or why there are none.")]


class QuestionOutlook(Model):
    """How precise the estimate of a question is. People are those who answer the questionnaire, of whom some are asked this."""

    text: str
    people: Annotated[Count, Meta(description="The number of people asked so far.")]
    ranges: Annotated[bool, Meta(description="Whether these are shares of ranges of numbers.")]
    answered: Annotated[bool, Meta(description="Whether these are shares among those who answered, because some don't.")]
    mean: Annotated[float | None, Meta(description="The half-width of the interval of the mean, of numbers.")]
    margin: Annotated[float | None, Meta(description="The half-width of the widest interval that is shown.")]
    needed: Annotated[
        Count | None, Meta(description="The number of people needed in all. Unknown if no one has answered questions asked together.")
    ]
    more: Annotated[Count | None, Meta(description="The number of people still missing.")]


class QuestionnaireOutlook(Model):
    """How precise the estimates of a questionnaire are, and how many people make them more precise."""

    study: str
    fingerprint: str
    people: Count
    level: float
    target: Annotated[float, Meta(description="The target margin.")]
    questions: dict[str, QuestionOutlook]


prepare(Model)
