"""Two joined streams of orders, and the expected rows of every kind of join."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import windrow as wr
from feed import NOTHING, Feed, Order, order

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

ORDERS = [
    [order("09:00:00", "x", 1), order("09:01:00", "y", 2), order("09:01:30", None, 3)],
    [order("09:30:00", "x", 4)],
    [order("10:30:00", "x", 5), order(None, "x", 6)],
    NOTHING,
]
SHIPMENTS = [
    [order("09:04:00", "x", 10)],
    [order("09:31:00", "x", 20), order("09:35:00", "x", 30)],
    [order("10:31:00", "x", 40), order("09:00:00", "x", 50)],
    NOTHING,
]
MATCHED = [("x", 1, 10), ("x", 4, 20), ("x", 4, 30), ("x", 5, 40)]
ROWS: dict[str, Sequence[tuple[Any, ...]]] = {
    "inner": MATCHED,
    "left": [*MATCHED, ("y", 2, None), (None, 3, None)],
    "right": MATCHED,
    "full": [*MATCHED, ("y", 2, None), (None, 3, None)],
    "semi": [("x", 1), ("x", 4), ("x", 5)],
    "anti": [("y", 2), (None, 3)],
}


class Both:
    """Two streams of orders with common micro-batches."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """Start without files."""
        self.orders, self.shipments = Feed(spark, folder / "o"), Feed(spark, folder / "s")
        self.feeds = (self.orders, self.shipments)
        self.run = self.orders.run

    def add(self, orders: Sequence[Sequence[Order]], shipments: Sequence[Sequence[Order]]) -> Both:
        """Add a micro-batch for each pair."""
        self.orders.add(*orders)
        self.shipments.add(*shipments)
        return self

    def streams(
        self, *, batch: bool = False, lateness: str | None = "0 seconds", **more: Any
    ) -> tuple[wr.Stream, wr.Stream]:
        """Return both streams, with a watermark delay of one minute."""
        said = {"time": "time", "watermark": None if batch else "1 minute", **more}
        made = [
            wr.stream(feed.batch() if batch else feed.stream(), name=name, **said)
            for name, feed in (("o", self.orders), ("s", self.shipments))
        ]
        o, s = made if lateness is None else [one.lateness(lateness) for one in made]
        return o, s


def amounts(rows: Sequence[Row | tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the key and the amounts of the rows, sorted."""
    found = [(row[0], *(one and one.amount for one in row[1:])) for row in rows]
    return sorted(found, key=str)
