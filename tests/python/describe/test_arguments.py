"""Arguments of other types than documented, and other forms of documented ones."""

from __future__ import annotations

import logging
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pyspark.sql import functions as F

import windrow as wr
from conftest import problems_of
from windrow._bridge import _sql
from windrow._running._query import _of_trigger, _trigger, start
from windrow._running._sinks import problems_of_sinks
from windrow._specs._gapvalues import GapValues

if TYPE_CHECKING:
    from collections.abc import Callable

    from feed import Feed

#: Values of keys and bounds, as their literals return them.
VALUES = [
    *(5, -(2**40), 0.1, -1e-30, float("inf"), float("-inf"), True, False, None, "it's \\ ü"),
    *(Decimal("-1.50"), Decimal("1E+3"), date(2025, 1, 1), b"\x00\xff"),
    datetime(2025, 1, 1, 9, 0, 0, 1),  # noqa: DTZ001  in the zone of the session
]


def codes(make: Callable[[], object]) -> list[str]:
    """Return the codes of the problems of a call."""
    return sorted(problem.code for problem in problems_of(make))


class Session:
    """A session that only stores the text and the parameters of a query."""

    def __init__(self) -> None:
        """Start without a query."""
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def sql(self, text: str, parameters: dict[str, Any] | None = None) -> Any:
        """Store the query, and return what ``verify`` reads."""
        self.asked.append((text, parameters or {}))
        row = SimpleNamespace(files=0, bytes=0, findings=[])
        return SimpleNamespace(schema=None, collect=lambda: [row])


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    """Use a session that does not run anything."""
    made = Session()
    for module in ("stores", "verifying"):
        monkeypatch.setattr(f"windrow.{module}._session", lambda: made)
        monkeypatch.setattr(f"windrow.{module}._jar.check", lambda _: None)
    return made


def test_keys_and_bounds_are_literals(session: Session) -> None:
    """Keys and bounds need no named parameters, which the parser of Delta 4 drops."""
    state = wr.State("checkpoint")
    for value in VALUES:
        state.getKeys(key={"id": value})
    state.getMessages(1000, 1999, by={"id": np.int64(9)})
    assert [parameters for _, parameters in session.asked] == [{}] * (len(VALUES) + 1)
    text, _ = session.asked[-1]
    assert "start => 1000, end => 1999, by => named_struct(" in text
    assert text.endswith(", 9))")


def test_literals_keep_values_and_types(feed: Feed) -> None:
    """A literal has the value and the type that a parameter would have."""
    literals = ", ".join(str(_sql.literal(value)) for value in VALUES)
    row = feed.spark.sql(f"SELECT {literals}").collect()[0]
    assert list(row) == VALUES
    types = [type(value) for value in VALUES]
    assert [bytes if type(one) is bytearray else type(one) for one in row] == types
    nan = feed.spark.sql(f"SELECT {_sql.literal(float('nan'))}").collect()[0][0]
    assert nan != nan  # noqa: PLR0124
    assert _sql.literal(timedelta(1)) is None


@pytest.mark.parametrize(
    ("given", "folders"), [("panes", ["panes"]), (("a", "b"), ["a", "b"]), ((), [])]
)
def test_one_output_is_not_a_list_of_letters(
    session: Session, given: Any, folders: list[str]
) -> None:
    """A single folder is one output, not one for each of its letters."""
    wr.verify("checkpoint", outputs=given)
    array = f", outputs => array({', '.join(map(_sql.text, folders))})" if folders else ""
    assert session.asked[0][0].endswith(f"deep => false{array})")


@pytest.mark.parametrize(
    ("pace", "passed"),
    [
        ("10 s", "10 seconds"),
        ("500 ms", "500 milliseconds"),
        ("0 s", "0 seconds"),
        ("0.5 seconds", "500 milliseconds"),
    ],
)
def test_paces_have_the_units_of_durations(pace: str, passed: str) -> None:
    """Spark gets the interval of micro-batches in units that it knows."""
    assert list(_of_trigger(False, pace)) == []
    assert _trigger(False, pace) == {"processingTime": passed}


