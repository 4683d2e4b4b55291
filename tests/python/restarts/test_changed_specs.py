"""The parts of a query that may change at a restart, field by field (SEMANTICS S2)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from kept.changes import (
    ALLOWED,
    CHANGES,
    EACH,
    SIX,
    of,
    sliding,
    stream,
)
from kept.queries import QUERIES, Outputs, before
from kept.run import (
    AFTER,
    BEFORE,
    STREAMS,
    change,
    fingerprint,
    made,
    programs,
    reading,
    session_of,
    write,
)
from kept.text import unfold

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

KEPT = Path(__file__).parents[2] / "checkpoints"
PAGE = Path(__file__).parents[3] / "docs" / "project" / "state-format.md"
#: Parameters that are not fields of a query: the input, and names of standalone operators.
NO_FIELDS = {"df", "stream", "outputStreams"}


@pytest.mark.parametrize("spec", CHANGES, ids=lambda spec: str(spec.__name__))
def test_each_field_has_a_decision(spec: type) -> None:
    """Every field has a decision, and the page lists exactly these fields."""
    known = {field.name.removeprefix("_") for field in fields(spec)} - NO_FIELDS
    assert set(CHANGES[spec]) == known
    told = re.findall(rf"^\| `{spec.__name__}` \| (.+?) \|", PAGE.read_text(), re.MULTILINE)
    assert {name for cell in told for name in re.findall(r"`(\w+)`", cell)} == known


def test_refused_and_allowed(spark: SparkSession, tmp_path: Path) -> None:
    """Each change is refused or allowed, relative to the query that began the checkpoint."""
    session = session_of(spark)
    read = reading(session, tmp_path)
    for name, one in EACH:
        (begun,), (now,) = (programs(session, query(read)) for query in (one.begun, one.now))
        found = change(session, now, fingerprint(begun))
        clocks = (
            begun.hasPeriods() == now.hasPeriods()
            and begun.processingTimeDelay().isDefined() == now.processingTimeDelay().isDefined()
        )
        if one.refused == "clock":
            assert not clocks, name
        elif one.refused is None:
            assert found is None, (name, found)
            assert clocks, name
        else:
            assert one.refused in str(found), (name, found)
            assert "For any other change, use a new checkpoint." in str(found)


def of_rows(name: str, output: Outputs) -> DataFrame:
    """Return all output in a uniform table, with the window and pane number of each pane.

    Rows that do not belong to a window have null instead.
    """
    if isinstance(output, wr.JoinOutput | wr.DedupOutput | wr.MatchOutput):
        rows, window, value = output.rows, F.lit(None), F.to_json(F.struct("*"))
    elif "messages" in output.panes.columns:
        rows = output.panes.select("product", "window", F.explode("messages").alias("message"))
        window, value = F.lit(None), F.to_json(F.struct("*"))
    elif name.startswith("Policy"):
        rows, window, value = output.panes, F.lit(None), F.to_json(F.struct("*"))
    else:
        rows, window, value = output.panes, F.to_json(F.struct("product", "window")), F.col("total")
    number = F.col("pane.index") if "pane" in rows.columns else F.lit(0)
    return rows.select(
        F.lit(name).alias("name"), window.cast("string").alias("window"),
        number.cast("bigint").alias("number"), value.cast("string").alias("value"),
    )  # fmt: skip


def ends(rows: list[tuple[str, str | None, int, str]]) -> Iterator[tuple[str, str | None, str]]:
    """Yield the last value of each window, and all rows without a window.

    The rows that complete the windows are left out.
    """
    last: dict[tuple[str, str], str] = {}
    for name, window, _, value in sorted(rows, key=lambda row: row[2]):
        if json.loads(window or value).get("product") == CLOSING:
            continue
        if window is None:
            yield name, None, value
        else:
            last[name, window] = value
    yield from ((name, window, value) for (name, window), value in last.items())


CLOSING = "end"


def closing() -> dict[str, str]:
    """Return batches that complete and remove every window."""
    rows = [{"time": f"2025-05-0{day} 00:00:00", "product": CLOSING} for day in (1, 2, 3)]
    return {
        f"{name}/{number:04}.json": json.dumps(row)
        for number, row in enumerate(rows, BEFORE + AFTER)
        for name in STREAMS
    }


def restarted(spark: SparkSession, folder: Path, name: str) -> None:
    """Compare the final output of a query that changes with one that does not."""
    session, source = session_of(spark), made()
    rows: dict[str, list[tuple[str, str | None, int, str]]] = {"through": [], "changed": []}

    def run(kind: str, query: str) -> None:
        output = of_rows(name, getattr(ALLOWED[name], query)(reading(session, folder / kind)))
        writer = output.writeStream.option("checkpointLocation", str(folder / kind / "checkpoint"))
        writer.foreachBatch(
            lambda batch, _: rows[kind].extend(tuple(row) for row in batch.collect())
        ).trigger(availableNow=True).start().awaitTermination()

    after = {**source["after"], **closing()}
    write({**source["before"], **after}, folder / "through")
    run("through", "begun")
    write(source["before"], folder / "changed")
    run("changed", "begun")
    write(after, folder / "changed")
    run("changed", "now")
    assert rows["changed"]
    assert sorted(map(repr, ends(rows["changed"]))) == sorted(map(repr, ends(rows["through"])))


def test_allowed_changes_continue(spark: SparkSession, tmp_path: Path) -> None:
    """Each window ends with the same value as without the change."""
    restarted(spark, tmp_path, "Windowed.early0")


@pytest.mark.full
@pytest.mark.parametrize("name", ALLOWED)
def test_each_that_is_allowed_goes_on(spark: SparkSession, tmp_path: Path, name: str) -> None:
    """Each allowed change leaves the final values of all windows unchanged."""
    restarted(spark, tmp_path, name)


def test_results_of_retractions_stay(spark: SparkSession, tmp_path: Path) -> None:
    """Expressions around aggregates cannot change if panes are retracted (SEMANTICS R90)."""
    session = session_of(spark)
    rows = stream(reading(session, tmp_path))
    total = F.sum("amount")

    def found(of: Callable[[Column], wr.Output], begun: Column, now: Column) -> list[str | None]:
        one, other = (programs(session, of(value.alias("total"))) for value in (begun, now))
        return [
            change(session, after, fingerprint(before))
            for before, after in zip(one, other, strict=True)
        ]

    def alone(mode: wr.AccumulationMode) -> Callable[[Column], wr.Output]:
        return lambda value: rows.window(SIX).accumulationMode(mode).aggregate(value)

    def inherited(value: Column) -> wr.Output:
        panes = wr.stream(alone(wr.ACCUMULATING)(value).panes, name="all").lateness("12 hours")
        windows = panes.window(wr.Inherit()).accumulationMode(wr.ACCUMULATING)
        return windows.aggregate(F.sum("total"))

    assert found(alone(wr.ACCUMULATING), total, total + total) == [None]
    retracting = alone(wr.ACCUMULATING_AND_RETRACTING)
    assert found(retracting, total + F.mean("amount"), total + F.avg("amount")) == [None]
    twice = "total: (sum(amount) + sum(amount)) BIGINT"
    told = f"results `total: sum(amount) BIGINT`, but the query has `{twice}`"
    (refused,) = found(retracting, total, total + total)
    assert told in str(refused)
    above, below = found(inherited, total, total + total)
    assert above is None
    assert told in str(below)


def test_columns_of_gaps_keep_their_aggregates(spark: SparkSession, tmp_path: Path) -> None:
    """A gap cannot show another aggregate of its last window, because the state is by position."""
    session = session_of(spark)
    windows = (
        stream(reading(session, tmp_path)).window(SIX).fillGaps({"a": "previous"}, atMost="1 day")
    )
    total, n = F.sum("amount"), F.count("amount").alias("n")
    (begun,), (same,), (now,) = (
        programs(
            session,
            windows.accumulationMode(wr.ACCUMULATING).aggregate(value.alias("a"), n),
        )
        for value in (total, total + 1, total + F.count("amount"))
    )
    assert change(session, same, fingerprint(begun)) is None
    refused = change(session, now, fingerprint(begun))
    assert "aggregates in gaps `sum(amount) before, none after`" in str(refused)


def test_operators_are_compared_in_order(spark: SparkSession, tmp_path: Path) -> None:
    """Each operator of a chain continues with its own state, and none can be left out."""
    session = session_of(spark)
    read = reading(session, tmp_path)
    begun = json.loads((KEPT / wr.__version__ / "inherited.json").read_text())
    unfold(begun["checkpoint"], tmp_path / "checkpoint")

    def check(output: Outputs) -> None:
        assert isinstance(output, wr.Output)
        windrow: Any = session._jvm
        windrow.windrow.spark.Windrow.continues(output.panes._jdf, str(tmp_path / "checkpoint"))

    check(QUERIES["inherited"](read))
    with pytest.raises(Exception, match="2 of Windrow's operators, but the query has 1"):
        check(before(read))


def test_limits_of_all_keys_are_of_one_shard(spark: SparkSession, tmp_path: Path) -> None:
    """A limit over all keys cannot be added or removed with several shards.

    A query with such a limit has a single shard, so its number of shards would change.
    """
    session = session_of(spark)
    session.conf.set("spark.windrow.shards", "4")
    read = reading(session, tmp_path)
    (none,), (some,), (fewer,) = (
        programs(session, sliding(limit=limit)(read))
        for limit in (None, wr.KeyLimits(maxKeys=100), wr.KeyLimits(maxKeys=99))
    )
    for begun, now in ((none, some), (some, none)):
        assert "[SPEC_CHANGED]" in str(change(session, now, fingerprint(begun)))
    assert change(session, fewer, fingerprint(some)) is None


def totals(session: SparkSession, folder: Path) -> dict[str, wr.Output | DataFrame]:
    """Return the same windows in Python and in SQL."""
    read = reading(session, folder)
    read("orders").createOrReplaceTempView("orders_of_restarts")
    said = session.sql(
        """
        SELECT * FROM windrow_tumble(
          TABLE(SELECT product, sum(amount) AS total FROM orders_of_restarts GROUP BY product),
          time => 'time', size => '6 hours', lateness => '12 hours',
          accumulation_mode => 'accumulating', watermark => '1 hour')
        """
    )
    return {"python": of()(read), "sql": said}


@pytest.mark.full
def test_another_language_and_another_sink_go_on(spark: SparkSession, tmp_path: Path) -> None:
    """A query continues from Python with files, to SQL with a function, and back to Python."""
    session, source = session_of(spark), made()
    parts = [source["before"], source["after"], closing()]

    def into_files(folder: Path) -> set[str]:
        output = totals(session, folder)["python"]
        assert isinstance(output, wr.Output)
        sink = wr.Files(str(folder / "panes"))
        output.start(
            panes=sink, checkpoint=folder / "checkpoint", availableNow=True
        ).awaitTermination()
        return rows_of(session.read.parquet(str(folder / "panes")))

    def into_a_function(folder: Path, language: str) -> set[str]:
        output = totals(session, folder)[language]
        panes = output.panes if isinstance(output, wr.Output) else output
        found: set[str] = set()
        writer = panes.writeStream.option("checkpointLocation", str(folder / "checkpoint"))
        writer.foreachBatch(lambda batch, _: found.update(rows_of(batch))).trigger(
            availableNow=True
        ).start().awaitTermination()
        return found

    def rows_of(panes: DataFrame) -> set[str]:
        shown = panes.select("product", "window", "total", "pane.index")
        return {repr(row) for row in shown.collect()}

    changed = tmp_path / "changed"
    write(parts[0], changed)
    rows = [into_files(changed)]
    for part, language in ((parts[1], "sql"), (parts[2], "python")):
        write(part, changed)
        rows.append(into_a_function(changed, language))
    assert all(rows)
    for part in parts:
        write(part, tmp_path / "through")
    assert set.union(*rows) == into_a_function(tmp_path / "through", "python")
