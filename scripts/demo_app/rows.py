"""What the queries answered, as plain values; times are UTC."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import Row


@dataclass(frozen=True)
class Pane:
    """One answer for one window; ``measures`` by their names in the query."""

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
        """What names the window."""
        return self.key, self.start, self.end

    @property
    def flights(self) -> int:
        """Flights in it."""
        return int(self.measures["flights"])


@dataclass(frozen=True)
class Rejected:
    """A flight that entered no window, and why."""

    reason: str
    watermark: datetime
    message: dict[str, Any]
    file: int


@dataclass
class Answers:
    """All that one query has answered so far."""

    panes: list[Pane] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


def panes(found: Iterable[Row], file: int) -> list[Pane]:
    """Read rows of windrow's panes, or of Spark's window() (which have no pane column)."""
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
    """PySpark hands out times of the machine's zone without saying so."""
    return local.astimezone(UTC)
