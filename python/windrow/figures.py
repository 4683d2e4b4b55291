"""What a micro-batch was: its figures, read off the progress that Spark reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from windrow._specs import _instants

__all__ = ["BatchProgress", "SourceProgress", "figures", "open_after"]

REASONS = ("invalid_time", "too_far_ahead", "too_late", "out_of_retention")

_MARK = "windrow_"
_REACH = "watermark"  # of an input, in microseconds
_LEVELS = ("open_windows", "open_windows_change", _REACH)


@dataclass(frozen=True)
class SourceProgress:
    """What a source brought: rows of the batch, and how many offsets wait behind it, if it says."""

    name: str
    rows: int
    waiting: int | None = None


@dataclass(frozen=True)
class BatchProgress:
    """The figures of one micro-batch, of all windrow operators of its query together.

    Counts are rows: read = accepted + rejected + duplicates + gaps; ``reasons`` are the rejected by
    reason. ``panes`` = early + onTime + late + withdrawn; ``rows`` are those of joins. watermark:
    before the batch; newest: greatest event time in the batch; both are None where there is none.
    inputs: of joins and co-groups, by stream, how far its rows of the batch bring the watermark,
    which is the least of all; None: it brought none.
    ``batchMs`` and its ``parts`` (Spark's names) are milliseconds; ``shardsMs``, a part of
    ``addBatch``, is the time of windrow's shards and of whoever takes their rows, of all tasks
    together. stateBytes: memory; stateFileBytes: files; stateRows: 0 unless Spark counts them
    (``rocksdb.trackTotalNumberOfRows``). openWindows: by operator, windows that still take messages
    after the batch, if all shards tell it in this one; openChange: how many more these are than
    before it. An operator that does not know them has neither (docs/watching.md).
    """

    query: str
    id: str
    runId: str
    batch: int
    time: str
    read: int = 0
    accepted: int = 0
    rejected: int = 0
    duplicates: int = 0
    gaps: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    panes: int = 0
    early: int = 0
    onTime: int = 0
    late: int = 0
    withdrawn: int = 0
    rows: int = 0
    openWindows: Mapping[str, int] = field(default_factory=dict)
    openChange: Mapping[str, int] = field(default_factory=dict)
    watermark: datetime | None = None
    newest: datetime | None = None
    inputs: Mapping[str, datetime | None] = field(default_factory=dict)
    sources: Sequence[SourceProgress] = ()
    stateRows: int = 0
    stateBytes: int = 0
    stateFileBytes: int = 0
    batchMs: int = 0
    parts: Mapping[str, int] = field(default_factory=dict)
    shardsMs: int = 0

    @property
    def behind(self) -> timedelta | None:
        """How far the watermark is behind the newest event time of the batch."""
        if self.watermark is None or self.newest is None:
            return None
        return self.newest - self.watermark


def figures(progress: Mapping[str, Any]) -> BatchProgress:
    """Read the figures of a micro-batch off its progress.

    progress: an entry of ``query.recentProgress``, of a listener's event, or its JSON as a dict.
    """
    counts = sum(operators(progress).values(), Counter[str]())
    times, states = progress["eventTime"], progress["stateOperators"]
    parts = dict(progress["durationMs"])
    return BatchProgress(
        query=progress["name"] or progress["id"],
        id=str(progress["id"]),
        runId=str(progress["runId"]),
        batch=progress["batchId"],
        time=progress["timestamp"],
        **{name: counts[name] for name in ("read", "accepted", "rejected", "duplicates", "gaps")},
        reasons={name.upper(): counts[name] for name in REASONS if counts[name]},
        **{name: counts[name] for name in ("panes", "early", "late", "withdrawn", "rows")},
        onTime=counts["on_time"],
        openWindows=_told(progress, "open_windows"),
        openChange=_told(progress, "open_windows_change"),
        watermark=_instant(times.get("watermark")),
        newest=_instant(times.get("max")),
        inputs=_inputs(progress),
        sources=[_source(source) for source in progress["sources"]],
        stateRows=sum(state["numRowsTotal"] for state in states),
        stateBytes=sum(state["memoryUsedBytes"] for state in states),
        stateFileBytes=sum(_custom(state, "rocksdbSstFileSize") for state in states),
        batchMs=parts.pop("triggerExecution", progress["batchDuration"]),
        parts=parts,
        shardsMs=sum(_shard_time(state) for state in states),
    )


def open_after(before: Mapping[str, int], batch: BatchProgress) -> dict[str, int]:
    """Tell how many windows are open after a batch, by operator, as far as that is known.

    before: what was known before it; of the first batch of a checkpoint there were none.
    """
    known = dict.fromkeys(batch.openChange, 0) if batch.batch == 0 else before
    changed = {name: known[name] + by for name, by in batch.openChange.items() if name in known}
    return {**changed, **batch.openWindows}


def operators(progress: Mapping[str, Any]) -> dict[str, Counter[str]]:
    """Give what each operator of a query counted in a batch, with the messages that it read."""
    found: dict[str, Counter[str]] = {}
    for name, row in _observed(progress).items():
        counts = {key: value or 0 for key, value in row.items() if key not in _LEVELS}
        if counts:
            found.setdefault(_name(name.partition("/")[0]), Counter()).update(counts)
    return found


def _inputs(progress: Mapping[str, Any]) -> dict[str, datetime | None]:
    """Read ``windrow_<operator>/<input>/...``, of which those of several inputs tell it."""
    return {
        _name(name.split("/")[1]): None if row[_REACH] is None else _instants.instant(row[_REACH])
        for name, row in _observed(progress).items()
        if _REACH in row and name.count("/") > 1
    }


def _told(progress: Mapping[str, Any], level: str) -> dict[str, int]:
    """Give what operators tell of something that is no count of rows; by their names."""
    return {
        _name(name).removeprefix(_MARK): row[level]
        for name, row in _observed(progress).items()
        if row.get(level) is not None
    }


def _name(escaped: str) -> str:
    """Give a part of the name of metrics as its user wrote it."""
    return escaped.replace("%2F", "/").replace("%25", "%")


def _observed(progress: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    rows = progress["observedMetrics"].items()
    return {name: _fields(row) for name, row in rows if name.startswith(_MARK)}


def _fields(observed: Any) -> Mapping[str, Any]:  # noqa: ANN401  a Row, or a dict of JSON
    """Give the fields of an observed row, which Connect hands over as values and schema."""
    fields: Mapping[str, Any] = observed if isinstance(observed, Mapping) else observed.asDict()
    if fields.keys() != {"values", "schema"}:
        return fields
    names = [field["name"] for field in fields["schema"]["fields"]]
    return dict(zip(names, fields["values"], strict=True))


def _source(source: Mapping[str, Any]) -> SourceProgress:
    """Read what a source says; Kafka's tells how many offsets it has not read yet."""
    said = source.get("metrics") or {}
    waiting = said.get("maxOffsetsBehindLatest")
    name = str(source["description"])
    return SourceProgress(name, source["numInputRows"], None if waiting is None else int(waiting))


def _custom(state: Mapping[str, Any], name: str) -> int:
    value: int = (state.get("customMetrics") or {}).get(name, 0)
    return value


def _shard_time(state: Mapping[str, Any]) -> int:
    """Time in windrow's shards: with messages, and when Spark wakes them without any."""
    if "transformWithState" not in state["operatorName"]:
        return 0
    updates: int = state["allUpdatesTimeMs"]
    return updates + _custom(state, "timerProcessingTimeMs")


def _instant(text: str | None) -> datetime | None:
    """Read what Spark says; it says 1970 before there is a watermark."""
    found = None if text is None else _instants.read(text)
    return None if found == _instants.EPOCH else found
