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
    for kind in (
        wr.Tumbling("1 month", zone="Europe/Berlin"),
        wr.Sliding("10 seconds"),
        *(wr.Over(range="10 minutes"), wr.Over(rows=100), wr.Over()),
        *(wr.Count(50, step=10), wr.TupleSession(5)),
    ):
        assert _problems(_said(feed, kind)) == [
            f"{kind!r}: in a query the windows are {kind!r}; "
            "allowed are Tumbling without a zone, Hopping and Session."
        ]
    assert _problems(_said(feed, wr.Offsets(3)).lateness(0)) == [
        "Offsets(3): in a query the windows are Offsets(3); "
        "allowed are Tumbling without a zone, Hopping and Session."
    ]


def test_all_limits_at_once(feed: Feed) -> None:
    """Triggers, mode, completion, gaps, retention and lateness, in one error."""
    stream = wr.stream(feed.stream(), time="time", key="product", watermark="0 seconds")
    kind = wr.Hopping("1 minute", step="10 seconds")
    windows = (
        stream.lateness(None)
        .retain(time="1 hour", windows=10)
        .window(kind, complete="first_message_beyond", fillGaps=True)
        .trigger(
            early=wr.AnyOf(wr.EachStep(), wr.Every(messages=1)),
            onTime=False,
            late=wr.Every("10 seconds"),
            fireOnlyUpdated=True,
        )
        .accumulate(wr.ACCUMULATING_AND_RETRACTING)
    )
    assert _problems(windows) == [
        "in a query early is AnyOf(EachStep(), EachMessage()); allowed is Never().",
        "in a query onTime is false; allowed is true.",
        "in a query late is Every('10 seconds'); "
        "allowed are Never(), EachMessage(), EachStep() and Every(messages=n).",
        "in a query the mode of accumulation is ACCUMULATING_AND_RETRACTING; "
        "allowed is ACCUMULATING.",
        "in a query fireOnlyUpdated is true; allowed is false.",
        "in a query complete is 'first_message_beyond'; allowed is 'watermark'.",
        "in a query fillGaps is true; allowed is false.",
        "in a query retention is stated; a window is kept for its lateness.",
        "in a query lateness is without end; state a duration.",
    ]
