"""The stream for which the watermark waits, as ``QueryStatusSpec`` computes it (SEMANTICS R87)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import pytest

import windrow as wr
from windrow._watching import _status
from windrow.figures import BatchProgress

Batch = tuple[int | None, int | None, int | None]
"""The watermark before a micro-batch, and the watermarks to which the rows of a and b lead."""

LIVE = [(i * 10 - 10 if i else None, i * 10, i * 10 + 5000) for i in range(6)]
SILENT = [(5, time, None) for time in range(20, 70, 10)]
RELEASED = [(time - 10, time, None) for time in range(20, 70, 10)]


def named(batches: Iterable[Batch]) -> list[str | None]:
    """Return the stream that is named after each micro-batch."""
    status, found = wr.Status(), []
    for number, times in enumerate(batches):
        mark, a, b = (None if one is None else at(one) for one in times)
        batch = BatchProgress("q", "i", "r", number, "", watermark=mark, inputs={"a": a, "b": b})
        status = _status._after(status, batch)
        found.append(status.heldBackBy)
    return found


def at(second: int) -> datetime:
    """Return a time."""
    return datetime(2025, 1, 1, tzinfo=UTC) + timedelta(seconds=second)


@pytest.mark.parametrize(
    ("batches", "expected"),
    [
        pytest.param(LIVE, [None] * 6, id="both have rows"),
        pytest.param(
            [(None, 10, None), (None, 20, 5), (5, None, None)], ["b", None, None], id="no first row"
        ),
        pytest.param(
            [(None, 10, 5), (5, None, None), *SILENT], [*[None] * 4, "b", "b", "b"], id="silent"
        ),
        pytest.param(
            [(None, 10, 5), *SILENT, (5, None, 70)],
            [*[None] * 4, "b", "b", None],
            id="a row again",
        ),
        pytest.param(
            [(None, 10, 5), *RELEASED, *[(60, 60, None)] * 4], [None] * 10, id="idle and passed"
        ),
        pytest.param([(None, 1, 100), *[(1, 1, None)] * 5], [None] * 6, id="the other is behind"),
    ],
)
def test_which_stream_is_named(batches: list[Batch], expected: list[str | None]) -> None:
    """Only a stream that does not deliver rows, and that the watermark has not passed, is named."""
    assert named(batches) == expected
