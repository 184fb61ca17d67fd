"""What people ask of a plan: shares within so many points, and rare items that are found. The promises hold in simulations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

import sottovoce as sv
from messages import refused
from sottovoce.estimators.inversion import inversion_of
from sottovoce.findings import plan_chart
from sottovoce.special import normal_quantile
from sottovoce.utility import Option
from sottovoce.utility.finding import Find
from sottovoce.utility.moments import group_moments, item_moments

DOMAIN = sv.Domain.product(sex=["f", "m"], age=["young", "middle", "old"])
SOME = [("f", "young"), ("f", "old")]
#: Promises over six items, one for each family of mechanisms.
PROMISES: dict[str, dict[str, Any]] = {
    "ldp": {"epsilon": 1.0},
    "weak": {"epsilon": 4.0},
    "uldp": {"epsilon": 1.0, "sensitive": SOME},
    "ipldp": {"budgets": {SOME[0]: 0.5, SOME[1]: 1.5}},
    "minid": {"budgets": {item: 0.5 + k % 3 for k, item in enumerate(DOMAIN)}},
}
GOALS: dict[str, dict[str, Any]] = {
    "item": {"item": SOME[0]},
    "group": {"group": [*SOME, ("m", "old")]},
    "margin": {"margin": "age"},
    "every": {},
}


def groups_of(goal: dict[str, Any]) -> NDArray[np.bool_]:
    """The items that each share of a goal is the sum of, written down once more."""
    items: list[Any] = list(DOMAIN)
    if "margin" in goal:
        return np.array([[age == each for _, age in items] for each in ("young", "middle", "old")])
    chosen = [[goal["item"]]] if "item" in goal else [goal["group"]] if "group" in goal else [[item] for item in items]
    return np.array([[item in group for item in items] for group in chosen])


def square(mechanism: sv.Mechanism, group: NDArray[np.bool_], p: Any) -> float:
    """The mean square of what a report adds to the estimate of a group's share, from all second moments."""
    inversion = inversion_of(mechanism.channel)
    if group.sum() == 1:
        return float(inversion.readings.moment(inversion.occurrences(inversion.expected(p)), 2)[group][0])
    pull = shared(mechanism, group)
    read = group - pull
    return float(read @ inversion.second_moments(p) @ read + 2 * pull * (read @ p) + pull**2)


def shared(mechanism: sv.Mechanism, group: NDArray[np.bool_]) -> float:
    """The part of what all readings miss to 1 that is taken from a group: its covariance with their sum, at equal shares."""
    even = np.full(len(group), 1 / len(group))
    covariance = inversion_of(mechanism.channel).second_moments(even) - np.outer(even, even)
    total = float(covariance.sum())
    return float(group @ covariance.sum(axis=1)) / total if group.sum() > 1 and total > 1e-9 else 0.0


def summed(found: sv.Plan, goal: str) -> list[Option]:
    """The options whose sums have a second formula: those of hashed reports are averages over hash functions."""
    return [option for option in found.options if option.name != "olh" or goal in {"item", "every"}]


def variance(mechanism: sv.Mechanism, group: NDArray[np.bool_], p: Any) -> float:
    """n times the variance of the unbiased estimate of a group's share."""
    return square(mechanism, group, p) - float(p @ group) ** 2


