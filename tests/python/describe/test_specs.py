"""Specs are values: they compare, hash, print as their call, and convert to JSON and back."""

from __future__ import annotations

import copy
import json
import pickle
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given

import windrow as wr
from conftest import PARITY
from replays import reading
from strategies import kinds, specs, triggers

CASES = json.loads((PARITY / "specs.json").read_text())


@given(kinds)
def test_kind_prints_as_its_call(kind: wr.WindowKind) -> None:
    """The printed call of a kind of windows evaluates to an equal value with an equal hash."""
    again = eval(repr(kind), vars(wr))  # noqa: S307  our own text
    assert again == kind
    assert hash(again) == hash(kind)
    assert reading.kind(kind.toJson()) == kind


@pytest.mark.parametrize("name", ["step", "slide", "slideDuration"])
def test_sliding_windows_of_spark_are_hopping(name: str) -> None:
    """Spark's arguments of sliding windows are refused, and the error names ``Hopping``."""
    with pytest.raises(wr.SpecError, match=rf"SLIDING_STEP.*no {name}.*wr.Hopping\(size, step"):
        wr.Sliding("10 minutes", **{name: "1 minute"})


@given(triggers)
def test_trigger_prints_as_its_call(trigger: wr.PaneTrigger) -> None:
    """The printed call of a trigger evaluates to an equal value with an equal hash."""
    again = eval(repr(trigger), vars(wr))  # noqa: S307  our own text
    assert again == trigger
    assert hash(again) == hash(trigger)
    assert pickle.loads(pickle.dumps(trigger)) == trigger  # noqa: S301  our own bytes


@given(specs())
def test_spec_goes_through_json(spec: wr.WindowOperatorSpec) -> None:
    """JSON, pickle and printing preserve a spec, and equal specs have equal hashes."""
    again = reading.spec(spec.toJson())
    assert again == spec
    assert hash(again) == hash(spec)
    assert again.toJson() == spec.toJson()
    assert pickle.loads(pickle.dumps(spec)) == spec  # noqa: S301  our own bytes
    assert eval(repr(spec), vars(wr)) == spec  # noqa: S307  our own text


@given(kinds, kinds)
def test_kinds_that_differ_print_differently(one: wr.WindowKind, other: wr.WindowKind) -> None:
    """Kinds are equal exactly if they print alike and have the same JSON."""
    assert (one == other) == (repr(one) == repr(other)) == (one.toJson() == other.toJson())


@pytest.mark.parametrize("case", CASES["written"], ids=lambda case: case["window"])
def test_json_is_scalas(case: dict[str, object]) -> None:
    """Python reads Scala's JSON and writes the same JSON."""
    spec = reading.spec(json.dumps(case["json"]))
    assert repr(spec.window) == case["window"]
    assert json.loads(spec.toJson()) == case["json"]


@pytest.mark.parametrize("case", CASES["read"], ids=lambda case: case["why"])
def test_other_ways_to_write_json(case: dict[str, Any]) -> None:
    """Other units, texts and single-value fields are read; zones are kept as written."""
    spec = reading.spec(json.dumps(case["json"]))
    means = copy.deepcopy(case["means"])
    if "zone" in means["window"]:
        means["window"]["zone"] = case["json"]["window"]["zone"]
    assert json.loads(spec.toJson()) == means


def test_durations_are_equal_however_written() -> None:
    """Durations are equal in any unit, as text or timedelta."""
    assert wr.Tumbling("60 minutes") == wr.Tumbling(timedelta(hours=1), startTime="0 days")
    assert repr(wr.Tumbling("3600 s")) == "Tumbling('1 hour')"
    assert wr.Every("60 s") == wr.Every(timedelta(minutes=1))
    assert wr.Retention(time="60 s") == wr.Retention(time="1 minute")
    assert wr.Count(5) == wr.Count(5, step=5)
    alike: set[wr.WindowKind] = {wr.Count(5), wr.OffsetRange(5)}
    assert len(alike) == 2
    assert wr.Tumbling("2 Weeks", zone="UTC") == wr.Tumbling("2 week", zone="UTC")
    assert wr.Tumbling("7 days", zone="UTC") != wr.Tumbling("1 week", zone="UTC")
    kinds: set[wr.WindowKind] = {wr.Tumbling("1 hour"), wr.Hopping("1 hour", step="1 hour")}
    assert len(kinds) == 2


