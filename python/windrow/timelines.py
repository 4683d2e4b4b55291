"""Draw panes as a picture: ``timeline(panes)``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from windrow._bridge._doctor import active_session
from windrow._markup._svg import Picture
from windrow._specs._columns import is_data_frame
from windrow.errors import SpecError, expect, failure, problem
from windrow.triggers import ACCUMULATING, DISCARDING, AccumulationMode

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: A batch DataFrame, a table's name, rows or dicts, a pandas DataFrame or an Arrow table.
Rows: TypeAlias = "DataFrame | str | Iterable[Any]"

#: The maximum number of rows that are drawn; the picture notes if there are more.
MOST = 5000


def timeline(
    panes: Rows,
    *,
    rejected: Rows | None = None,
    time: str | None = None,
    accumulationMode: AccumulationMode = ACCUMULATING,
) -> Picture:
    """Draw panes over event time: results on time, and corrections from one value to the next.

    Each pane is a bar, and the panes of a window are drawn below each other. Shape and color
    distinguish early, on-time, late, and withdrawn panes. Point at a bar to see all of its columns.
    The first 5,000 rows are drawn.

    Args:
        panes: Rows with the columns of ``Output.panes``: a batch DataFrame, the name of a table, a
            list of Rows or dicts, a pandas DataFrame, or an Arrow table. A column ``batch``, as
            ``Files`` writes it, shows when a correction was emitted.
        rejected: Rows with the columns of ``Output.rejected``, drawn at the event time of their
            messages. None draws no rejected rows.
        time: The field of a message that is its event time. None uses its only timestamp.
        accumulationMode: Whether a pane replaces the one before (``ACCUMULATING``, the default) or
            contains only the new part (``DISCARDING``).

    Returns:
        The picture as SVG. A notebook displays it.

    Raises:
        SpecError: Rows are not panes or rejected rows, or the DataFrame is streaming
            (``ROWS_NOT_DRAWABLE``), or a table name is given without a session
            (``NO_SESSION``).
        TypeError: ``accumulationMode`` is of another type.

    Example:
        ::

            wr.timeline(spark.read.parquet("panes")).save("panes.svg")

    """
    from windrow._drawing import _rows, _timeline
    from windrow._drawing._axis import DATES, POSITIONS

    expect("timeline(accumulationMode=...)", accumulationMode, AccumulationMode)
    shown = _rows.dicts(_read(panes, "panes"), MOST + 1)
    refused = [] if rejected is None else _rows.dicts(_read(rejected, "rejected"), MOST + 1)
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


def _read(rows: Rows, name: str) -> Any:  # noqa: ANN401  of any library
    """Return rows; of a DataFrame at most one more than are drawn."""
    if isinstance(rows, str):
        session = active_session()
        if session is None:
            raise failure("NO_SESSION")
        rows = session.table(rows)
    if is_data_frame(rows):
        if rows.isStreaming:
            raise SpecError.of("timeline(...)", [problem("ROWS_NOT_DRAWABLE.STREAMING", name=name)])
        rows = rows.limit(MOST + 1).collect()
    return rows