def hardest(mechanism: sv.Mechanism, groups: NDArray[np.bool_], at_most: float = 1.0) -> tuple[float, Any, NDArray[np.bool_]]:
    """The largest variance of any of the shares over populations of a member and another item, tried one by one; and where it is."""
    best: tuple[float, Any, NDArray[np.bool_]] = (-1.0, None, groups[0])
    shares = np.linspace(0, at_most, 1001)
    for group in groups:
        squares = [square(mechanism, group, each) for each in np.eye(len(group))]
        for member in np.flatnonzero(group):
            for other in np.flatnonzero(~group):
                found = shares * squares[member] + (1 - shares) * squares[other] - shares**2
                if found.max() > best[0]:
                    p = np.zeros(len(group))
                    p[[member, other]] = (share := shares[np.argmax(found)]), 1 - share
                    best = float(found.max()), p, group
    assert best[0] == pytest.approx(variance(mechanism, best[2], best[1]))
    return best


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("promise", PROMISES)
def test_shares_are_within_what_was_asked(promise: str, goal: str) -> None:
    """At the people that a plan gives, the population that is hardest of all those tried stays within ± 5 points in 95 % of the studies."""
    groups = groups_of(GOALS[goal])
    found = sv.plan(DOMAIN, within=0.05, **PROMISES[promise], **GOALS[goal])
    for place, option in enumerate(summed(found, goal)):
        worst, p, group = hardest(option.mechanism, groups)
        assert option.people is not None
        assert option.people == pytest.approx(worst * (1.959964 / 0.05) ** 2, rel=1e-3, abs=1)
        if place == 0:
            inversion, n = inversion_of(option.mechanism.channel), option.people
            counts = (sv.Tally.simulate(option.mechanism, p, n, sv.SeededSource(seed)).blocks[0].counts for seed in range(400))
            means, pull = [inversion.linear(each / n, n).p for each in counts], shared(option.mechanism, group)
            hits = [abs(mean @ group - pull * (mean.sum() - 1) - p @ group) <= 0.05 for mean in means]
            assert np.mean(hits) == pytest.approx(0.95, abs=0.065)  # six standard errors of 400 studies


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("promise", PROMISES)
def test_a_population_is_taken_as_it_is(promise: str, goal: str) -> None:
    p = np.random.default_rng(5).dirichlet(np.ones(6))
    found = sv.plan(DOMAIN, n=1000, p=p, **PROMISES[promise], **(GOALS[goal] or {"within": 0.01}))
    assert "for this population" in found.reason
    for option in summed(found, goal):
        widest = max(variance(option.mechanism, group, p) for group in groups_of(GOALS[goal]))
        assert option.half_width == pytest.approx(1.959964 * np.sqrt(widest / 1000), rel=1e-6)


@pytest.mark.parametrize("goal", GOALS)
def test_shares_can_be_bounded(goal: str) -> None:
    found = sv.plan(DOMAIN, 2.0, within=0.02, at_most=0.1, **GOALS[goal])
    for option in summed(found, goal):
        worst, _, _ = hardest(option.mechanism, groups_of(GOALS[goal]), 0.1)
        assert option.people == pytest.approx(worst * (1.959964 / 0.02) ** 2, rel=1e-3, abs=1)
    assert "up to 10%" in found.reason
    assert found.to_dict()["at_most"] == 0.1


@pytest.mark.parametrize("goal", [{"item": SOME[1]}, {"margin": "sex"}, {"group": [SOME[0], ("m", "old")]}])
def test_intervals_are_as_wide_as_planned(goal: dict[str, Any]) -> None:
    """The intervals that an estimate really has, which solve another equation, at the people that were planned."""
    p = np.array([0.05, 0.1, 0.25, 0.3, 0.2, 0.1])
    found = sv.plan(DOMAIN, 1.0, within=0.03, p=p, **goal)
    for option in found.options:
        assert option.people is not None
        tallies = (sv.Tally.simulate(option.mechanism, p, option.people, sv.SeededSource(seed)) for seed in range(30))
        made = [sv.estimate(tally, "inversion") for tally in tallies]
        groups = [np.array([item[0] == sex for item in DOMAIN]) for sex in "fm"]  # type: ignore[index]
        if "group" in goal:
            groups = [np.array([item in goal["group"] for item in DOMAIN])]
        code = DOMAIN.code(SOME[1])
        intervals = [each.interval(0.95) if "item" in goal else each.group_interval(groups, 0.95) for each in made]
        widths = [(high - low)[code] if "item" in goal else (high - low).max() for low, high in intervals]
        assert np.mean(widths) / 2 == pytest.approx(0.03, rel=0.01)


def test_several_reports_of_one_person_are_planned_as_simulated() -> None:
    """Three reports at a third of the budget each: the noise falls with all reports, the choice of people with the people."""
    text = 'name = "x"\nquestion = "?"\nitems = ["a", "b", "c"]\nreports = 3\n[privacy]\nnotion = "ldp"\nepsilon = 6.0\n'
    found = sv.Study.from_toml(text).plan(2000, item="a", p=[0.5, 0.3, 0.2])
    rng, best = np.random.default_rng(1), found.options[0]
    inversion = inversion_of(best.mechanism.channel)
    seen = []
    for seed in range(400):
        people = rng.choice(3, size=2000, p=[0.5, 0.3, 0.2])
        reports = best.mechanism.channel.sample(np.repeat(people, 3), sv.SeededSource(seed))
        counts = best.mechanism.channel.statistic.count(reports)
        seen.append(inversion.linear(counts / 6000, 6000).p[0])
    assert best.half_width == pytest.approx(1.959964 * np.std(seen), rel=6 / np.sqrt(2 * 400))


