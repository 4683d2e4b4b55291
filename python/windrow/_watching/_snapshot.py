"""What a query has done so far, batch after batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from windrow._drawing import _html
from windrow._drawing._marks import RED
from windrow._watching import _words
from windrow.figures import Figures, figures, open_after, operators

_EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Snapshot:
    """A query at a moment, as ``str`` in a few lines and in a notebook as a table.

    batches: how many are counted, those since the query was started that Spark still reported when
    one began to look (it keeps 100). totals: counts of rows over these, named as in ``Figures``,
    the rejected by reason too. last: the newest batch; None before the first. newest: the greatest
    event time of these. openWindows: by operator, windows that take messages still, where that is
    known. inputs: of joins and co-groups, by stream, how far its rows have brought the watermark;
    None: it brought none. quiet: of several sources, in how many batches in a row each brought
    nothing while another did. error: what ended the query, if that was one.
    """

    isActive: bool = True
    batches: int = 0
    totals: Mapping[str, int] = field(default_factory=Counter)
    last: Figures | None = None
    newest: datetime | None = None
    openWindows: Mapping[str, int] = field(default_factory=dict)
    inputs: Mapping[str, datetime | None] = field(default_factory=dict)
    quiet: Mapping[str, int] = field(default_factory=dict)
    error: str | None = None
    _counted: Mapping[str, int] = field(default_factory=dict, repr=False)  # by run, the last batch

    @property
    def behind(self) -> timedelta | None:
        """How far the watermark is behind the newest event time."""
        if self.last is None or self.last.watermark is None or self.newest is None:
            return None
        return self.newest - self.last.watermark

    @property
    def heldBackBy(self) -> str | None:
        """The stream whose watermark is the least; None: there are no several, or all are alike."""
        order = sorted(self.inputs, key=lambda name: self.inputs[name] or _EARLIEST)
        if len(order) < 2 or self.inputs[order[0]] == self.inputs[order[-1]]:  # noqa: PLR2004
            return None
        return order[0]

    def after(self, progress: Mapping[str, Any]) -> Snapshot:
        """Give the snapshot with one more batch; the same, if it is none, or counted before."""
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


_COUNTS = ("read", "accepted", "rejected", "duplicates", "gaps", "panes", "rows")
_TIMINGS = ("early", "onTime", "late", "withdrawn")


def _counts(batch: Figures) -> dict[str, int]:
    named = {name: getattr(batch, name) for name in (*_COUNTS, *_TIMINGS)}
    return {**named, **batch.reasons}


def _reached(before: Mapping[str, datetime | None], batch: Figures) -> dict[str, datetime | None]:
    """Have the watermark of each input go on."""
    both = ((name, (before.get(name), now)) for name, now in batch.inputs.items())
    return {
        **before,
        **{name: max((at for at in times if at), default=None) for name, times in both},
    }


def _quiet(before: Mapping[str, int], batch: Figures) -> dict[str, int]:
    """Count batches without rows of a source, as long as another has some."""
    if len(batch.sources) < 2 or not any(source.rows for source in batch.sources):  # noqa: PLR2004
        return dict(before)
    return {s.name: 0 if s.rows else before.get(s.name, 0) + 1 for s in batch.sources}
