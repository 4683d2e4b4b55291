"""The status of a query, batch after batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from windrow._drawing import _html
from windrow._drawing._marks import RED
from windrow._running import _ledger
from windrow._watching import _words
from windrow.figures import REASONS, BatchProgress, figures, open_after, operators

_EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Status:
    """The status of a query: ``str`` shows it in a few lines, and a notebook as a table.

    All counts are rows over the batches that Spark still reports (it keeps the last 100).

    isActive: whether the query runs. batches: number of micro-batches that are counted. totals:
    counts by the names of ``BatchProgress``, and the rejected rows by reason. last: the newest
    micro-batch; None before the first. newest: the greatest event time. openWindows: by operator,
    the windows that still accept rows, if the number is known. inputs: by stream of a join or
    co-group, the watermark of its rows; None without rows. quiet: by source, the last micro-batches
    in a row without rows, while another had some. error: the error that ended the query.
    unexplainedDuplicates: duplicates that the log of the source (Kafka) does not explain. It must
    be 0; otherwise offsets were reset, the topic was re-created, rows were duplicated before
    Windrow, or rows were lost.
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

    @property
    def behind(self) -> timedelta | None:
        """How far the watermark is behind the newest event time."""
        if self.last is None or self.last.watermark is None or self.newest is None:
            return None
        return self.newest - self.last.watermark

    @property
    def read(self) -> int:
        """Rows that Spark read: accepted + rejected + duplicates + gaps."""
        return self.totals.get("read", 0)

    @property
    def accepted(self) -> int:
        """Rows that are in a window."""
        return self.totals.get("accepted", 0)

    @property
    def rejected(self) -> int:
        """Rows that no window accepted."""
        return self.totals.get("rejected", 0)

    @property
    def duplicates(self) -> int:
        """Rows whose offset was processed before."""
        return self.totals.get("duplicates", 0)

    @property
    def gaps(self) -> int:
        """Rows between two windows."""
        return self.totals.get("gaps", 0)

    @property
    def panes(self) -> int:
        """Emitted panes."""
        return self.totals.get("panes", 0)

    @property
    def rows(self) -> int:
        """Emitted rows of joins."""
        return self.totals.get("rows", 0)

    @property
    def reasons(self) -> dict[str, int]:
        """Rejected rows by reason."""
        named = (reason.upper() for reason in REASONS)
        return {reason: self.totals[reason] for reason in named if self.totals.get(reason)}

    @property
    def watermark(self) -> datetime | None:
        """The watermark before the newest batch; None if there is none yet."""
        return None if self.last is None else self.last.watermark

    @property
    def stateBytes(self) -> int:
        """Memory of the state after the newest batch."""
        return 0 if self.last is None else self.last.stateBytes

    @property
    def unaccounted(self) -> int:
        """Rows that were read and are in no other count.

        It must be 0. Only if Spark repeated a task whose output was lost may ``read`` be too high,
        and all counts of a batch too low that goes to several sinks (docs/limits.md).
        """
        return self.read - self.accepted - self.rejected - self.duplicates - self.gaps

    @property
    def heldBackBy(self) -> str | None:
        """The stream whose watermark is the least; None: there are no several, or all are alike."""
        order = sorted(self.inputs, key=lambda name: self.inputs[name] or _EARLIEST)
        if len(order) < 2 or self.inputs[order[0]] == self.inputs[order[-1]]:  # noqa: PLR2004
            return None
        return order[0]

    def after(self, progress: Mapping[str, Any]) -> Status:
        """Give the status with one more batch; the same, if it is none, or counted before."""
        if not operators(progress) and not progress["numInputRows"]:
            return self
        batch = figures(progress)
        if batch.batch <= self._counted.get(batch.runId, -1):
            return self
        newest = [time for time in (self.newest, batch.newest) if time is not None]
        return replace(
            self,
            batches=self.batches + 1,
            totals=Counter(self.totals) + Counter(_counts(batch)),
            last=batch,
            newest=max(newest, default=None),
            openWindows=open_after(self.openWindows, batch),
            inputs=_reached(self.inputs, batch),
            quiet=_quiet(self.quiet, batch),
            unexplainedDuplicates=self.unexplainedDuplicates + _unexplained(progress),
            _counted={**self._counted, batch.runId: batch.batch},
        )

    def __str__(self) -> str:
        """Say it in lines."""
        rows = _words.rows(self)
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:{width}}  {said}" for name, said in rows)

    def _repr_html_(self) -> str:
        rows = [
            (name, _html.coloured(said, RED) if name == _words.ERROR else said)
            for name, said in _words.rows(self)
        ]
        return _html.card("", rows)


def _unexplained(progress: Mapping[str, Any]) -> int:
    counted = operators(progress).values()
    sources = progress["sources"]
    return sum(_ledger.unexplained(sources, of["read"], of["duplicates"]) for of in counted)


_COUNTS = ("read", "accepted", "rejected", "duplicates", "gaps", "panes", "rows")
_TIMINGS = ("early", "onTime", "late", "withdrawn")


def _counts(batch: BatchProgress) -> dict[str, int]:
    named = {name: getattr(batch, name) for name in (*_COUNTS, *_TIMINGS)}
    return {**named, **batch.reasons}


def _reached(
    before: Mapping[str, datetime | None], batch: BatchProgress
) -> dict[str, datetime | None]:
    """Have the watermark of each input go on."""
    both = ((name, (before.get(name), now)) for name, now in batch.inputs.items())
    return {
        **before,
        **{name: max((at for at in times if at), default=None) for name, times in both},
    }


def _quiet(before: Mapping[str, int], batch: BatchProgress) -> dict[str, int]:
    """Count batches without rows of a source, as long as another has some."""
    if len(batch.sources) < 2 or not any(source.rows for source in batch.sources):  # noqa: PLR2004
        return dict(before)
    return {s.name: 0 if s.rows else before.get(s.name, 0) + 1 for s in batch.sources}