@pytest.mark.parametrize("size", [5, 50, 1000])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_items_are_found_with_the_power_that_is_stated(size: int, epsilon: float) -> None:
    """Counts are binomial where a report contains an item or not, so the test and its power are known exactly."""
    domain = sv.Domain(size)
    for make in (sv.krr, sv.oue, sv.olh, sv.subset_selection):
        mechanism = make(domain, epsilon)
        own, other = (float(each[0]) for each in mechanism.channel.inversion.chances)  # type: ignore[union-attr]
        for share in (0.01, 0.05):
            curve, _ = Find(share, 0.95).curve(mechanism, None, 1)
            n = curve.people(share)
            threshold = binom.isf(0.05 / size, n, other)
            power = binom.sf(threshold, n, other + (own - other) * share)
            few = n * other < 15  # then the test has few thresholds to choose from
            assert power == pytest.approx(0.78, abs=0.035 if few else 0.021)
            assert curve.error(n) == pytest.approx(share, rel=5e-3)


@pytest.mark.parametrize("options", [{"sensitive": range(4)}, {"sensitive": range(4), "p": np.arange(1, 13) / 78}, {}])
def test_items_are_found_in_simulations(options: dict[str, Any]) -> None:
    """Every option: the item that is hardest to find is found in 8 of 10 studies, and in hardly any without it."""
    found, z = sv.plan(12, 1.5, find=0.05, **options), -normal_quantile(0.05 / 12)
    for option in found.options:
        n, mechanism = option.people, option.mechanism
        assert n is not None
        inversion = inversion_of(mechanism.channel)
        moments = item_moments(mechanism, options.get("p"))
        sigma = np.sqrt(moments.variance(np.zeros(12)))
        item = int(np.argmax(sigma))
        rates = []
        for share in (0.05, 0.0):
            p = hardest_others(mechanism, item, options.get("p"), share)
            means = np.array([estimate(mechanism, inversion, p, n, seed)[item] for seed in range(200)])
            limit = z * sigma[item] / np.sqrt(n) + (z**2 - 1) / 6 * float(moments.skew(np.zeros(12))[item]) / n
            rates.append(float((means > limit).mean()))
        assert rates[0] == pytest.approx(0.8, abs=0.17)  # six standard errors of 200 studies
        assert rates[1] <= 0.03


def hardest_others(mechanism: sv.Mechanism, item: int, p: Any, share: float) -> Any:
    """A population with a share of one item, whose others follow p, or all hold what disturbs the item most."""
    size = mechanism.channel.size
    if p is None:
        others = [other for other in range(size) if other != item]
        noise = [variance(mechanism, np.arange(size) == item, np.eye(size)[other]) for other in others]
        rest = np.eye(size)[others[int(np.argmax(noise))]]
    else:
        rest = np.where(np.arange(size) == item, 0.0, p)
        rest = rest / rest.sum()
    return share * np.eye(size)[item] + (1 - share) * rest


def estimate(mechanism: sv.Mechanism, inversion: Any, p: Any, n: int, seed: int) -> Any:
    return inversion.linear(sv.Tally.simulate(mechanism, p, n, sv.SeededSource(seed)).blocks[0].counts / n, n).p


def test_what_is_never_named_without_reason_is_found_at_once() -> None:
    """Without protection one answer suffices: with 161 people, 80 % of the studies have someone with an item of 1 %."""
    curve, _ = Find(0.01).curve(sv.identity(sv.Domain(5)), None, 1)
    n = curve.people(0.01)
    assert 1 - 0.99**n >= 0.8 > 1 - 0.99 ** (n - 1)


