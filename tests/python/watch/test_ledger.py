"""The counts of a query detect losses, by comparison with Spark's own counts (SEMANTICS R74)."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import pytest

import windrow as wr


def batch(number: int, *, given: int, rows: int | None = None, **counts: int) -> dict[str, Any]:
    """Return the progress of a batch that reads ``given`` offsets of each of two partitions."""
    read = {"read": 2 * given if rows is None else rows}
    fates = {"accepted": 0, "rejected": 0, "duplicates": 0, "gaps": 0, "panes": 0, **counts}

    def offsets(at: int) -> str:
        return f'{{"topic":{{"0":{100 + at},"1":{at}}}}}'

    source = {
        "startOffset": offsets(number * given) if number else None,
        "endOffset": offsets((number + 1) * given),
        "numInputRows": 2 * given,
        "description": "topic",
    }
    return {
        "id": "q",
        "runId": "r",
        "name": None,
        "timestamp": "2025-01-01T09:00:00.000Z",
        "batchId": number,
        "batchDuration": 1,
        "durationMs": {},
        "numInputRows": 2 * given,
        "sources": [source],
        "observedMetrics": {"windrow_o/read": observed(read), "windrow_o": observed(fates)},
        "eventTime": {},
        "stateOperators": [],
    }


def observed(counts: dict[str, int]) -> Any:
    """Return a stand-in for a row of counts."""
    return SimpleNamespace(asDict=lambda: counts)


def query(name: str, *batches: dict[str, Any]) -> Any:
    """Return a stand-in for a query."""
    return SimpleNamespace(
        recentProgress=batches, id=name, runId=name, isActive=False, exception=lambda: None
    )


def test_rows_without_a_fate_are_found() -> None:
    """Rows without a fate are detected, because rows read and fates are counted separately."""
    counts = wr.status(query("a", batch(0, given=10, accepted=12), batch(1, given=5, accepted=9)))
    assert (counts.read, counts.unaccounted, counts.unexplainedDuplicates) == (30, 9, 0)


@pytest.mark.parametrize("number", [0, 1])
def test_replays_that_the_source_did_not_give_twice(number: int) -> None:
    """Duplicates within a source with offsets cause one warning, as its batches do not overlap."""
    running = query(f"lost {number}", batch(number, given=10, accepted=13, duplicates=7))
    with pytest.warns(UserWarning, match=r"\[DUPLICATES_NOT_EXPLAINED\] 7 rows"):
        assert wr.status(running).unexplainedDuplicates == 7
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wr.status(running).unexplainedDuplicates == 7


def test_rows_that_were_doubled_on_their_way() -> None:
    """Duplicates are explained if more rows were read than the source has."""
    twice = batch(1, given=10, rows=40, accepted=20, duplicates=20)
    assert wr.status(query("twice", twice)).unexplainedDuplicates == 0


def test_a_source_that_logs_no_offsets() -> None:
    """Duplicates from files are not reported, because files may repeat rows."""
    files = batch(0, given=10, accepted=13, duplicates=7)
    files["sources"][0]["endOffset"] = '{"logOffset":0}'
    assert wr.status(query("files", files)).unexplainedDuplicates == 0
    topic = batch(1, given=10, rows=22, accepted=15, duplicates=7)
    topic["sources"].append(
        {"startOffset": None, "endOffset": "f", "numInputRows": 2, "description": "f"}
    )
    assert wr.status(query("files beside", topic)).unexplainedDuplicates == 0


def test_a_partition_that_is_new_begins_anywhere() -> None:
    """All rows of a new partition count as read once, as its first offset is unknown."""
    new = batch(1, given=10, accepted=13, duplicates=7)
    new["sources"][0]["startOffset"] = '{"topic":{"0":110}}'
    with pytest.warns(UserWarning, match=r"\[DUPLICATES_NOT_EXPLAINED\]"):
        assert wr.status(query("new", new)).unexplainedDuplicates == 7