@pytest.mark.parametrize(
    ("pace", "code"),
    [
        ("ten seconds", "DURATION_NOT_UNDERSTOOD"),
        (" ", "DURATION_NOT_UNDERSTOOD"),
        ("10", "DURATION_WITHOUT_UNIT"),
        ("-1 second", "START_TRIGGER_NOT_UNDERSTOOD"),
    ],
)
def test_paces_that_spark_would_refuse_late(pace: str, code: str) -> None:
    """A wrong interval is reported before a start creates a folder."""
    assert [one.code for one in _of_trigger(False, pace)] == [code]


def test_drain_is_true_or_false() -> None:
    """A text such as "false" would be true."""
    (found,) = _of_trigger(True, None, drain="false")
    assert found.code == "START_TRIGGER_NOT_UNDERSTOOD"
    assert list(_of_trigger(True, None, drain=True)) == []


def test_names_of_queries_are_texts() -> None:
    """A name of another type is reported before the query is planned."""
    settings: dict[str, Any] = {"checkpoint": "c", "availableNow": True, "processingTime": None}
    with pytest.raises(TypeError, match=r"start\(name=\.\.\.\) must be str, not 5"):
        start(None, {}, **settings, name=5, drain=False)  # type: ignore[arg-type]


def test_classes_are_no_sinks() -> None:
    """A class can be called, but calling it writes nothing."""
    (found,) = problems_of_sinks({"panes": wr.Files})
    assert found.code == "SINK_NOT_UNDERSTOOD"
    assert "panes= is the class Files." in found.text


@pytest.mark.parametrize(
    ("sink", "given"),
    [(wr.Files, ()), (wr.Upsert, ()), (wr.Jdbc, ("jdbc:derby:x",)), (wr.KafkaTable, ("b:9092",))],
)
def test_targets_of_sinks_are_texts(sink: Callable[..., object], given: tuple[str, ...]) -> None:
    """None is not the folder or the table "None"."""
    with pytest.raises(TypeError, match="must be str"):
        sink(*given, None)


def test_names_of_join_columns_are_texts() -> None:
    """A Column in a list of names is reported, alone and in a list."""
    streams = [wr.JoinStream(name="o"), wr.JoinStream(name="s")]
    for on in ([5], [5, "id"]):
        names: Any = on
        join = partial(wr.JoinSpec, streams=streams, on=names, within=("0 s", "5 s"))
        assert codes(join) == ["NAME_NOT_UNDERSTOOD"]


def test_columns_in_lists_of_names(feed: Feed) -> None:
    """A Column is reported by its argument, with all other problems."""
    given: dict[str, Any] = {"key": None, "time": "time", "watermark": "0 seconds"}
    stream, other = (wr.stream(feed.batch(), **given, name=name) for name in "ab")
    column: Any = F.col("product")
    assert stream._key == ()
    for by in (column, [column]):
        assert codes(partial(stream.index, by=by)) == ["NAME_NOT_UNDERSTOOD"]
        dedup = partial(stream.lateness("0 s").dedup, "1 minute", orderBy=by)
        assert codes(dedup) == ["KEY_NOT_STATED", "NAME_NOT_UNDERSTOOD"]
        join = partial(wr.join, stream, other, on=by, within=("0 s", "5 s"))
        assert "NAME_NOT_UNDERSTOOD" in codes(join)
    for row_id in ("offset", ("topic", "partition", "offset")):
        wrong: Any = {**given, "rowId": row_id}
        assert codes(partial(wr.stream, feed.batch(), **wrong)) == ["ROWID_NOT_UNDERSTOOD"]


def test_constants_of_windows_without_rows() -> None:
    """Numbers of other types are converted, and values that are not constants are reported."""
    for given, read in (
        (Decimal(0), 0),
        (Decimal("0.5"), 0.5),
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (1.0, 1.0),
    ):
        ((_, value),) = GapValues.of({"x": given}).methods  # type: ignore[dict-item]
        assert (value, type(value)) == (read, type(read))
    for wrong in (float("nan"), float("inf"), Decimal("NaN"), None, object(), [0]):
        assert codes(partial(GapValues.of, wrong)) == ["GAP_VALUES"]  # type: ignore[arg-type]
    several: Any = {5: None}
    assert codes(partial(GapValues.of, several, "soon")) == [
        *("DURATION_NOT_UNDERSTOOD", "GAP_VALUES", "NAME_NOT_UNDERSTOOD")
    ]