def test_ten_yes_no_axes() -> None:
    """A margin of ten joint yes/no answers: every option's error, read off real reports, and the order of the options."""
    domain = sv.Domain.product(**{f"q{axis}": ["no", "yes"] for axis in range(10)})
    found = sv.plan(domain, 2.0, margin="q3", n=30_000)
    assert [option.name for option in found.options[:3]] == ["olh", "subset_selection", "oue"]
    yes = np.array([item[3] == "yes" for item in domain])  # type: ignore[index]
    rng = np.random.default_rng(3)
    people = rng.integers(0, 1024, size=8000)
    for option in found.options:
        channel: Any = option.mechanism.channel
        if option.name == "hadamard":  # it has no dense form, and stands far behind
            continue
        reports = channel.sample(people, sv.SeededSource(1))
        own, other = (float(each[0]) for each in channel.inversion.chances)
        named = np.eye(1024, dtype=np.bool_)[reports.codes] if option.name == "krr" else channel.member(reports)
        sums = [(named[:, label].sum(axis=1) - 512 * other) / (own - other) for label in (yes, ~yes)]
        readings = (sums[0] - sums[1] + 1) / 2  # two labels that sum to 1, and are read alike
        width = 1.959964 * readings.std() / np.sqrt(30_000)
        rare = 0.1 if option.name == "olh" else 0.0  # few hash functions, which a sample of reports may lack, weigh a lot
        assert option.half_width == pytest.approx(width, rel=rare + 6 / np.sqrt(2 * 8000))


