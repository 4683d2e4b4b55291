"""Operators without a query whose output contains rows: full state, joins, several as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import windrow as wr
from operators.tables import at, panes, prices, seconds, table

if TYPE_CHECKING:
    import pyarrow as pa

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


def _kept(**more: Any) -> wr.FullStateWindowOperator:
    said = {
        "schema": "id bigint, time timestamp, value string, topic string, partition int, "
        "offset bigint",
        "time": "time",
        "key": "id",
        "rowId": wr.KAFKA,
        "window": wr.Tumbling("1 minute"),
        "lateness": "0 seconds",
        "retention": wr.Retention(time="10 minutes"),
    }
    return wr.FullStateWindowOperator(wr.WindowOperatorSpec(**{**said, **more}))


def _numbered(*rows: tuple[int, float, str, int]) -> pa.Table:
    whole = [(id_, time, value, "t", 0, offset) for id_, time, value, offset in rows]
    return table("id time value topic partition offset", *whole)


def test_full_state_keeps_its_messages() -> None:
    """Full state emits new rows in panes, and lookups return kept rows by time, offset or key."""
    with _kept() as op:
        op.addMessages(_numbered((9, 10, "x", 1), (8, 20, "y", 2), (9, 70, "z", 3)))
        rows = op.getResult().to_pylist()
        new = {
            (row["id"], seconds(row["window"]["start"])): [one["value"] for one in row["messages"]]
            for row in rows
        }
        assert new == {(9, 0.0): ["x"], (8, 0.0): ["y"], (9, 60.0): ["z"]}

        def values(*ends: Any, **keys: Any) -> list[str]:
            found: list[str] = op.getMessages(*ends, **keys).column("value").to_pylist()
            return found

        assert values(at(10), at(70)) == ["x", "y", "z"]
        assert values(at(11), None) == ["y", "z"]
        assert values(at(0), "2025-01-01 09:00:59", joinKeys={"id": 9}) == ["x"]
        assert values(None, None, key={"id": 9}) == ["x", "z"]
        assert values(2, 3) == ["y", "z"]
        assert op.getMessages().schema.names == op._schema("messages").names

        op.advanceWatermark(at(60))
        windows = op.getWindows(None, None, key={"id": 9})
        assert windows.schema.names == [
            *("id", "window", "first_offset", "last_offset", "is_complete", "count"),
        ]
        shown = [(row["first_offset"], row["is_complete"]) for row in windows.to_pylist()]
        assert shown == [(1, True), (3, False)]
        assert op.getWindow({"id": 9}, at(60)).column("last_offset").to_pylist() == [3]
        assert op.getWindow({"id": 9}, at(61)).num_rows == 0
        op.advanceWatermark(at(660))
        assert values(None, None) == ["z"]


def _complete(op: wr.FullStateWindowOperator) -> list[bool]:
    return [row["is_complete"] for row in op.getWindows().to_pylist()]


def test_windows_are_complete_by_their_own_axis() -> None:
    """Windows complete on their own axis.

    A closed window completes after its last instant (W5), an offset window by offsets alone (R21).
    """
    with _kept(window=wr.Sliding("1 minute")) as op:
        op.addMessages(_numbered((9, 10, "x", 1)))
        op.advanceWatermark(at(10))
        assert _complete(op) == [False]
        op.advanceWatermark(at(10.000001))
        assert _complete(op) == [True]
    with _kept(window=wr.OffsetRange(2), lateness=0) as op:
        op.addMessages(_numbered((9, 10, "x", 0), (9, 20, "y", 1), (9, 30, "z", 2)))
        op.advanceWatermark(at(600))
        assert _complete(op) == [True, False]
        first, second = op.getWindows(None, None).column("window").to_pylist()
        assert op.getWindows(0, 1).column("window").to_pylist() == [first]
        assert op.getWindow({"id": 9}, 2).column("window").to_pylist() == [second]


def _join(**more: Any) -> wr.StreamStreamJoinOperator:
    streams = [
        wr.JoinStream(name="o", schema="id bigint, time timestamp, value string", time="time"),
        wr.JoinStream(name="s", schema="time timestamp, cost double, id bigint", time="time"),
    ]
    said = {"streams": streams, "on": "id", "within": ("0 minutes", "5 minutes")}
    return wr.StreamStreamJoinOperator(wr.JoinSpec(**{**said, "lateness": "0 seconds", **more}))


def test_left_join() -> None:
    """A left join emits pairs with the later row, and a single row once no partner can arrive."""
    with _join(how="left") as op:
        op.addMessages(table("id time value", (1, 0, "x"), (2, 0, "y")), stream="o")
        op.addMessages(table("time cost id", (300, 7.5, 1), (301, 1.0, 2)), stream="s")
        op.advanceWatermark(at(301))
        result = op.getResult()
        assert result.schema.names == ["id", "o", "s"]
        rows = [
            (row["id"], row["o"]["value"], row["s"] and row["s"]["cost"])
            for row in result.to_pylist()
        ]
        assert rows == [(1, "x", 7.5), (2, "y", None)]
        for key, costs in ((1, []), (2, [1.0])):
            held = op.getMessages(stream="s", joinKeys={"id": key})
            assert held.column("cost").to_pylist() == costs
        op.addMessage({"id": 3, "time": at(0), "value": "late"}, stream="o")
        rejected = op.getRejected().to_pylist()
        assert [(row["stream"], row["reason"]) for row in rejected] == [("o", "TOO_LATE")]
        assert (rejected[0]["message"]["o"]["value"], rejected[0]["message"]["s"]) == ("late", None)


@pytest.mark.parametrize(
    ("how", "rows"),
    [
        ("inner", [(1, "x", 7.5)]),
        ("right", [(1, "x", 7.5), (3, None, 1.0)]),
        ("full", [(1, "x", 7.5), (2, "y", None), (3, None, 1.0)]),
        ("semi", [(1, "x")]),
        ("anti", [(2, "y")]),
    ],
)
def test_kinds_of_joins(how: Any, rows: list[tuple[Any, ...]]) -> None:
    """Each kind of join emits its rows with its columns."""
    with _join(how=how) as op:
        op.addMessages(table("id time value", (1, 0, "x"), (2, 0, "y")), stream="o")
        op.addMessages(table("time cost id", (0, 7.5, 1), (0, 1.0, 3)), stream="s")
        op.finish()
        shown = [
            (
                row["id"],
                *(one and one[name] for one, name in _sides(row)),
            )
            for row in op.getResult().to_pylist()
        ]
        assert sorted(shown) == rows


def _sides(row: dict[str, Any]) -> list[tuple[dict[str, Any] | None, str]]:
    return [(row[side], name) for side, name in (("o", "value"), ("s", "cost")) if side in row]


def test_streams_merged_in_one_window() -> None:
    """Merged streams emit the rows of each stream, once the least watermark passes the window."""
    spec = wr.CoGroupSpec(
        streams=[
            wr.JoinStream(name="o", schema="id bigint, time timestamp, value string", time="time"),
            wr.JoinStream(name="s", schema="time timestamp, cost double, id bigint", time="time"),
        ],
        on="id",
        window=wr.WindowOperatorSpec(window=wr.Tumbling("1 minute"), lateness="0 seconds"),
    )
    with wr.MergedWindowOperator(spec) as op:
        op.addMessages(table("id time value", (1, 20, "y"), (1, 0, "x"), (2, 0, "z")), stream="o")
        op.addMessages(table("time cost id", (10, 7.5, 1)), stream="s")
        op.advanceWatermark(at(90), stream="o")
        assert op.getResult().num_rows == 0
        op.advanceWatermark(at(60), stream="s")
        rows = op.getResult().to_pylist()
        assert op.getResult().schema.names == ["id", "window", "messages", "pane"]
        merged = {
            row["id"]: (
                [one["value"] for one in row["messages"]["o"]],
                [one["cost"] for one in row["messages"]["s"]],
            )
            for row in rows
        }
        assert merged == {1: (["x", "y"], [7.5]), 2: (["z"], [])}


def test_composite() -> None:
    """A composite connects full state, a join and an aggregate by their stream names."""
    orders = wr.FullStateWindowOperator(
        wr.WindowOperatorSpec(
            schema="id bigint, time timestamp, value string",
            time="time",
            key="id",
            window=wr.Tumbling("1 minute"),
            lateness="0 seconds",
            retention=wr.Retention(time="10 minutes"),
            inputStreams="orders",
            outputStreams="o",
        )
    )
    totals = wr.AggregatedWindowOperator(
        wr.WindowOperatorSpec(
            schema="id bigint, o struct<id: bigint, time: timestamp, value: string>, "
            "s struct<time: timestamp, cost: double, id: bigint>",
            time="s.time",
            window=wr.Tumbling("10 minutes"),
            lateness="0 seconds",
            aggregates=["count(*) AS n", "sum(s.cost) AS cost"],
            inputStreams="pairs",
            outputStreams="totals",
        )
    )
    # The parts are added in another order than they run in.
    composite = wr.CompositeOperator().addOperator(totals).addOperator(orders)
    with composite.addOperator(_join(outputStreams="pairs")):
        composite.addMessages(table("id time value", (1, 0, "x"), (2, 5, "y")), stream="orders")
        composite.addMessages(table("time cost id", (10, 7.5, 1), (20, 1.0, 2)), stream="s")
        composite.process({"time": at(30), "cost": 2.0, "id": 2}, stream="s")
        assert composite.getResult().num_rows == 0
        composite.advanceWatermark(at(600))
        assert panes(composite.getResult()) == [(3, 10.5, (0.0, 600.0), "ON_TIME 0")]
        composite.flush()
        assert composite.getResult("totals").num_rows == 0


def test_composites_that_cannot_be_wired() -> None:
    """A composite reports all wrong stream names before it starts."""

    def part(inputs: str, output: str) -> wr.AggregatedWindowOperator:
        window = wr.Tumbling("1 minute")
        said = prices(window=window, aggregates="count(*)", inputStreams=inputs)
        return wr.AggregatedWindowOperator(wr.WindowOperatorSpec(**said, outputStreams=output))

    circle = wr.CompositeOperator().addOperator(part("a", "b")).addOperator(part("b", "a"))
    with pytest.raises(wr.SpecError, match=r"STREAMS_IN_A_CIRCLE.*'b', 'a' depend"):
        circle.init()
    twice = wr.CompositeOperator().addOperator(part("a", "b")).addOperator(part("a", "b"))
    with pytest.raises(wr.SpecError, match=r"STREAM_TWICE"):
        twice.init()
    with pytest.raises(wr.SpecError, match=r"OPERATOR_MISSING"):
        wr.CompositeOperator().init()
    sends = wr.AggregatedWindowOperator(part("a", "b").spec, send=lambda _: True)
    with pytest.raises(wr.SpecError, match=r"SEND_TWICE"):
        wr.CompositeOperator().addOperator(sends).init()
    with wr.CompositeOperator().addOperator(part("a", "b")) as composite:
        composite.init()
        with pytest.raises(wr.OperatorError, match=r"ALREADY_OPEN"):
            composite.addOperator(part("b", "c"))
