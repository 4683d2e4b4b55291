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


def test_inherited_windows_are_refused(feed: Feed) -> None:
    """A query does not take the panes of another one yet."""
    windows = _said(feed, wr.Inherit())
    assert _problems(windows) == [
        f"{wr.Inherit()!r}: in a query the windows are {wr.Inherit()!r}, which come with panes."
    ]
