"""Panes as a picture: ``timeline(panes)``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from windrow._bridge._doctor import active_session
from windrow._drawing import _rows, _timeline
from windrow._drawing._axis import DATES, POSITIONS
from windrow._drawing._svg import Picture
from windrow._specs._columns import is_data_frame
from windrow.errors import SpecError, expect, failure, problem
from windrow.triggers import ACCUMULATING, DISCARDING, AccumulationMode

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Picture", "timeline"]

#: A batch DataFrame, a table's name, rows or dicts, a pandas DataFrame or an Arrow table.
Rows: TypeAlias = "DataFrame | str | Iterable[Any]"

#: Rows that are looked at; the picture says so if there are more.
MOST = 5000


def timeline(
    panes: Rows,
    *,
    rejected: Rows | None = None,
    time: str | None = None,
    accumulationMode: AccumulationMode = ACCUMULATING,
) -> Picture:
    """Draw panes over event time: what was on time, what was corrected, from what to what.

    panes: rows as ``Output.panes`` gives them: a batch DataFrame, a table's name, a list of Rows
    or dicts, a pandas DataFrame or an Arrow table. A column ``batch`` after them, as ``Files``
    have it, says when a correction came. rejected: rows as ``Output.rejected``, drawn at the event
    time of their messages. time: the field of a message that is its event time; left out, its only
    timestamp. accumulationMode: whether a pane takes the place of the one before, or holds only
    what is new (``DISCARDING``).

    Each pane is a bar, those of a window stand below each other; early, on time, late and
    withdrawn ones are told apart by shape and by colour. Pointing at one shows all of it. Of more
    than 5,000 rows the first are drawn. A notebook shows the picture; ``.svg`` is its text,
    ``.save(path)`` writes a file.

    Errors: SpecError if rows are no panes.
    """
    expect("timeline(accumulationMode=...)", accumulationMode, AccumulationMode)
    shown = _read(panes, "panes")
    refused = [] if rejected is None else _read(rejected, "rejected")
    bars = [_rows.pane(row) for row in shown[:MOST]]
    crosses = [_rows.rejected(row, time) for row in refused[:MOST]]
    lacking = [
        problem(condition, columns=", ".join(map(str, rows[0])))
        for condition, rows, read in (
            ("ROWS_NOT_DRAWABLE.PANES", shown, bars),
            ("ROWS_NOT_DRAWABLE.REJECTED", refused, crosses),
        )
        if None in read
    ]
    if lacking:
        raise SpecError.of("timeline(...)", lacking)
    return _timeline.draw(
        [bar for bar in bars if bar],
        [cross for cross in crosses if cross],
        POSITIONS if _rows.on_positions(shown) else DATES,
        replaces=accumulationMode is not DISCARDING,
        note=f"Only the first {MOST:,} rows are drawn."
        if max(map(len, (shown, refused))) > MOST
        else "",
    )


def _read(rows: Rows, name: str) -> list[Mapping[str, Any]]:
    """Give rows as dicts, one more than are drawn if there are more."""
    if isinstance(rows, str):
        session = active_session()
        if session is None:
            raise failure("NO_SESSION")
        rows = session.table(rows)
    if is_data_frame(rows):
        if rows.isStreaming:
            raise SpecError.of("timeline(...)", [problem("ROWS_NOT_DRAWABLE.STREAMING", name=name)])
        rows = rows.limit(MOST + 1).collect()
    return _rows.dicts(rows, MOST + 1)
