"""The figures of a micro-batch, read from the progress that Spark reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from windrow._specs import _instants

__all__ = ["BatchProgress", "SourceProgress", "figures", "open_after"]

REASONS = ("invalid_time", "too_far_ahead", "too_late", "out_of_retention")

_ROWS = ("read", "accepted", "rejected", "duplicates", "gaps", "replaced")
_MARK = "windrow_"
_REACH = "watermark"  # the watermark of an input, in microseconds
_LEVELS = ("open_windows", "open_windows_change", _REACH)


@dataclass(frozen=True)
class SourceProgress:
    """The progress of one source in a micro-batch.

    Attributes:
        name: The description of the source.
        rows: The number of rows in the micro-batch.
        waiting: The number of offsets that are not read yet, or None if the source does not report
            it.

    """

    name: str
    rows: int
    waiting: int | None = None


@dataclass(frozen=True)
class BatchProgress:
    """The figures of one micro-batch, summed over all Windrow operators of its query.

    Counts are rows, and read = accepted + rejected + duplicates + gaps holds in every micro-batch.

    Attributes:
        query: The name of the query, or its id.
        id: The id of the query.
        runId: The id of this run of the query.
        batch: The number of the micro-batch.
        time: The start of the micro-batch, as ISO text.
        read: Rows that Spark read.
        accepted: Rows that are in a window.
        rejected: Rows that no window accepted.
        duplicates: Rows whose offset was processed before.
        gaps: Rows between two windows.
        replaced: For ``dedup(keep="last")``, accepted rows of earlier micro-batches that a later
            row has replaced.
        reasons: The rejected rows by reason.
        panes: Emitted panes: early + onTime + late + withdrawn.
        early: Panes before the completion of their window.
        onTime: Panes at completion.
        late: Panes after completion.
        withdrawn: Retractions.
        rows: Emitted rows of joins, deduplications, and patterns.
        openWindows: By operator, the windows that still accept rows after the micro-batch, if every
            shard reports the number.
        openChange: By operator, the change of that number in the micro-batch. An operator that does
            not count its windows has neither value (docs/watching.md).
        watermark: The watermark before the micro-batch, or None.
        newest: The greatest event time in the micro-batch, or None.
        inputs: By stream of a join or co-group, the watermark that its rows of the micro-batch lead
            to, or None without rows. The least of all streams counts.
        sources: The progress of each source.
        stateRows: Rows in the state; 0 unless Spark counts them
            (``rocksdb.trackTotalNumberOfRows``).
        stateBytes: Memory of the state after the micro-batch.
        stateFileBytes: Size of the files of the state.
        batchMs: Duration of the micro-batch in milliseconds.
        parts: Its parts in milliseconds, by Spark's names.
        shardsMs: The part of ``addBatch`` in milliseconds that Windrow's shards and the consumers
            of their rows take, summed over all tasks.

    Example:
        ::

            last = wr.status(query).last
            print(last.batch, last.read, last.rejected)

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
    replaced: int = 0
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
        """Return how far the watermark is behind the newest event time of the micro-batch.

        Returns:
            The distance, or None if either of them does not exist.

        """
        if self.watermark is None or self.newest is None:
            return None
        return self.newest - self.watermark


def figures(progress: Mapping[str, Any]) -> BatchProgress:
    """Return the figures of a micro-batch from its progress.

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
        **{name: counts[name] for name in _ROWS},
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
    """Return the number of open windows after a micro-batch, by operator, as far as it is known.

    before: the numbers known before it; before the first micro-batch of a checkpoint they are 0.
    """
    known = dict.fromkeys(batch.openChange, 0) if batch.batch == 0 else before
    changed = {name: known[name] + by for name, by in batch.openChange.items() if name in known}
    return {**changed, **batch.openWindows}


def operators(progress: Mapping[str, Any]) -> dict[str, Counter[str]]:
    """Return the counts of each operator of a query in a micro-batch, by its name."""
    found: dict[str, Counter[str]] = {}
    for name, row in _observed(progress).items():
        counts = {key: value or 0 for key, value in row.items() if key not in _LEVELS}
        if counts:
            found.setdefault(_name(name.partition("/")[0]), Counter()).update(counts)
    return found


def _inputs(progress: Mapping[str, Any]) -> dict[str, datetime | None]:
    """Read the metrics ``windrow_<operator>/<input>/...`` of operators with several inputs."""
    return {
        _name(name.split("/")[1]): None if row[_REACH] is None else _instants.instant(row[_REACH])
        for name, row in _observed(progress).items()
        if _REACH in row and name.count("/") > 1
    }


def _told(progress: Mapping[str, Any], level: str) -> dict[str, int]:
    """Return a metric that is not a count of rows, by operator."""
    return {
        _name(name).removeprefix(_MARK): row[level]
        for name, row in _observed(progress).items()
        if row.get(level) is not None
    }


def _name(escaped: str) -> str:
    """Unescape a part of the name of a metric."""
    return escaped.replace("%2F", "/").replace("%25", "%")


def _observed(progress: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    rows = progress["observedMetrics"].items()
    return {name: _fields(row) for name, row in rows if name.startswith(_MARK)}


def _fields(observed: Any) -> Mapping[str, Any]:  # noqa: ANN401  a Row, or a dict of JSON
    """Return the fields of an observed row; Connect passes them as values and schema."""
    fields: Mapping[str, Any] = observed if isinstance(observed, Mapping) else observed.asDict()
    if fields.keys() != {"values", "schema"}:
        return fields
    names = [field["name"] for field in fields["schema"]["fields"]]
    return dict(zip(names, fields["values"], strict=True))


def _source(source: Mapping[str, Any]) -> SourceProgress:
    """Read the progress of a source; Kafka's reports the number of offsets not yet read."""
    metrics = source.get("metrics") or {}
    waiting = metrics.get("maxOffsetsBehindLatest")
    name = str(source["description"])
    return SourceProgress(name, source["numInputRows"], None if waiting is None else int(waiting))


def _custom(state: Mapping[str, Any], name: str) -> int:
    value: int = (state.get("customMetrics") or {}).get(name, 0)
    return value


def _shard_time(state: Mapping[str, Any]) -> int:
    """Return the time in Windrow's shards, with rows and when Spark calls them without any."""
    if "transformWithState" not in state["operatorName"]:
        return 0
    updates: int = state["allUpdatesTimeMs"]
    return updates + _custom(state, "timerProcessingTimeMs")


def _instant(text: str | None) -> datetime | None:
    """Read a time of Spark, which reports 1970 before there is a watermark."""
    found = None if text is None else _instants.read(text)
    return None if found == _instants.EPOCH else found
