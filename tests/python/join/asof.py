"""Random trades and quotes, and as-of joins of them by DuckDB and pandas."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import duckdb
import pandas as pd

from feed import Order, order

#: The key, the amount of the row of the first stream, and that of the second, or None.
Joined = tuple[str, int, int | None]

_COMPARED = {"backward": ">=", "forward": "<="}


def drawn(seed: int, keys: int, batches: int = 5) -> tuple[list[list[Order]], list[list[Order]]]:
    """Draw micro-batches of both streams, which move forward by half a minute; some rows are late.

    The amounts are unique, and a key has at most one row of the second stream at a time.
    """
    rng = random.Random(seed)  # noqa: S311  no secret
    taken: set[tuple[int, int]] = set()
    made: tuple[list[list[Order]], list[list[Order]]] = ([], [])
    number = 0
    for batch in range(batches):
        for side, rows in enumerate(made):
            some = []
            for key in range(keys):
                for _ in range(rng.randrange(5)):
                    number += 1
                    seconds = (
                        600 + batch * 30 + rng.randrange(60) - rng.choice([0, 0, 0, 25, 40, 150])
                    )
                    if side == 0 or (key, seconds) not in taken:
                        some.append(order(_at(seconds), f"k{key}", number))
                    if side == 1:
                        taken.add((key, seconds))
            rows.append(some)
    return made


def _at(seconds: int) -> str:
    return f"09:{seconds // 60:02}:{seconds % 60:02}"


def _table(rows: Sequence[Order]) -> pd.DataFrame:
    columns: dict[str, Any] = {
        "time": pd.to_datetime([row["time"] for row in rows]),
        "product": pd.Series([row["product"] for row in rows], dtype="object"),
        "amount": pd.Series([row["amount"] for row in rows], dtype="int64"),
    }
    return pd.DataFrame(columns).sort_values(["time", "amount"], ignore_index=True)


def by_duckdb(
    lefts: Sequence[Order], rights: Sequence[Order], direction: str, seconds: int | None, how: str
) -> list[Joined]:
    """Return the rows of ``ASOF JOIN``, which knows no tolerance, backward or forward."""
    l, r = _table(lefts), _table(rights)  # noqa: E741  the names of the tables in the query
    near = "true" if seconds is None else f"abs(epoch(l.time - r.time)) <= {seconds}"
    with duckdb.connect() as db:
        db.register("l", l)
        db.register("r", r)
        found = db.sql(
            f"SELECT l.product, l.amount, CASE WHEN {near} THEN r.amount END FROM l "  # noqa: S608
            f"ASOF LEFT JOIN r ON l.product = r.product AND l.time {_COMPARED[direction]} r.time"
        ).fetchall()
    return sorted((row for row in found if how == "left" or row[2] is not None), key=str)


def by_pandas(
    lefts: Sequence[Order], rights: Sequence[Order], direction: Any, seconds: int | None, how: str
) -> list[Joined]:
    """Return the rows of ``merge_asof``."""
    found = pd.merge_asof(
        _table(lefts),
        _table(rights),
        on="time",
        by="product",
        suffixes=("", "_right"),
        tolerance=None if seconds is None else pd.Timedelta(seconds=seconds),
        direction=direction,
    )
    rows = [
        (row.product_, row.amount, None if pd.isna(row.amount_right) else int(row.amount_right))
        for row in found.rename(columns={"product": "product_"}).itertuples()
    ]
    return sorted((row for row in rows if how == "left" or row[2] is not None), key=str)


def accepted(
    batches: Sequence[tuple[Sequence[Order], Sequence[Order]]],
    lateness: timedelta,
    delay: timedelta,
) -> list[tuple[list[Order], list[Order], list[Order]]]:
    """Return the accepted rows of both streams and the late ones, of each micro-batch.

    A query that restarts before each micro-batch judges rows by the watermark of the rows before,
    which is the least of both streams.
    """
    marks = [datetime.min, datetime.min]  # noqa: DTZ901  all times are UTC
    found = []
    for batch in batches:
        mark = min(marks)
        late = [row for rows in batch for row in rows if mark > _time(row) + lateness]
        found.append(
            ([r for r in batch[0] if r not in late], [r for r in batch[1] if r not in late], late)
        )
        marks = [
            max([old, *(_time(row) - delay for row in rows)])
            for old, rows in zip(marks, batch, strict=True)
        ]
    return found


def _time(row: Order) -> datetime:
    return datetime.fromisoformat(row["time"])
