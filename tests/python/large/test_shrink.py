"""A failing scenario is shrunk to one that fails alike, and printed so that it can be rerun."""

from __future__ import annotations

from dataclasses import replace

from large import dice, draw, draw_operators
from large.draw import FAMILIES, drawn
from large.scenario import Leg, Scenario
from large.shrink import script, shrunk


def _many(case: Scenario) -> list[str]:
    """Fail with more than ten rows of several keys; without a restart, fail differently."""
    (traffic,) = case.traffic
    if len(case.legs) < 2:
        return ["SpecError: [NO_RESTART] that is another fault"]
    return [f"panes: {traffic.messages}"] * (traffic.messages > 10 and traffic.keys > 1)


def test_the_least_fails_alike() -> None:
    """Shrinking keeps the parts that the fault needs and removes all others."""
    case = drawn("positions", 1, 1_000)
    case = replace(case, legs=(*case.legs, Leg(3, (("spark.sql.shuffle.partitions", "3"),))))
    case = replace(case, traffic=(replace(case.traffic[0], keys=30, holes=0.2),))
    least, wrong = shrunk(case, _many)
    (traffic,) = least.traffic
    assert wrong == _many(least) == [f"panes: {traffic.messages}"]
    assert 10 < traffic.messages <= 20
    assert (traffic.keys, traffic.holes, least.shards) == (3, 0.0, 1)
    assert least.legs == (Leg(1), Leg(1))


def test_a_script_holds_the_scenario() -> None:
    """A script contains the scenario of every family, by names that ``again`` knows."""
    for family in FAMILIES:
        case = drawn(family, 7)
        (line,) = [one for one in script(case).splitlines() if one.startswith("Scenario")]
        assert eval(line, vars(draw) | vars(dice) | vars(draw_operators)) == case  # noqa: S307  our own text
