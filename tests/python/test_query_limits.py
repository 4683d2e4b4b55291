"""What the core can do and a query cannot yet is refused in full, before anything starts."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed

pytestmark = pytest.mark.spark


def _said(feed: Feed, kind: wr.WindowKind) -> wr.Windowed:
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    return stream.lateness("0 seconds").window(kind)


def _problems(windows: wr.Windowed) -> list[str]:
    with pytest.raises(wr.SpecError) as refused:
        windows.aggregate(F.count("*")).panes  # noqa: B018  asking is the point
    assert {problem.code for problem in refused.value.problems} == {"NOT_IN_QUERIES_YET"}
    return [problem.text for problem in refused.value.problems]


def test_every_kind_is_named(feed: Feed) -> None:
    """The windows that a query does not know are named as their call."""
    for kind in (wr.Count(50, step=10), wr.TupleSession(5), wr.Offsets(3)):
        windows = (
            _said(feed, kind).lateness(0) if isinstance(kind, wr.Offsets) else _said(feed, kind)
        )
        assert _problems(windows) == [
            f"{kind!r}: in a query the windows are {kind!r}, which go by positions."
        ]


def test_windows_of_panes_wait(feed: Feed) -> None:
    """A query does not take the windows of another's panes yet."""
    assert _problems(_said(feed, wr.Inherit()).lateness("0 seconds")) == [
        "Inherit('window'): in a query the windows are Inherit('window'), which come with panes."
    ]


def test_all_limits_at_once(feed: Feed) -> None:
    """Completion, gaps, retention and lateness, in one error."""
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    kind = wr.Hopping("1 minute", step="10 seconds")
    windows = (
        stream.lateness(None)
        .retain(time="1 hour", windows=10)
        .window(kind, complete="first_message_beyond", fillGaps=True)
        .accumulate(wr.ACCUMULATING_AND_RETRACTING)
    )
    assert _problems(windows) == [
        "in a query complete is 'first_message_beyond'; allowed is 'watermark'.",
        "in a query fillGaps is true; allowed is false.",
        "in a query retention has a number of messages or windows; allowed is a time.",
        "in a query lateness is without end; state a duration.",
    ]
