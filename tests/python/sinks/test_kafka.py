"""Queries on a real Kafka broker, started from its JARs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import windrow as wr
from docs.alone import compare
from programs import printed
from sinks.writing import records
from torture.broker import broker, connector
from windrow._running._settings import having

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a broker that ends with the tests."""
    with broker(tmp_path_factory.mktemp("kafka")) as found:
        yield found


@pytest.mark.full
def test_restarts_rewinds_and_transactions(address: str, tmp_path: Path) -> None:
    """The panes contain each committed record exactly once (SEMANTICS R13, S3)."""
    refused = printed("kafka.py", str(tmp_path), address)[-1].split()
    assert 0 < int(refused[-3]) < int(refused[-1])


@pytest.mark.anywhere
def test_records_of_panes(spark: SparkSession) -> None:
    """A record's key is JSON of key and window; a withdrawal has a null value (SEMANTICS B11)."""
    schema = "k string, window struct<start: timestamp, end: timestamp>, total bigint, "
    schema += "pane struct<timing: string, index: bigint, is_last: boolean, is_retraction: boolean>"
    window = (datetime(2025, 1, 1, 9), datetime(2025, 1, 1, 9, 1))  # noqa: DTZ001
    panes = spark.createDataFrame(
        [
            ("a", window, 1, ("LATE", 0, False, True)),
            ("a", window, 2, ("LATE", 1, False, False)),
            (None, window, 3, ("LATE", 0, False, True)),
        ],
        schema,
    )
    found = records(panes, wr.KafkaTable("nowhere", "t")).collect()
    end = '"window":{"start":"2025-01-01T09:00:00.000000Z","end":"2025-01-01T09:01:00.000000Z"}'
    pane = '"pane":{"timing":"LATE","index":1,"is_last":false,"is_retraction":false}'
    assert {(row.key, row.value) for row in found} == {
        (f'{{"k":"a",{end}}}', f'{{"k":"a",{end},"total":2,{pane}}}'),
        (f'{{"k":null,{end}}}', None),
    }


@pytest.mark.anywhere
def test_keys_have_microseconds(spark: SparkSession) -> None:
    """A session that grew by less than a millisecond has another key (SEMANTICS B11)."""
    schema = "k timestamp_ntz, window struct<start: timestamp, end: timestamp>, "
    schema += "pane struct<index: bigint, is_retraction: boolean>"
    start, *ends = (datetime(2025, 1, 1, 9, 0, 0, micros) for micros in (100, 5100, 5300))  # noqa: DTZ001
    panes = spark.createDataFrame(
        [(start, (start, ends[0]), (0, True)), (start, (start, ends[1]), (0, False))], schema
    )
    found = records(panes, wr.KafkaTable("nowhere", "t")).collect()
    assert {(row.key, row.value is None) for row in found} == {
        (
            '{"k":"2025-01-01T09:00:00.000100","window":{"start":"2025-01-01T09:00:00.000100Z",'
            f'"end":"2025-01-01T09:00:00.00{end}Z"}}}}',
            gone,
        )
        for end, gone in (("5100", True), ("5300", False))
    }


@pytest.mark.anywhere
def test_keys_that_are_no_text(spark: SparkSession) -> None:
    """Keys that are not valid UTF-8 stay distinct, and texts are unchanged (SEMANTICS B11)."""
    panes = spark.sql(
        "SELECT struct(k, if(id < 5, array(k), null) AS many, map(k, k) AS each, "
        "if(id = 5, null, struct(k)) AS inner) AS k, "
        "named_struct('start', 1, 'end', 2) AS window, "
        "named_struct('index', 0L, 'is_retraction', false) AS pane FROM "
        "(SELECT id, CAST(elt(id, X'FF', X'FE', X'C3BC', X'61FF', X'EFBFBD') AS STRING) AS k "
        "FROM range(1, 6))"
    )
    rows = records(panes, wr.KafkaTable("nowhere", "t")).collect()
    found = {json.loads(row.key)["k"]["k"]: json.loads(row.key)["k"] for row in rows}
    assert found == {
        k: {
            "k": k,
            "many": None if k == "\ufffd" else [k],
            "each": {k: k},
            "inner": None if k == "\ufffd" else {"k": k},
        }
        for k in ("\uffffff", "\ufffffe", "ü", "\uffff61ff", "\ufffd")
    }
    assert all(row.value.startswith(row.key[:-1]) for row in rows)


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kolkata", "+05:45"])
def test_keys_do_not_depend_on_the_zone(spark: SparkSession, zone: str) -> None:
    """A restart in a session of another zone writes the same keys (SEMANTICS B11)."""
    with having(spark, {"spark.sql.session.timeZone": zone}):
        panes = spark.sql(
            "SELECT timestamp_seconds(1735689600) AS k, named_struct('start', "
            "timestamp_seconds(id), 'end', timestamp_seconds(id + 60)) AS window, "
            "named_struct('index', 0L, 'is_retraction', false) AS pane "
            # includes the end of daylight saving time in New York
            "FROM range(1730613600, 1730631600, 1800)"
        )
        found = records(panes, wr.KafkaTable("nowhere", "t")).collect()
    first = min((row.key, row.value) for row in found)
    assert len({row.key for row in found}) == 10
    assert first[0] == (
        '{"k":"2025-01-01T00:00:00.000000Z","window":{"start":"2024-11-03T06:00:00.000000Z",'
        '"end":"2024-11-03T06:01:00.000000Z"}}'
    )
    assert first[1].startswith(first[0][:-1])


@pytest.mark.anywhere
@pytest.mark.full
def test_a_compacted_topic(address: str, tmp_path: Path) -> None:
    """In a compacted topic with merged sessions, the last record of each key is valid."""
    held = printed("compacted.py", str(tmp_path), address, connector())[-1]
    assert held == "[('a', '09:00:10', '09:03:00', 19), ('b', '09:00:30', '09:01:30', 4)]"


@pytest.mark.full
def test_the_page(address: str, tmp_path: Path) -> None:
    """The output in docs/guides/kafka.md equals that of its code with this broker."""
    compare("guides/kafka.md", tmp_path, [connector()], places={"broker:9092": address})
