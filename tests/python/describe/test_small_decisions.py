"""Decisions of the package that need neither a session nor an operator."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import pyarrow as pa
import pytest

import windrow as wr
from conftest import problems_of
from windrow._bridge import _doctor, _jar
from windrow._running._query import _of_trigger
from windrow._specs._values import is_count
from windrow.errors import from_text
from windrow.operators._tables import _converted
from windrow.testing import assertSamePanes


def are_same(came: object, expected: object) -> bool:
    """Return whether ``assertSamePanes`` treats two values as equal."""
    try:
        assertSamePanes([{"value": came}], [{"value": expected}])
    except AssertionError:
        return False
    return True


def test_values_that_a_test_takes_for_the_same() -> None:
    """Floating point is compared to 1e-9, and lists by all their items."""
    assert are_same(1.0 + 1e-12, 1.0)
    assert not are_same(1.0001, 1.0)
    assert are_same(float("nan"), float("nan"))
    assert are_same([1, 2], [1, 2])
    assert not are_same([1, 2], [1])
    assert not are_same([1], [1, 2])


def test_rows_that_say_little_leave_others_theirs() -> None:
    """An expected row with few columns does not use up the match of a more specific one."""
    came = [{"a": 1, "b": 1}, {"a": 1, "b": 2}]
    assertSamePanes(came, [{"a": 1}, {"a": 1, "b": 1}])


def test_errors_of_the_jvm_keep_their_class_and_problems() -> None:
    """A JVM error about a row is a ``MessageError`` and keeps its problems."""
    found = from_text("[MESSAGE_INVALID] stream 'orders': its time is null")
    assert type(found) is wr.MessageError
    assert [one.code for one in found.problems] == ["MESSAGE_INVALID"]


def test_a_session_has_the_jar_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session with a JAR of another version is refused, and the error shows the version."""
    monkeypatch.setattr("windrow._bridge._jar._sql.jar_version", lambda _: "0.0.0")
    with pytest.raises(wr.WindrowError, match=r"\[JAR_VERSION\].*0\.0\.0"):
        _jar.check(object())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("version", "fits"),
    [("3.5.8", False), ("4.0.2", True), ("4.1.0", True), ("4.3.9", True), ("4.4.0", False)],
)
def test_versions_of_spark(monkeypatch: pytest.MonkeyPatch, version: str, *, fits: bool) -> None:
    """The doctor knows the supported versions of Spark."""
    monkeypatch.setattr(_doctor, "_pyspark_version", lambda: version)
    assert (_doctor._pyspark().remedy == "") is fits


@pytest.mark.parametrize("trigger", [("yes", None), (False, ""), (False, 10), (True, "1 second")])
def test_conflicting_or_wrong_triggers_are_rejected(trigger: tuple[object, object]) -> None:
    """Two triggers, or a trigger of a wrong type, are refused, because one would be ignored."""
    assert [one.code for one in _of_trigger(*trigger)] == ["START_TRIGGER_NOT_UNDERSTOOD"]
    assert list(_of_trigger(True, None)) == list(_of_trigger(False, "1 second")) == []


def test_booleans_and_infinities_are_not_numbers() -> None:
    """Booleans are not counts, and infinity and NaN are not deltas."""
    assert [is_count(value) for value in (1, True, 2**63, 1.0)] == [True, False, False, False]
    for delta in (float("inf"), float("nan")):
        codes = {one.code for one in problems_of(partial(wr.ByDelta, "price", delta))}
        assert codes == {"DELTA_NOT_UNDERSTOOD"}


def test_the_shortest_of_several_periods() -> None:
    """The shortest of several periods decides the warning about a slow trigger (SEMANTICS R57)."""
    both = wr.AnyOf(wr.Every("1 minute"), wr.EachBatch(), wr.Every("10 seconds"))
    assert both._shortest_period() == 10_000_000
    assert wr.AnyOf(wr.EachBatch())._shortest_period() is None


def test_a_time_with_a_zone_is_no_local_one() -> None:
    """A zoned time is not converted to a local one; a local one uses the session's zone."""
    zoned, local = pa.timestamp("us", tz="UTC"), pa.timestamp("us")
    times = [datetime(2025, 1, 1)]  # noqa: DTZ001
    assert _converted(pa.array(times, zoned), local, "UTC") is None
    assert _converted(pa.array(times, local), zoned, "UTC").type == zoned


def test_equal_inputs_do_not_hold_the_watermark_back() -> None:
    """Inputs with equal times do not hold back the watermark (SEMANTICS R87)."""
    noon, one = datetime(2025, 1, 1, 12, tzinfo=UTC), datetime(2025, 1, 1, 13, tzinfo=UTC)
    assert wr.Status(inputs={"a": noon, "b": noon}).heldBackBy is None
    silent = {"a": 3, "b": 3}
    assert wr.Status(inputs={"a": noon, "b": noon}, _missing=silent).heldBackBy is None
    assert wr.Status(inputs={"a": one, "b": noon}).heldBackBy is None
    assert wr.Status(inputs={"a": one, "b": noon}, _missing=silent).heldBackBy == "b"
    assert wr.Status(inputs={"a": one, "b": None}).heldBackBy == "b"


def test_windows_of_a_policy_are_drawn_as_its_trigger_fires() -> None:
    """Windows of a policy are drawn when its trigger fires, not when rows leave."""
    policy = wr.Policy.sliding(wr.ByCount(4), trigger=wr.ByCount(2))
    assert policy._holding(range(6)) == [(0, 1), (0, 3), (2, 5)]
