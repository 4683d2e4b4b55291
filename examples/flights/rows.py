"""The results of the queries as plain values, with times in UTC."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import Row


@dataclass(frozen=True)
class Pane:
    """One pane. ``measures`` are its aggregates by name."""

    key: str
    start: datetime
    end: datetime
    measures: dict[str, Any]
    timing: str
    index: int
    is_retraction: bool
    file: int

    @property
    def window(self) -> tuple[str, datetime, datetime]:
        """The key and the bounds, which identify the window."""
        return self.key, self.start, self.end

    @property
    def flights(self) -> int:
        """The number of flights."""
        return int(self.measures["flights"])


@dataclass(frozen=True)
class Rejected:
    """A rejected flight, with the reason."""

    reason: str
    watermark: datetime
    message: dict[str, Any]
    file: int


@dataclass
class Answers:
    """The results of one query so far."""

    panes: list[Pane] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


def panes(found: Iterable[Row], file: int) -> list[Pane]:
    """Read panes of Windrow, or rows of Spark's window(), which lack the column pane."""
    return [_pane(row.asDict(), file) for row in found]


def rejected(found: Iterable[Row], file: int) -> list[Rejected]:
    """Read rejected rows."""
    return [
        Rejected(row["reason"], _utc(row["watermark"]), _plain(row["message"]), file)
        for row in found
    ]


def _pane(row: dict[str, Any], file: int) -> Pane:
    window, pane = row.pop("window"), row.pop("pane", None)
    key = row.pop("origin", None) or row.pop("carrier")
    timing, index, retraction = ("ON_TIME", 0, False)
    if pane is not None:
        timing, index, retraction = pane["timing"], pane["index"], pane["is_retraction"]
    start, end = _utc(window["start"]), _utc(window["end"])
    return Pane(key, start, end, row, timing, index, retraction, file)


def _plain(message: Row) -> dict[str, Any]:
    values = message.asDict().items()
    return {name: _utc(v) if isinstance(v, datetime) else v for name, v in values}


def _utc(local: datetime) -> datetime:
    """Convert a naive time of PySpark, which is in the time zone of the machine."""
    return local.astimezone(UTC)
