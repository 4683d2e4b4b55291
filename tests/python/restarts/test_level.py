"""Which figures count as level or as rising in a run of two hours (``load/level.py``)."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from load.level import compared

MINUTES = 114
#: The two compared spans are the last 80 minutes.
LAST = MINUTES - 40

Series = Callable[[int], float]


def rises(series: Series, every: int = 1) -> bool:
    """Return whether a series rises if it is measured every so many minutes."""
    levels = compared([(at, series(at)) for at in range(1, MINUTES + 1, every)], MINUTES)
    assert levels is not None
    return levels.rises


def teeth(period: int, phase: int, height: float = 1 / 3) -> Series:
    """Return a series that rises slowly by a third and then falls at once."""
    return lambda at: 1000 * (1 + height * ((at + phase) % period) / (period - 1))


def leak(percent: float) -> Series:
    """Return a series that grows by this percentage of 1,000 per hour."""
    return lambda at: 10 * percent * at / 60


@pytest.mark.parametrize("period", [5, 7, 10, 13, 20, 30, 40])
def test_teeth_of_any_phase_are_level(period: int) -> None:
    """A sawtooth is level in any phase, if it rises slowly or falls slowly."""
    for phase in range(period):
        rising = teeth(period, phase)
        assert not rises(rising), phase
        assert not rises(lambda at: 3000 - rising(at)), phase  # noqa: B023


def test_a_level_with_noise_is_level() -> None:
    """Noise of a tenth up and down is level, also if it is measured rarely."""
    for seed in range(200):
        drawn = random.Random(seed)  # noqa: S311
        assert not rises(lambda _: drawn.uniform(900, 1100)), seed  # noqa: B023
        assert not rises(lambda _: drawn.uniform(980, 1020), every=10), seed  # noqa: B023


@pytest.mark.parametrize("period", [5, 10, 20, 40])
def test_a_leak_is_found_below_teeth_of_any_phase(period: int) -> None:
    """A leak below a sawtooth is detected above 5 percent per hour, and not at 4 percent."""
    for phase in range(period):
        saw = teeth(period, phase)
        assert rises(lambda at: saw(at) + leak(8)(at)), phase  # noqa: B023
        assert not rises(lambda at: saw(at) + leak(4)(at)), phase  # noqa: B023


@pytest.mark.parametrize("period", [7, 13, 30])
def test_a_greater_leak_is_found_below_teeth_of_other_lengths(period: int) -> None:
    """A greater leak is detected below a sawtooth whose period does not divide the span.

    Such a period hides some of the leak.
    """
    for phase in range(period):
        saw = teeth(period, phase)
        assert rises(lambda at: saw(at) + leak(20)(at)), phase  # noqa: B023


@pytest.mark.parametrize("every", [1, 10])
def test_the_bound_is_five_of_a_hundred_an_hour(every: int) -> None:
    """A rise is 5 percent per hour of the previous span, measured every minute or every ten."""
    assert not rises(lambda at: 1050 + leak(4.7)(at), every)
    assert rises(lambda at: 1050 + leak(5.8)(at), every)


def test_a_step_is_found_unless_it_is_at_the_start() -> None:
    """A figure that is higher in all of the last span rises, unless it rose before both spans."""
    assert rises(lambda at: 1060 if at > LAST else 1000)
    assert rises(lambda at: 1100 if at > LAST + 20 else 1000)
    assert not rises(lambda at: 1060 if at > LAST - 40 else 500)
    assert not rises(lambda at: 900 if at > LAST else 1000)
    assert rises(lambda at: 1060 if at > LAST else 1000 if at > LAST - 40 else 2000)


def test_a_single_outlier_is_no_rise() -> None:
    """A single outlier is not a rise, because files may be counted during a snapshot."""
    assert not rises(lambda at: 2000 if at == LAST + 5 else 1000)


def test_missing_figures_are_not_level() -> None:
    """A series without a figure in one of the spans, or too short for them, is not level."""
    assert compared([(at, 1000.0) for at in range(1, LAST)], MINUTES) is None
    assert compared([(at, 1000.0) for at in range(LAST + 1, MINUTES)], MINUTES) is None
    with pytest.raises(ValueError, match="too few"):
        compared([(1, 1000.0)], 53)