@pytest.mark.parametrize("carry", [None, 60, timedelta(0).days])
def test_values_are_carried_for_durations_only(carry: Any) -> None:
    """A literal of another type would be the time of a row."""
    with pytest.raises(wr.SpecError, match=r"OVER_TIME.*cannot carry a value"):
        wr.increase("price", carry=carry)


def test_lengths_of_a_calendar_may_be_timedeltas() -> None:
    """A timedelta of whole minutes is a length of a calendar, in the greatest unit that fits."""
    zone = "Europe/Berlin"
    assert wr.Tumbling(timedelta(days=1), zone=zone) == wr.Tumbling("1 day", zone=zone)
    hours = wr.Hopping(timedelta(hours=2), step=timedelta(minutes=30), zone=zone)
    assert hours == wr.Hopping("2 hours", step="30 minutes", zone=zone)
    shifted = wr.Tumbling(timedelta(weeks=1), startTime=timedelta(days=6), zone=zone)
    assert shifted == wr.Tumbling("1 week", startTime="6 days", zone=zone)
    seconds = partial(wr.Tumbling, timedelta(seconds=90), zone=zone)
    assert codes(seconds) == ["CALENDAR_UNIT_NOT_UNDERSTOOD"]


def test_modes_of_running_queries_exist() -> None:
    """A mode that does not exist is reported although a running query has its own."""
    running: Any = SimpleNamespace(id="5")
    explained = partial(wr.explainAcceleration, running, "nonsense")
    assert codes(explained) == ["ARGUMENT_NOT_UNDERSTOOD"]


def test_questions_about_no_query() -> None:
    """Values that are not a query, a share, or a pause are reported before Spark is asked."""
    nothing: Any = None
    with pytest.raises(TypeError, match="needs the folder of a checkpoint or a StreamingQuery"):
        wr.advise(nothing)
    for share in ("x", 0, 1.5, float("nan")):
        asked: Any = share
        assert codes(partial(wr.advise, "checkpoint", asked)) == ["SHARE_NOT_UNDERSTOOD"]
    query: Any = SimpleNamespace(recentProgress=[])
    assert codes(partial(wr.watch, query, every="-1 second")) == ["NOT_POSITIVE"]


def test_loggers_and_levels() -> None:
    """A listener of Spark would hide the error of a wrong logger."""
    spark: Any = None
    wrong: Any = "alerts"
    with pytest.raises(TypeError, match=r"logBatches\(to\) must be Logger"):
        wr.logBatches(spark, wrong)
    with pytest.raises(TypeError, match=r"logBatches\(level\) must be int, not 'alerts'"):
        wr.logBatches(spark, logging.getLogger("alerts"), level=wrong)


@pytest.mark.parametrize(
    ("expected", "is_same"),
    [
        ({"off": 15.0, "on": 45.0 + 1e-12}, True),
        ({"on": 45.0, "off": 15}, True),
        ({"on": 45.0}, False),
        ({}, False),
        ({"on": 15.0, "off": 45.0}, False),
        ([("off", 15.0), ("on", 45.0)], True),
    ],
)
def test_maps_of_panes(expected: object, *, is_same: bool) -> None:
    """A map is compared with a dict of all its entries, in any order."""
    came = [{"seconds": [("off", 15.0), ("on", 45.0)]}]
    try:
        wr.testing.assertSamePanes(came, [{"seconds": expected}])
    except AssertionError:
        assert not is_same
    else:
        assert is_same


def test_columns_of_sinks_are_names() -> None:
    """A Column in place of a name is reported where it is written."""
    name: Any = F.col("id")
    for sink in (partial(wr.Upsert, "minutes"), partial(wr.KafkaTable, "server", "minutes")):
        with pytest.raises(TypeError, match=r"\(on=...\)"):
            sink(on=[name])
