"""Texts of errors, and errors that the JVM returns as text."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed
from windrow import _conditions, errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: wr.Tumbling(600),  # type: ignore[arg-type]
            "[DURATION_WITHOUT_UNIT] Tumbling(size=600): 600 has no unit. Pass '600 "
            "seconds', or use Count(600) for windows of 600 rows. See "
            "docs/errors.md#duration_without_unit.",
        ),
        (
            lambda: wr.Hopping(5, step="0 s", startTime="x"),  # type: ignore[arg-type]
            "2 problems in Hopping(size=5, step='0 s', startTime='x'): [DURATION_WITHOUT_UNIT] 5 "
            "has no unit. Pass '5 seconds', or use Count(5) for windows of 5 rows. See "
            "docs/errors.md#duration_without_unit. [DURATION_NOT_UNDERSTOOD] 'x' is not a "
            "duration. Pass for example '90 seconds' or '1 hour 30 minutes'. See "
            "docs/errors.md#duration_not_understood.",
        ),
        (
            lambda: wr.Every(10),  # type: ignore[call-overload]
            "[DURATION_WITHOUT_UNIT] Every(10): 10 has no unit. Pass '10 seconds', or "
            "Every(messages=10) for a pane after every 10 rows. See "
            "docs/errors.md#duration_without_unit.",
        ),
        (
            lambda: wr.Over(range="3"),
            "[DURATION_WITHOUT_UNIT] Over(range='3'): '3' has no unit. Pass '3 seconds', or "
            "use Over(rows=3) to count rows. See docs/errors.md#duration_without_unit.",
        ),
        (
            lambda: wr.Sliding("-3"),
            "[DURATION_WITHOUT_UNIT] Sliding(size='-3'): '-3' has no unit. Pass '-3 "
            "seconds'. See docs/errors.md#duration_without_unit.",
        ),
        (
            lambda: wr.Tumbling("36 suns", startTime="noon", zone="Europe/Atlantis"),
            "2 problems in Tumbling(size='36 suns', startTime='noon', zone='Europe/Atlantis'): "
            "[CALENDAR_UNIT_NOT_UNDERSTOOD] '36 suns' is not a calendar length. With a zone, size "
            "must be a number of minutes, hours, days, weeks, months, quarters, years. See "
            "docs/errors.md#calendar_unit_not_understood. [DURATION_NOT_UNDERSTOOD] 'noon' is not "
            "a duration. Pass for example '90 seconds' or '1 hour 30 minutes'. See "
            "docs/errors.md#duration_not_understood.",
        ),
        (
            lambda: wr.Hopping("1 month", step="1 week", zone="UTC"),
            "[SIZE_NOT_IN_STEPS] Hopping(size='1 month', step='1 week', zone='UTC'): size='1 "
            "month' is not a multiple of step='1 week'. With a zone, set both in minutes and "
            "hours, in days and weeks, or in months, quarters, and years, so that each window "
            "consists of whole steps. See docs/errors.md#size_not_in_steps.",
        ),
        (
            lambda: wr.Tumbling(timedelta(seconds=90), zone="UTC"),
            "[CALENDAR_UNIT_NOT_UNDERSTOOD] Tumbling(size=datetime.timedelta(seconds=90), "
            "zone='UTC'): '90 seconds' is not a calendar length. With a zone, size "
            "must be a number of minutes, hours, days, weeks, months, quarters, years. See "
            "docs/errors.md#calendar_unit_not_understood.",
        ),
        (
            lambda: wr.Count(1.5, step=0),  # type: ignore[arg-type]
            "[COUNT_NOT_UNDERSTOOD] Count(n=1.5, step=0): n is 1.5. It must be an integer. See "
            "docs/errors.md#count_not_understood.",
        ),
        (
            lambda: wr.OffsetRange(2**63),
            "[COUNT_NOT_UNDERSTOOD] OffsetRange(n=9223372036854775808): n is 9223372036854775808. "
            "It must be an integer. See docs/errors.md#count_not_understood.",
        ),
        (
            lambda: wr.WindowOperatorSpec(window=wr.OffsetRange(3), lateness="5 seconds"),
            "[COUNT_NOT_UNDERSTOOD] OffsetRange(3): lateness is '5 seconds'. It must be an "
            "integer. See docs/errors.md#count_not_understood.",
        ),
        (
            lambda: wr.WindowOperatorSpec(window=wr.Tumbling("1 hour"), lateness=5),
            "[DURATION_WITHOUT_UNIT] Tumbling('1 hour'): lateness: 5 has no unit. Pass '5 "
            "seconds'. See docs/errors.md#duration_without_unit.",
        ),
        (
            lambda: wr.ProcessingTimeWatermark("5"),
            "[DURATION_WITHOUT_UNIT] ProcessingTimeWatermark('5'): '5' has no unit. Pass '5 "
            "seconds'. See docs/errors.md#duration_without_unit.",
        ),
        (
            lambda: wr.WindowOperatorSpec(
                window=wr.Global(),
                closeOn="sometime",  # type: ignore[arg-type]
                startOffsets={0: "x"},  # type: ignore[dict-item]
            ),
            "2 problems in Global(): [VALUE_UNKNOWN] closeOn is 'sometime'. It must be one of "
            "watermark, next_row. See docs/errors.md#value_unknown. [START_OFFSET_NOT_UNDERSTOOD] "
            "startOffsets has 0: 'x'. It must map partitions to offsets. See "
            "docs/errors.md#start_offset_not_understood.",
        ),
    ],
)
def test_texts(make: Callable[[], object], text: str) -> None:
    """Invalid arguments are all reported at once, each with its code, call and remedy."""
    with pytest.raises(wr.SpecError) as refused:
        make()
    assert str(refused.value) == text


REFUSED: list[tuple[Callable[[wr.Stream], wr.Windowed], str]] = [
    (
        lambda s: s.window(wr.Tumbling("1 minute")),
        "[LATENESS_NOT_STATED] Tumbling('1 minute'): No lateness is set. Set lateness('0 "
        "seconds') or a longer one. The lateness does not have a default, because it decides "
        "which late rows are accepted and which are rejected. See "
        "docs/errors.md#lateness_not_stated.",
    ),
    (
        lambda s: s.lateness("5 minutes").window(wr.Session("60 s")).retain(time="-1 second"),
        "2 problems in Session('1 minute'): [ACCUMULATION_NOT_STATED] lateness '5 minutes' lets a "
        "window emit several panes, but no accumulation mode is set. Call accumulationMode(...) "
        "with ACCUMULATING (each pane has the complete value), DISCARDING (only the new part), or "
        "ACCUMULATING_AND_RETRACTING (a retraction, then the complete value). See "
        "docs/errors.md#accumulation_not_stated. [RETENTION_NEGATIVE] The retention time is '-1 "
        "seconds'. It must be '0 seconds' or longer. See docs/errors.md#retention_negative.",
    ),
    (
        lambda s: s.lateness("0 s").window(wr.Tumbling("1 month")),
        "[FIELD_NOT_STATED] Tumbling('1 month'): window.zone is missing. It must be a time zone, "
        "for example 'Europe/Berlin'. See docs/errors.md#field_not_stated.",
    ),
    (
        lambda s: s.window(wr.Session("0 s")).lateness("-1 s"),
        "2 problems in Session('0 seconds'): [NOT_POSITIVE] gap is '0 seconds'. It must be longer "
        "than 0 microseconds. See docs/errors.md#not_positive. [LATENESS_NEGATIVE] lateness is "
        "'-1 seconds'. It must be '0 seconds' or longer. See docs/errors.md#lateness_negative.",
    ),
    (
        lambda s: (
            s.lateness("0 s")
            .window(wr.Tumbling("1 s"))
            .accumulationMode(wr.DISCARDING)
            .trigger(early=wr.Every(messages=0), late=wr.AnyOf())
        ),
        "2 problems in Tumbling('1 second'): [NOT_POSITIVE] messages is 0. It must be 1 or more. "
        "See docs/errors.md#not_positive. [TRIGGERS_MISSING] AnyOf() needs a trigger. Pass at "
        "least one. See docs/errors.md#triggers_missing.",
    ),
    (
        lambda s: s.lateness("1 s").window(wr.Tumbling("1 day", zone="Europe/Atlantis")),
        "[ZONE_UNKNOWN] Tumbling('1 day', zone='Europe/Atlantis'): zone is 'Europe/Atlantis', "
        "which is not a time zone. Set for example 'Europe/Berlin'. See "
        "docs/errors.md#zone_unknown.",
    ),
    (
        lambda s: s.lateness("0 s").window(wr.Sliding("10 s", granularity="3 s")),
        "[GRANULARITY_NOT_DIVISOR] Sliding('10 seconds', granularity='3 seconds'): The "
        "granularity '3 seconds' does not divide the size '10 seconds'. Choose a size that is a "
        "multiple of the granularity. See docs/errors.md#granularity_not_divisor.",
    ),
    (
        lambda s: s.lateness("0 s").window(wr.Over(range="1 hour", rows=3)),  # type: ignore[call-overload]
        "[OVER_TWICE] Over(range='1 hour', rows=3): Over has a range and a number of rows. Pass "
        "Over(range=...), Over(rows=...), or neither. See docs/errors.md#over_twice.",
    ),
    (
        lambda s: s.window(wr.Policy.tumbling(wr.ByTime("-1 s"))).retain(windows=0),
        "2 problems in Policy.tumbling(ByTime('-1 seconds')): [VALUE_NOT_SUPPORTED] retention: "
        '{"windows":0} does not work with windows by policies. Leave retention out. See '
        "docs/errors.md#value_not_supported. [NOT_POSITIVE] period is '-1 seconds'. It must be "
        "longer than 0 microseconds. See docs/errors.md#not_positive.",
    ),
]


@pytest.mark.spark
@pytest.mark.parametrize(("make", "text"), REFUSED)
def test_problems_that_the_jvm_finds(
    feed: Feed, make: Callable[[wr.Stream], wr.Windowed], text: str
) -> None:
    """A contradictory query is refused when it is described, with all its problems."""
    windowed = make(wr.stream(feed.batch(), time="time", key="product"))
    with pytest.raises(wr.SpecError) as refused:
        windowed.aggregate(F.count("*"))
    assert str(refused.value) == text
    assert "JVM" not in str(refused.value)
    first = refused.value.problems[0]
    with pytest.raises(wr.SpecError) as more:
        windowed.aggregate()
    assert [one.code for one in more.value.problems] == [
        *(one.code for one in refused.value.problems),
        "AGGREGATE_NOT_STATED",
    ]
    assert more.value.problems[0] == first


def test_columns_come_with_the_rest(spark: SparkSession) -> None:
    """Each unknown column is reported, together with all other problems; Spark reports one."""
    df = spark.sql("SELECT timestamp'2025-01-01' AS time, 1 AS a")
    stream = wr.stream(df, time="tiem").lateness("0 s")
    unknown = [F.sum("b"), F.sum("a"), F.avg("c")]
    with pytest.raises(wr.SpecError) as refused:
        stream.window(wr.Tumbling("0 s")).aggregate(*unknown)
    assert [problem.code for problem in refused.value.problems] == [
        *("NOT_POSITIVE", "COLUMN_NOT_FOUND", "QUERY_REFUSED", "QUERY_REFUSED")
    ]
    sound = wr.stream(df, time="time", key="a").lateness("0 s").window(wr.Tumbling("1 s"))
    with pytest.raises(wr.SpecError, match=r"2 problems .*`b`.*`c`"):
        sound.aggregate(*unknown)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (
            "[NO_WATERMARK] stream 'messages': 'time' has no watermark, no window could complete. "
            "Say stream(watermark='1 minute'), or withWatermark before.",
            ["NO_WATERMARK"],
        ),
        (
            "[GUARD_TOO_LATE] stream 'messages': maxFuture cannot guard a watermark set before. "
            "Replace withWatermark by stream(watermark=...).",
            ["GUARD_TOO_LATE"],
        ),
        (
            "2 problems in Tumbling('1 minute'): [LATENESS_NOT_STATED] say lateness('0 seconds') "
            "or longer. [ACCUMULATION_NOT_STATED] say [it].",
            ["LATENESS_NOT_STATED", "ACCUMULATION_NOT_STATED"],
        ),
    ],
)
def test_jvm_texts_become_spec_errors(text: str, codes: list[str]) -> None:
    """A JVM error keeps its text and has one problem per code, also after pickling."""
    error = errors.from_text(text)
    assert isinstance(error, wr.SpecError)
    assert str(error) == text
    assert [problem.code for problem in error.problems] == codes
    assert str(wr.SpecError.of("x", error.problems)).endswith(str(error.problems[-1].text))
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  our own bytes
    assert (str(again), again.problems) == (text, error.problems)


def test_jvm_texts_of_other_classes() -> None:
    """A changed spec is a CheckpointError; texts without a Windrow code are not converted."""
    assert isinstance(errors.from_text("[SPEC_CHANGED] the checkpoint has ..."), wr.CheckpointError)
    assert errors.from_text("requirement failed") is None
    assert errors.from_text("[not a code] x") is None


@pytest.mark.parametrize("code", sorted(_conditions.catalogue()))
def test_every_condition_makes_its_error(code: str) -> None:
    """The error of a condition has the class, the message, and the problem of its code."""
    entry = _conditions.catalogue()[code]
    for name, one in (entry.get("subClass") or {"": entry}).items():
        sentences = f"{one['message']} {one.get('remedy', entry.get('remedy'))}"
        parameters = dict.fromkeys(re.findall(r"<(\w+)>", sentences), "x")
        error = errors.failure(f"{code}.{name}" if name else code, **parameters)
        assert type(error) is errors.class_of(code)
        assert [problem.code for problem in errors.problems_of(error)] == [code]
        assert f"docs/errors.md#{code.lower()}" in str(error)


def test_a_missing_jar_has_a_remedy() -> None:
    """The error about a missing JAR names the calls that load it."""
    assert str(errors.failure("JAR_NOT_LOADED.SESSION")) == (
        "[JAR_NOT_LOADED] This session does not have the Windrow JAR. "
        "Call wr.attach(), or wr.configure(builder) before you create the session. "
        "wr.doctor() checks the setup. See docs/errors.md#jar_not_loaded."
    )


def test_wrong_types_are_type_errors() -> None:
    """Arguments that a type checker rejects raise a TypeError with a plain text."""
    with pytest.raises(TypeError, match=r"stream\(df\): df must be a DataFrame, not int"):
        wr.stream(42, time="time")  # type: ignore[arg-type]
    either = r"Every\(\) needs a period or messages=n"
    with pytest.raises(TypeError, match=either):
        wr.Every()  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=either):
        wr.Every("1 second", messages=2)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"AnyOf\(...\) must be PaneTrigger or str .*, not 5"):
        wr.AnyOf(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="early= must be PaneTrigger, not None"):
        wr.WindowOperatorSpec(window=wr.Global(), early=None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a datetime or an ISO string, not 5"):
        wr.Tumbling("1 hour").plot([5])
    with pytest.raises(TypeError, match=r"positions \(integers\)"):
        wr.Count(3).plot(["2025-01-01"])


def test_unsupported_queries_have_exact_errors() -> None:
    """The JVM's list of unsupported values becomes one SpecError with the same text."""
    text = (
        "3 problems in Tumbling('1 month', zone='Europe/Berlin'): [VALUE_NOT_SUPPORTED] in a query "
        "the windows are Tumbling('1 month', zone='Europe/Berlin'); allowed are Tumbling without "
        "a zone, Hopping and Session. [VALUE_NOT_SUPPORTED] in a query early is EachBatch(); "
        "allowed is Never(). [VALUE_NOT_SUPPORTED] in a query fillGaps is true; allowed is false."
    )
    error = errors.from_text(text)
    assert isinstance(error, wr.SpecError)
    assert str(error) == text
    assert [problem.code for problem in error.problems] == ["VALUE_NOT_SUPPORTED"] * 3
    assert error.problems[1].text == "in a query early is EachBatch(); allowed is Never()."