def test_specs_are_frozen() -> None:
    """Fields of specs cannot be changed."""
    for value, field in (
        (wr.Tumbling("1 hour"), "size"),
        (wr.Over(rows=3), "rows"),
        (wr.Every(messages=2), "messages"),
        (wr.AnyOf(wr.EachBatch()), "triggers"),
        (wr.Retention(windows=2), "windows"),
        (wr.WindowOperatorSpec(window=wr.Count(3)), "onTime"),
    ):
        with pytest.raises(AttributeError):
            setattr(value, field, "2 hours")


def test_every_message_is_each_message() -> None:
    """``Every(messages=1)`` equals ``EachMessage()`` in a spec."""
    one, other = (
        wr.WindowOperatorSpec(window=wr.Session("1 s"), lateness="0 s", late=late)
        for late in (wr.Every(messages=1), wr.EachMessage())
    )
    assert one == other
    early = wr.AnyOf(wr.Every(messages=1), wr.AnyOf(wr.Every(messages=1)))
    spec = wr.WindowOperatorSpec(window=wr.Count(3), early=early, accumulation=wr.DISCARDING)
    assert spec.early == wr.AnyOf(wr.EachMessage(), wr.AnyOf(wr.EachMessage()))


def test_lateness_has_one_form() -> None:
    """Lateness is missing, endless, a duration or a number of offsets, with one form for each."""
    count = wr.WindowOperatorSpec(window=wr.Count(3))
    assert repr(count) == "WindowOperatorSpec(window=Count(3))"
    assert '"lateness"' not in count.toJson()
    endless, long = (
        wr.WindowOperatorSpec(
            window=wr.Sliding("1 s"),
            lateness=lateness,
            accumulation=wr.ACCUMULATING,
            retention=wr.Retention(windows=3),
        )
        for lateness in (None, f"{2**62 // 1000} ms")
    )
    assert endless.lateness is None
    assert endless != long
    with pytest.raises(wr.SpecError, match="DURATION_TOO_LONG"):
        wr.WindowOperatorSpec(window=wr.Tumbling("1 s"), lateness=f"{2**62} us")
    zero = wr.WindowOperatorSpec(window=wr.OffsetRange(3), lateness="0 seconds")
    assert zero == wr.WindowOperatorSpec(window=wr.OffsetRange(3), lateness=0)


def test_a_zone_that_is_not_stated() -> None:
    """A month without a zone can be printed, described and drawn."""
    month = wr.Tumbling("1 month")
    assert "a zone (not set)" in month.describe()
    assert repr(month) == "Tumbling('1 month')"
    assert "<svg" in month._repr_html_()
    assert reading.kind(month.toJson()) == month


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (wr.Tumbling("1 hour"), "Every row is in one."),
        (wr.Hopping("1 hour", step="20 minutes"), "A row is in 3 of them."),
        (wr.Hopping("1 hour", step="7 minutes"), "A row is in 8 or 9 of them."),
        (wr.Hopping("5 minutes", step="1 hour"), "Between two windows is a gap of 55 minutes"),
        (wr.Hopping("1 hour", step="1 hour", startTime="5 minutes"), "5 minutes after 1970-01-01"),
        (wr.Session("30 minutes"), "30 minutes after the last"),
        (wr.Tumbling("1 month", zone="Asia/Tokyo"), "aligned to the calendar of Asia/Tokyo"),
        (wr.Sliding("10 s"), "one that starts 1 millisecond after each row"),
        (wr.Over(range="1 hour"), "all rows of the 1 hour before it"),
        (wr.Over(rows=100), "it and the 99 rows before it"),
        (wr.Over(), "all rows up to its own event time"),
        (wr.Count(50), "windows of 50, first and last inclusive, one every 50"),
        (wr.OffsetRange(50, step=10), "over its offsets from the start offset: windows of 50"),
        (wr.OffsetSession(gap=5), "more than 5 offsets pass without the key"),
        (wr.Global(), "never completes"),
        (wr.Inherit("hour"), "from their column 'hour'"),
    ],
)
def test_describes(kind: wr.WindowKind, said: str) -> None:
    """The description states which windows contain a row."""
    assert said in kind.describe()
