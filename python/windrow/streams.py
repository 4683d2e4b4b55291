"""Describe the rows of a DataFrame: ``stream(...)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal, get_args

from windrow._markup import _html
from windrow._markup._svg import Picture
from windrow._specs import _duration, _rowid, _values
from windrow._specs._clock import EventTimeWatermark, ProcessingTimeWatermark
from windrow._specs._columns import as_tuple, is_data_frame, missing, shown
from windrow._specs._duration import UNSTATED, Duration, Unstated
from windrow._specs._retention import NOT_STATED, Retention
from windrow._specs._rowid import RowId
from windrow.deduplicated import HasDedup
from windrow.errors import SpecError, expect, problem
from windrow.matched import HasPatterns
from windrow.operators import CloseOn
from windrow.windowed import Windowed
from windrow.windows import WindowKind
from windrow.windows._named import NamedWindows

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

Invalid = Literal["reject", "fail"]


@dataclass(frozen=True, eq=False, repr=False)
class Stream(HasDedup, HasPatterns):
    """Rows of a DataFrame, with their event time, key, and watermark.

    Create a ``Stream`` with ``wr.stream``. A ``Stream`` is immutable: each method returns a changed
    copy, so you can derive several queries from one description. Nothing runs until ``start``.

    Example:
        ::

            orders = wr.stream(df, time="time", key="product", watermark="10 seconds")
            late = orders.lateness("10 minutes")  # orders itself is unchanged
            minutes = late.window(wr.Tumbling("1 minute"))

    """

    _df: DataFrame
    _time: str | Column | None
    _key: tuple[str | Column, ...]
    _rowId: RowId | None
    _watermark: EventTimeWatermark | ProcessingTimeWatermark | None
    _maxFuture: str | None
    _name: str
    _lateness: Duration | int | Unstated | None = UNSTATED
    _retention: Retention = NOT_STATED
    _index: tuple[str, ...] = ()
    _invalid: Invalid = "reject"

    def lateness(self, allowed: Duration | int | None) -> Stream:
        """Set how long a window accepts late rows after its end.

        A row that arrives later is rejected with the reason ``TOO_LATE``. A longer lateness
        includes more late rows, but each window stays in the state for longer.

        Args:
            allowed: Event time after the end of the window, for example ``"10 minutes"``. An
                integer counts offsets, for windows of ``OffsetRange``. None sets no limit, so the
                state grows as long as the query runs. You must confirm that with ``retain``, which
                removes nothing that can still change.

        Returns:
            A copy of the stream with this lateness.

        Raises:
            SpecError: ``allowed`` is not a duration (``DURATION_NOT_UNDERSTOOD``,
                ``DURATION_WITHOUT_UNIT``, ``DURATION_TOO_LONG``).

        Example:
            ::

                wr.stream(orders, time="time", watermark="10 seconds").lateness("10 minutes")

        """
        if not (isinstance(allowed, int) or allowed is None):
            allowed = _duration.canonical(allowed, f"lateness({allowed!r})")
        return replace(self, _lateness=allowed)

    def retain(
        self,
        *,
        time: Duration | None = None,
        messages: int | None = None,
        windows: int | None = None,
    ) -> Stream:
        """Set how much of the past stays in the state.

        Rows of ``keepRows()`` can be queried for as long as they are retained. If you set several
        limits, the first one that is reached applies. No limit removes a row from a window that can
        still change.

        Args:
            time: Event time before the watermark, for example ``"2 hours"``; at least the size of a
                window plus its lateness. None sets no limit.
            messages: The number of newest rows of each key. None sets no limit.
            windows: The number of newest windows of each key. None sets no limit.

        Returns:
            A copy of the stream with these limits.

        Raises:
            SpecError: A value is not a duration (``DURATION_NOT_UNDERSTOOD``) or not an integer
                (``COUNT_NOT_UNDERSTOOD``).

        Example:
            ::

                orders = wr.stream(df, time="time", key="id", watermark="1 minute")
                orders.retain(time="2 hours")

        """
        return replace(self, _retention=Retention(time=time, messages=messages, windows=windows))

    def index(self, *, by: str | Sequence[str]) -> Stream:
        """Set the columns by which ``getMessages(by=...)`` finds rows.

        Only ``keepRows`` uses the index, because an aggregate does not store rows. By default rows
        are found by the key.

        Args:
            by: One or more columns of the row.

        Returns:
            A copy of the stream with this index. ``keepRows`` reports a column that does not exist,
            and ``aggregate`` rejects the index (``STORE_WITHOUT_MESSAGES``).

        Raises:
            SpecError: A value is not a string (``NAME_NOT_UNDERSTOOD``).

        Example:
            ::

                wr.stream(orders, time="time", key="id", watermark="1 minute").index(by="item")

        """
        return replace(self, _index=_values.names("index(...)", "by", as_tuple(by)))

    def window(
        self,
        kind: WindowKind,
        *,
        closeOn: CloseOn = "watermark",
        fillGaps: bool | Duration = False,
    ) -> Windowed:
        """Group the rows of each key into windows.

        Args:
            kind: The kind of windows, for example ``wr.Tumbling("1 minute")``.
            closeOn: The event that completes a window: ``"watermark"`` (the default), or
                ``"next_row"``, the next row of the key after the end of the window.
            fillGaps: Whether windows without rows are emitted too, with the aggregate of no rows.
                False (the default) emits none. True emits them from the first window of the key,
                for as long as the query runs. A duration, for example ``"30 days"``, emits those
                that end at most that long after the last window of the key with rows. Only for
                ``Tumbling``, also with ``zone``, and ``Hopping``.

        Returns:
            The windowed stream. Call ``aggregate`` or ``keepRows`` on it.

        Raises:
            TypeError: ``kind`` is not a kind of windows, for example a plain string.

        Example:
            ::

                orders.window(wr.Tumbling("1 minute"))
                orders.window(wr.Hopping("1 hour", step="10 minutes"), fillGaps="1 day")

        """
        size = kind if isinstance(kind, str) else "1 minute"
        expect("window(kind)", kind, WindowKind, example=f"Tumbling({size!r})")
        return Windowed(self, kind, closeOn, fillGaps)

    def windows(self, **named: WindowKind) -> Windowed:
        """Group the rows of each key into several windows at once.

        Each row is read and shuffled once for all windows, so this costs less than a query for each
        window. The panes are those of the separate queries, with the name of their window in the
        column ``window_name``. Lateness, triggers, accumulation mode, and retention apply to all
        windows. A row that is too late for some of the windows is in ``rejected`` once for each of
        these, with their names.

        Args:
            named: The windows by name: ``Tumbling`` and ``Hopping``, also with ``zone``, and
                ``Session`` with one gap for all rows.

        Returns:
            The windowed stream. Call ``aggregate`` on it. ``aggregate`` raises an error
            (``NAMED_WINDOWS``) if a window or an option does not work with several windows.

        Raises:
            TypeError: A value is not a kind of windows, for example a plain string.

        Example:
            ::

                totals = (
                    wr.stream(orders, time="time", key="product", watermark="10 seconds")
                    .lateness("10 minutes")
                    .windows(minute=wr.Tumbling("1 minute"), hour=wr.Tumbling("1 hour"))
                    .accumulationMode(wr.ACCUMULATING)
                    .aggregate(F.sum("price").alias("total"))
                )

            Orders of 2.0 at 09:00:10 and 4.0 at 09:00:40 are in a minute and in an hour::

                product  window_name  window          total  timing
                tea      minute       09:00 to 09:01  6.0    ON_TIME
                tea      hour         09:00 to 10:00  6.0    ON_TIME

        """
        for name, kind in named.items():
            size = kind if isinstance(kind, str) else "1 minute"
            expect(f"windows({name}=...)", kind, WindowKind, example=f"Tumbling({size!r})")
        return Windowed(self, NamedWindows.of(named))

    def plot(
        self,
        messages: Sequence[datetime | str] | None = None,
        partitions: Sequence[int | str | None] | None = None,
    ) -> Picture:
        """Draw rows in the order of their arrival, and the watermark that follows them.

        Each row is drawn as if it arrived in a micro-batch of its own, so you can compare delays
        and latenesses before you run a query.

        Args:
            messages: Event times in the order of arrival, as datetimes or ISO strings; times
                without a zone are UTC. None draws sample rows.
            partitions: The partition of each time, for a watermark with ``by``. Without them, no
                row is marked as late. No partition is idle in the picture.

        Returns:
            The picture as SVG. A notebook displays it.

        Raises:
            TypeError: A value is not a datetime or a string.
            ValueError: A string is not an ISO time, or ``partitions`` does not fit.

        Example:
            ::

                orders = wr.stream(df, time="time", watermark="10 seconds").lateness("1 minute")
                orders.plot(["2025-01-01 09:00:10", "2025-01-01 09:02:30", "2025-01-01 09:00:50"])

        """
        from windrow._drawing import _arrivals

        return _arrivals.plot(repr(self), messages, self._clock(), self._lateness, partitions)

    def _repr_html_(self) -> str:
        return _html.card("", self._settings(), self.plot())

    def _settings(self) -> list[tuple[str, str]]:
        """Return the settings of the stream as names and texts, without those that are not set."""
        return [
            ("stream", self._name),
            *([] if self._time is None else [("time", shown([self._time]))]),
            ("key", shown(self._key) or "none: all rows together"),
            *([] if self._watermark is None else [("watermark", self._watermark._shown)]),
            *([] if self._lateness is UNSTATED else [("lateness", str(self._lateness))]),
            *([] if self._retention == NOT_STATED else [("retain", repr(self._retention))]),
            *([] if self._maxFuture is None else [("maxFuture", self._maxFuture)]),
            *([] if self._invalid == "reject" else [("invalid", self._invalid)]),
        ]

    def _shows_panes(self) -> bool:
        """Return whether the rows may be panes; the JVM checks them."""
        return not missing(self._df, {"panes": "window", "of panes": "pane"})

    def _clock(self) -> dict[str, int]:
        """Return the settings of the watermark for the JVM, with durations in microseconds."""
        return {} if self._watermark is None else self._watermark._fields

    def _markers(self) -> dict[str, str | Column]:
        """Return the columns that the JVM needs of each row, without the key, by their marks."""
        markers: dict[str, str | Column] = {} if self._time is None else {"time": self._time}
        if self._rowId is not None:
            markers |= vars(self._rowId)
        if isinstance(self._watermark, EventTimeWatermark) and self._watermark.by is not None:
            markers["watermark_by"] = self._watermark.by
        return markers

    def _about(self) -> dict[str, object]:
        """Return the settings that the JVM needs, and how the stream is shown."""
        time = "" if self._time is None else f", event time {shown([self._time])}"
        key = f", key {shown(self._key)}" if self._key else ", no key"
        keys = {"index": list(self._index)} if self._index else {}
        shown_as = f"stream '{self._name}'{time}{key}"
        invalid = {} if self._invalid == "reject" else {"invalid": self._invalid}
        return {"name": self._name, "shown": shown_as, **self._clock(), **keys, **invalid}

    def _named(self) -> dict[str, object]:
        """Return the columns by the name of the argument that selects them."""
        identity = {} if self._rowId is None else vars(self._rowId)
        index = {f"index(by=...){f'[{i}]' if i else ''}": c for i, c in enumerate(self._index)}
        keys = {f"key{f'[{i}]' if i else ''}": key for i, key in enumerate(self._key)}
        time = {} if self._time is None else {"time": self._time}
        by = getattr(self._watermark, "by", None)
        return {**time, **keys, **index, **identity, **({} if by is None else {"by": by})}

    def __repr__(self) -> str:
        """Show name, event time, and key."""
        time = "" if self._time is None else f", time={shown([self._time])}"
        return f"stream(name={self._name!r}{time}, key=({shown(self._key)}))"


def stream(
    df: DataFrame,
    *,
    time: str | Column | None = None,
    key: str | Column | Sequence[str | Column] | None = (),
    rowId: RowId | None = None,
    watermark: Duration | EventTimeWatermark | ProcessingTimeWatermark | None = None,
    maxFuture: Duration | None = None,
    name: str = "messages",
    invalid: Invalid = "reject",
) -> Stream:
    """Describe the rows of a DataFrame: event time, key, and watermark.

    This is the first step of every query. The DataFrame may be streaming or batch, of a classic
    session or of Spark Connect. Nothing runs yet.

    Args:
        df: The rows.
        time: The event time, a column of type timestamp. Windows on positions, windows by policies,
            and ``Global`` can do without it; then leave out ``watermark`` too. Panes of event-time
            windows do not need it, because they have the last instant of their window.
        key: The columns that group rows. Null is a key like any other. Without a key all rows
            belong together.
        rowId: The columns that identify a row, so that Windrow drops duplicates. For Spark's Kafka
            source pass ``wr.KAFKA``.
        watermark: How far the watermark stays behind the greatest event time, for example ``"10
            seconds"``. ``EventTimeWatermark`` also handles partitions of different speed and silent
            inputs, and ``ProcessingTimeWatermark`` follows the clock. Leave it out if the DataFrame
            has a watermark.
        maxFuture: Reject rows that are further ahead of the clock than this duration, with the
            reason ``TOO_FAR_AHEAD``. Such rows do not move the watermark. None sets no limit.
        name: The name of the stream in errors, metrics, and rejected rows. The default is
            ``"messages"``.
        invalid: The fate of a row without a usable event time, or beyond ``maxFuture``.
            ``"reject"`` (the default) emits it in ``rejected``. ``"fail"`` ends the query at the
            first one with ``[MESSAGE_INVALID]`` and its place in the input.

    Returns:
        The stream. Set its ``lateness``, and then group it with ``window``.

    Raises:
        SpecError: A duration is not valid (``DURATION_NOT_UNDERSTOOD``, ``DURATION_WITHOUT_UNIT``,
            ``DURATION_TOO_LONG``), ``rowId`` is not a ``RowId`` (``ROWID_NOT_UNDERSTOOD``), or
            ``invalid`` is not a known value (``VALUE_UNKNOWN``).
            ``aggregate`` and ``keepRows`` report columns that do not exist.
        TypeError: ``df`` is not a DataFrame.

    Example:
        ::

            orders = wr.stream(df, time="time", key="product", watermark="10 seconds")
            print(orders)

        prints::

            stream(name='messages', time=time, key=(product))

    """
    if not is_data_frame(df):
        msg = f"stream(df): df must be a DataFrame, not {type(df).__name__}."
        raise TypeError(msg)
    mark, delay = (
        (watermark, None)
        if isinstance(watermark, EventTimeWatermark | ProcessingTimeWatermark)
        else (None, watermark)
    )
    spans, wrong = _duration.spans(watermark=delay, maxFuture=maxFuture)
    if invalid not in get_args(Invalid):
        allowed = ", ".join(get_args(Invalid))
        wrong["invalid"] = problem("VALUE_UNKNOWN", name="invalid", value=invalid, allowed=allowed)
    for one in _rowid.problems(rowId):
        wrong["rowId"] = one
    if wrong:
        given = {"watermark": watermark, "maxFuture": maxFuture, "invalid": invalid, "rowId": rowId}
        call = ", ".join(f"{name}={given[name]!r}" for name in wrong)
        raise SpecError.of(f"stream({call})", list(wrong.values()))
    if spans["watermark"] is not None:
        try:
            mark = EventTimeWatermark(spans["watermark"])
        except SpecError as refused:
            raise SpecError.of(f"stream(watermark={watermark!r})", refused.problems) from None
    return Stream(df, time, as_tuple(key), rowId, mark, spans["maxFuture"], name, _invalid=invalid)