def test_people_and_half_widths_are_two_sides() -> None:
    for goal in GOALS.values():
        needed = sv.plan(DOMAIN, 1.0, within=0.03, confidence=0.9, **goal)
        best = needed.options[0]
        assert best.people is not None
        again = sv.plan(DOMAIN, 1.0, within=0.03, confidence=0.9, n=best.people, **goal)
        assert again.options[0].half_width == pytest.approx(0.03, rel=1e-3)
        assert again.options[0].half_width <= 0.03  # type: ignore[operator]
        assert "is met" in again.reason
        assert "is missed" in sv.plan(DOMAIN, 1.0, within=0.03, n=best.people // 2, **goal).reason
        assert "out of reach" in sv.plan(DOMAIN, 1.0, within=0.03, n=50, **goal).reason
    found = sv.plan(DOMAIN, 1.0, find=0.1)
    assert sv.plan(DOMAIN, 1.0, find=0.1, n=found.options[0].people).options[0].smallest == pytest.approx(0.1, rel=1e-3)
    assert "hardly better than a guess" in sv.plan(DOMAIN, 0.5, n=200, item=SOME[0]).reason
    assert "says nothing" in sv.plan(DOMAIN, 0.1, n=200, item=SOME[0]).reason


def test_plans_for_other_goals_are_data() -> None:
    found = sv.plan(DOMAIN, 1.0, n=5000, within=0.02, item=SOME[0])
    told = found.to_dict()
    assert (told["goal"], told["within"], told["confidence"]) == ("half-width on 'f / young'", 0.02, 0.95)
    assert set(told["options"][0]) == {"name", "half_width", "people", "report_bytes", "words"}
    assert "± points on 'f / young'" in str(found)
    assert "people for ± 2 points on 'f / young'" in str(found)
    by_people, by_epsilon = found.against_n(), found.against_epsilon()
    here = by_people[by_people["name"] == found.options[0].name]
    assert np.interp(5000, here["n"], here["half_width"]) == pytest.approx(found.options[0].half_width, rel=0.02)
    assert (by_epsilon["half_width"] > 0).all()
    assert "half-width of the 95% interval" in str(plan_chart(found).to_dict())
    sought = sv.plan(DOMAIN, 1.0, n=5000, find=0.02)
    assert sought.to_dict()["power"] == 0.8
    assert "finds items from" in str(sought)
    assert "smallest share that is found" in str(plan_chart(sought).to_dict())
    assert "every combination of 'a' and 'b'" in sv.plan(sv.Domain.product(a="xy", b="xy", c="xy"), 1.0, margin=["a", "b"], n=10).reason


def test_goals_that_contradict_themselves() -> None:
    wrong: list[tuple[Any, ...]] = [
        ({"item": SOME[0], "group": SOME, "within": 0.1}, "item", "group"),
        ({"item": SOME[0], "find": 0.1}, "item", "find"),
        ({"target": 0.1, "within": 0.1}, "target", "within"),
        ({"margin": "age", "target": 0.1}, "margin", "target"),
        ({"item": SOME[0]}, "n", "within"),
        ({"confidence": 0.9, "n": 10}, "confidence"),
        ({"confidence": 2, "n": 10, "within": 0.1}, "confidence", 2),
        ({"within": 0}, "within", 0),
        ({"within": "0.1"}, "within", "0.1"),
        ({"find": 1.0}, "find", 1.0),
        ({"find": True}, "find", True),
        ({"at_most": 0.1, "find": 0.1}, "at_most"),
        ({"at_most": 0.1, "within": 0.1, "p": [1 / 6] * 6}, "at_most", "p"),
        ({"at_most": 1.5, "within": 0.1}, "at_most", 1.5),
        ({"group": [], "within": 0.1}, "group"),
        ({"group": list(DOMAIN), "within": 0.1}, "group"),
        ({"margin": ["sex", "age"], "within": 0.1}, "sex", "age"),
        ({"margin": [], "within": 0.1}, "sex", "age"),
    ]
    for options, *values in wrong:
        with refused(sv.ParameterError, *values):
            sv.plan(DOMAIN, 1.0, **options)
    with refused(sv.ParameterError, "margin", "item"):
        sv.plan(6, 1.0, margin="age", within=0.1)
    with refused(sv.DomainError, "'height'", "sex", "age"):
        sv.plan(DOMAIN, 1.0, margin="height", within=0.1)
    with refused(sv.DomainError, "'tall'"):
        sv.plan(DOMAIN, 1.0, item=("f", "tall"), within=0.1)
    with refused(sv.UnsupportedError, "prior", "target"):
        sv.plan(6, 1.0, prior=[1 / 6] * 6, within=0.1)
    with refused(sv.UnsupportedError, "tags", "target"):
        sv.plan(6, 1.0, tags=["home"], within=0.1)
    different = sv.idue(sv.Domain(70), {k: 1 + k / 100 for k in range(70)})
    assert group_moments(different, np.arange(70)[None, :] < 10, np.full(70, 1 / 70)).own[0, 0] > 1


def test_a_much_shorter_report_wins_if_it_is_as_good() -> None:
    """Among 41,271 items oue and olh differ in the fourth digit, and by 5,150 bytes; among 400 they differ by 41 bytes."""
    found = sv.plan(41_271, 2.0, n=100_000)
    first, second = found.options[:2]
    assert (first.name, first.report_bytes, second.name, second.report_bytes) == ("olh", 9, "subset_selection", 5159)
    assert first.tv is not None
    assert second.tv is not None
    assert 1 < first.tv / second.tv < 1.01
    assert (found.best.name, found.closest.name) == ("olh", "subset_selection")
    assert "5,159 bytes instead of 9" in found.reason
    assert "would need" in sv.plan(1024, 2.0, target=0.5).reason
    small = sv.plan(400, 2.0, n=100_000)
    assert small.best is small.closest
    assert small.options[0].name == "subset_selection"
    assert sv.plan(1024, 6.0, n=100_000).best.name == "subset_selection"  # the shorter one is more than 1 % farther


def test_a_study_file_keeps_its_mechanism() -> None:
    """The choice of `auto` is part of the fingerprint: it is still the mechanism with the least error, whatever its reports' size."""
    text = 'name = "many"\nquestion = "?"\nitems = [{}]\n[privacy]\nnotion = "ldp"\nepsilon = 2.0\n'
    study = sv.Study.from_toml(text.format(", ".join(f'"{k}"' for k in range(1024))))
    assert isinstance(study.mechanism, sv.Mechanism)
    assert (study.mechanism.name, study.plan(10_000).best.name) == ("subset_selection", "olh")
    assert study.fingerprint == "e50ff4602b31f83c2cec686f61f75187591705fa35fdf3d33ca976cf9084e54b"  # as version 0.2.0 has it


def test_groups_of_channels_without_closed_forms() -> None:
    """Hadamard response and a matrix are read report by report."""
    group = np.arange(6) < 2
    for mechanism in (
        sv.hadamard(sv.Domain(6), 1.0),
        sv.from_matrix(sv.Domain(6), sv.krr(sv.Domain(6), 1.0).channel.matrix(exact=True), sv.LDP(1.1)),
    ):
        found = group_moments(mechanism, group[None, :], None)
        worst, p, _ = hardest(mechanism, group[None, :])
        assert float(found.variance(p @ group)[0]) == pytest.approx(worst, rel=1e-9)


def test_what_unprotected_answers_know_for_certain_is_not_mentioned() -> None:
    """If everyone holds the same item, nothing is left to chance without protection."""
    for asked in ({"n": 100}, {"target": 0.1}, {"within": 0.1}):
        assert "Without any protection" not in sv.plan(3, 1.0, p=[1, 0, 0], **asked).reason
