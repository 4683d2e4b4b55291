"""The status of a query over its micro-batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from windrow._markup import _html
from windrow._running import _ledger
from windrow._watching import _words
from windrow.figures import REASONS, BatchProgress, figures, open_after, operators

#: The number of micro-batches without rows after which an input counts as silent.
_SILENT = 3
_EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Status:
    """The status of a query, summed over the micro-batches that Spark still reports.

    ``wr.status`` returns it. ``print`` shows it in a few lines, and a notebook as a table. Spark
    reports the last 100 micro-batches. Counts are rows.

    Attributes:
        isActive: Whether the query runs.
        batches: The number of micro-batches that are counted.
        totals: Counts by the names of ``BatchProgress``, and the rejected rows by reason.
        last: The newest micro-batch, or None before the first.
        newest: The greatest event time, or None.
        openWindows: By operator, the windows that still accept rows, if the number is known.
        inputs: By stream of a join or co-group, the watermark of its rows, or None without rows.
        quiet: By source, the number of newest micro-batches in a row without rows, while another
            source had some.
        error: The error that ended the query, or None.
        unexplainedDuplicates: Duplicates that the log of the source (Kafka) does not explain. It
            must be 0. Otherwise offsets were reset, the topic was re-created, rows were duplicated
            before Windrow, or rows were lost.

    Example:
        ::

            status = wr.status(query)
            assert status.unaccounted == 0
            print(status.reasons)  # {'TOO_LATE': 1}

    """

    isActive: bool = True
    batches: int = 0
    totals: Mapping[str, int] = field(default_factory=Counter)
    last: BatchProgress | None = None
    newest: datetime | None = None
    openWindows: Mapping[str, int] = field(default_factory=dict)
    inputs: Mapping[str, datetime | None] = field(default_factory=dict)
    quiet: Mapping[str, int] = field(default_factory=dict)
    error: str | None = None
    unexplainedDuplicates: int = 0
    _counted: Mapping[str, int] = field(default_factory=dict, repr=False)  # by run, the last batch
    _operators: Mapping[str, Counter[str]] = field(default_factory=dict, repr=False)  # their counts
    # By stream, the newest micro-batches without its rows in which the watermark did not move.
    _missing: Mapping[str, int] = field(default_factory=dict, repr=False)
    _memory: int = field(default=0, repr=False)  # of the state before the newest micro-batch

    @property
    def behind(self) -> timedelta | None:
        """Return how far the watermark is behind the newest event time.

        Returns:
            The distance, or None before the first watermark.

        """
        if self.last is None or self.last.watermark is None or self.newest is None:
            return None
        return self.newest - self.last.watermark

    @property
    def read(self) -> int:
        """Return the number of rows that Spark read.

        Returns:
            accepted + rejected + duplicates + gaps.

        """
        return self.totals.get("read", 0)

    @property
    def accepted(self) -> int:
        """Return the number of rows that are in a window.

        Returns:
            The number of rows.

        """
        return self.totals.get("accepted", 0)

    @property
    def rejected(self) -> int:
        """Return the number of rows that no window accepted.

        Returns:
            The number of rows.

        """
        return self.totals.get("rejected", 0)

    @property
    def duplicates(self) -> int:
        """Return the number of rows whose offset was processed before.

        Returns:
            The number of rows.

        """
        return self.totals.get("duplicates", 0)

    @property
    def gaps(self) -> int:
        """Return the number of rows between two windows.

        Returns:
            The number of rows.

        """
        return self.totals.get("gaps", 0)

    @property
    def replaced(self) -> int:
        """Return the number of accepted rows that ``dedup(keep="last")`` replaced later.

        The kept rows are accepted - replaced.

        Returns:
            The number of rows.

        """
        return self.totals.get("replaced", 0)

    @property
    def panes(self) -> int:
        """Return the number of emitted panes.

        Returns:
            The number of panes, including retractions.

        """
        return self.totals.get("panes", 0)

    @property
    def rows(self) -> int:
        """Return the number of emitted rows of joins, deduplications, and patterns.

        Returns:
            The number of rows.

        """
        return self.totals.get("rows", 0)

    @property
    def reasons(self) -> dict[str, int]:
        """Return the rejected rows by reason.

        Returns:
            A dict such as ``{'TOO_LATE': 1}``, without reasons that do not occur.

        """
        named = (reason.upper() for reason in REASONS)
        return {reason: self.totals[reason] for reason in named if self.totals.get(reason)}

    @property
    def watermark(self) -> datetime | None:
        """Return the watermark before the newest micro-batch.

        Returns:
            The watermark, or None if there is none yet.

        """
        return None if self.last is None else self.last.watermark

    @property
    def stateBytes(self) -> int:
        """Return the memory of the state in the newest micro-batch.

        Returns:
            The greater number of bytes of before and after the micro-batch, because RocksDB writes
            its memory to files at every snapshot, by default every tenth micro-batch.

        """
        return 0 if self.last is None else max(self._memory, self.last.stateBytes)

    @property
    def unaccounted(self) -> int:
        """Return the number of rows that were read and are in no other count.

        It must be 0. There is one exception: if Spark repeated a task whose output was lost,
        ``read`` may be too high, and the counts of a micro-batch that is written to several sinks
        may be too low (docs/reference/limits.md).

        Returns:
            read - accepted - rejected - duplicates - gaps.

        """
        return self.read - self.accepted - self.rejected - self.duplicates - self.gaps

    @property
    def heldBackBy(self) -> str | None:
        """Return the stream for which the watermark waits.

        Returns:
            The name of the stream with the least watermark, if the last 3 micro-batches with rows
            of other streams had none of it and did not move the watermark, or if it has never had
            a row and there is no watermark yet. Otherwise None, also while the watermark does not
            wait because the stream is idle (``EventTimeWatermark(idle=…)``).

        """
        order = sorted(self.inputs, key=lambda name: self.inputs[name] or _EARLIEST)
        if len(order) < 2 or self.inputs[order[0]] == self.inputs[order[-1]]:  # noqa: PLR2004
            return None
        least, now = self.inputs[order[0]], self.watermark
        if least is not None and now is not None and now > least:
            return None
        waits = self._missing.get(order[0], 0) >= _SILENT or (least is None and now is None)
        return order[0] if waits else None

    def after(self, progress: Mapping[str, Any]) -> Status:
        """Return the status after one more micro-batch.

        Args:
            progress: The progress that Spark reports for it.

        Returns:
            The new status, or the same one if Windrow had no part in the micro-batch or it was
            counted before.

        """
        if not operators(progress) and not progress["numInputRows"]:
            return self
        batch = figures(progress)
        if batch.batch <= self._counted.get(batch.runId, -1):
            return self
        unexplained = self.unexplainedDuplicates + _unexplained(progress)
        named = {
            name.removeprefix("windrow_"): counts for name, counts in operators(progress).items()
        }
        counted = {
            name: Counter(self._operators.get(name, {})) + counts for name, counts in named.items()
        }
        return replace(
            _after(self, batch),
            unexplainedDuplicates=unexplained,
            _operators={**self._operators, **counted},
        )

    def __str__(self) -> str:
        """Show the status in lines."""
        rows = _words.rows(self)
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:{width}}  {text}" for name, text in rows)

    def _repr_html_(self) -> str:
        rows = [
            (name, _html.red(text) if name == _words.ERROR else text)
            for name, text in _words.rows(self)
        ]
        return _html.card("", rows)


def _after(before: Status, batch: BatchProgress) -> Status:
    newest = [time for time in (before.newest, batch.newest) if time is not None]
    return replace(
        before,
        batches=before.batches + 1,
        totals=Counter(before.totals) + Counter(_counts(batch)),
        last=batch,
        newest=max(newest, default=None),
        openWindows=open_after(before.openWindows, batch),
        inputs=_reached(before.inputs, batch),
        quiet=_quiet(before.quiet, batch),
        _counted={**before._counted, batch.runId: batch.batch},
        _missing=_missing(before, batch),
        _memory=before.last.stateBytes if before.last and before.last.runId == batch.runId else 0,
    )


def _unexplained(progress: Mapping[str, Any]) -> int:
    counted = operators(progress).values()
    sources = progress["sources"]
    return sum(
        _ledger.unexplained(sources, of["read"], of["duplicates"] - of["copies"]) for of in counted
    )


_COUNTS = ("read", "accepted", "rejected", "duplicates", "gaps", "replaced", "panes", "rows")
_TIMINGS = ("early", "onTime", "late", "withdrawn")


def _counts(batch: BatchProgress) -> dict[str, int]:
    named = {name: getattr(batch, name) for name in (*_COUNTS, *_TIMINGS)}
    return {**named, **batch.reasons}


def _reached(
    before: Mapping[str, datetime | None], batch: BatchProgress
) -> dict[str, datetime | None]:
    """Advance the watermark of each input."""
    both = ((name, (before.get(name), now)) for name, now in batch.inputs.items())
    return {
        **before,
        **{name: max((at for at in times if at), default=None) for name, times in both},
    }


def _quiet(before: Mapping[str, int], batch: BatchProgress) -> dict[str, int]:
    """Count the micro-batches in a row without rows of a source, while another source has some."""
    if len(batch.sources) < 2 or not any(source.rows for source in batch.sources):  # noqa: PLR2004
        return dict(before)
    return {s.name: 0 if s.rows else before.get(s.name, 0) + 1 for s in batch.sources}


def _missing(before: Status, batch: BatchProgress) -> dict[str, int]:
    """Count the micro-batches in a row without rows of a stream.

    Only those count in which another stream had rows and the watermark did not move.
    """
    if batch.watermark != before.watermark:
        return {}
    if not any(batch.inputs.values()):
        return dict(before._missing)
    return {
        name: 0 if reached else before._missing.get(name, 0) + 1
        for name, reached in batch.inputs.items()
    }
