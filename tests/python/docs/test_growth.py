"""The page about the growth of cost."""

from __future__ import annotations

import pytest

import growth


def _result(workload: str, **costs: float) -> dict[str, object]:
    runs = [
        {"contender": name, "pass": "warm", "repeat": 1, "measured": {"cpu": cost}}
        for name, cost in costs.items()
    ]
    fresh = {"contender": "windrow", "pass": "fresh", "repeat": 1, "measured": {"cpu": 99.0}}
    made = f"windrow {workload[:4]}, 2 cores, 2026-11-25"
    return {"workload": workload, "made": made, "runs": [fresh, *runs]}


KEYS = [
    _result("keys-100", windrow=2.0, spark=1.0),
    _result("keys-10000", windrow=3.0, spark=10.0),
    _result("tumble-100k", windrow=5.0),
    _result("overlap-600", windrow=5.0),
]


def test_costs_are_ratios_to_the_least() -> None:
    """Costs are ratios to the least warm one; a family with fewer than two sizes is not drawn."""
    [plot] = growth.measured(KEYS)
    assert plot.family == "keys"
    assert plot.measured == "2026-11-25 (keys)"
    assert plot.lines == {"windrow": {100: 2.0, 10000: 3.0}, "spark": {100: 1.0, 10000: 10.0}}


def test_pictures_keep_within_their_axes() -> None:
    """The least cost is on the lowest line, and a power of ten on a line of its own."""
    [plot] = growth.measured(KEYS)
    low, high = (growth.HEIGHT - growth.BOTTOM, growth.TOP)
    assert plot.y(1.0) == low
    assert plot.y(10.0) == pytest.approx(high)
    assert (plot.x(100), plot.x(10000)) == (growth.LEFT, growth.WIDTH - growth.RIGHT)
    assert all(text in plot.drawn().svg for text in ("windrow", "spark", "10,000", "10x"))


def test_a_size_of_zero_has_a_place() -> None:
    """A size of zero has a place on the axis, because the disorder family starts with it."""
    [plot] = growth.measured(
        [_result("disorder-0", windrow=1.0), _result("disorder-60", windrow=1.2)]
    )
    assert plot.x(0) == growth.LEFT
    assert "| windrow | 1.00 | 1.20 |" in growth.sections([plot])
