"""Input tables for operators without a query, and a short form of their output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

import windrow as wr

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: Nine in the morning of the first day of 2025.
NINE = datetime(2025, 1, 1, 9, tzinfo=UTC)


def at(seconds: float) -> datetime:
    """Return the time this many seconds after nine."""
    return NINE + timedelta(seconds=seconds)


def seconds(time: datetime | None) -> float | None:
    """Return the seconds after nine."""
    return None if time is None else (time - NINE).total_seconds()


def table(columns: str, *rows: tuple[Any, ...]) -> pa.Table:
    """Return a table; numbers in a column ``time`` are seconds after nine."""
    names = columns.split()
    lists = [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in names]
    arrays = {
        name: pa.array(
            [None if value is None else at(value) for value in column],
            pa.timestamp("us", "UTC"),
        )
        if name == "time"
        else pa.array(column)
        for name, column in zip(names, lists, strict=True)
    }
    return pa.table(arrays)


def panes(result: pa.Table) -> list[tuple[Any, ...]]:
    """Return the rows as (keys and values, bounds in seconds, timing and index, signed)."""
    return [_pane(row) for row in result.to_pylist()]


def _pane(row: dict[str, Any]) -> tuple[Any, ...]:
    pane, window = row.pop("pane"), tuple(row.pop("window").values())
    bounds = tuple(seconds(one) if isinstance(one, datetime) else one for one in window)
    shown = tuple(value for name, value in row.items() if name != "message")
    sign = "-" if pane["is_retraction"] else ""
    return (*shown, bounds, f"{sign}{pane['timing']} {pane['index']}")


@contextmanager
def aggregated(**spec: Any) -> Iterator[wr.AggregatedWindowOperator]:
    """Open an operator and close it at the end."""
    with wr.AggregatedWindowOperator(wr.WindowOperatorSpec(**spec)) as operator:
        yield operator


def prices(**more: Any) -> Mapping[str, Any]:
    """Return the arguments of a spec over symbols and prices."""
    said = {"schema": "symbol string, time timestamp, price double", "time": "time"}
    return {**said, "key": "symbol", "lateness": "0 seconds", **more}


#: Arguments of a spec that counts the rows of each minute.
COUNTS = prices(window=wr.Tumbling("1 minute"), aggregates="count(*) AS n")


def counts(**more: Any) -> wr.WindowOperatorSpec:
    """Return the counting spec, with other arguments."""
    return wr.WindowOperatorSpec(**{**COUNTS, **more})
