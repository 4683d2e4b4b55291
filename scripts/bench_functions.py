"""Measure aggregates in Python (``wr.aggregate``) against Spark's own ways to call a function.

All call the same pandas function for the same rows of each key and window, and their results are
compared. ``scripts/bench functions`` prints the CPU time of each, of the JVM and the Python workers
together, and the ratios.

The streams read one file in each micro-batch. ``applyInPandas`` stores nothing there. It can only
be compared because each file has entire windows; it would lose the rest of a window. A second peer
is a pandas UDF over the lists of ``collect_list``, because Spark allows no grouped aggregate pandas
UDF in a streaming aggregation: like Windrow, it stores the rows of open windows in RocksDB, but in
the order of their arrival.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import pandas_udf

import windrow as wr

SCHEMA = "time timestamp, key bigint, price double, amount bigint"
FILES = 8
#: The minute of the first file since 1970, and the start of the window of the last row.
MINUTE = 1_000
OPEN = pd.Timestamp((MINUTE + FILES) * 60, unit="s")
TICK = os.sysconf("SC_CLK_TCK")


def mean(price: pd.Series, amount: pd.Series) -> float:
    """Return the weighted average of the prices."""
    return float((price * amount).sum() / amount.sum())


weighted = wr.aggregate(returns="double", over="pandas")(mean)


def by_windrow(rows: DataFrame) -> DataFrame:
    """Return the values of Windrow's windows."""
    stream = wr.stream(rows, time="time", key="key", watermark="0 seconds").lateness("0 seconds")
    windows = stream.window(wr.Tumbling("1 minute"))
    panes = windows.aggregate(weighted("price", "amount").alias("value")).panes
    return panes.select("key", F.col("window.start").alias("start"), "value")


def by_pandas(rows: DataFrame) -> DataFrame:
    """Return the values of ``applyInPandas`` for each key and window."""

    def each(key: tuple[Any, ...], part: pd.DataFrame) -> pd.DataFrame:
        value = mean(part["price"], part["amount"])
        return pd.DataFrame({"key": [key[0]], "start": [key[1]], "value": [value]})

    start = F.window("time", "1 minute").start.alias("start")
    grouped = rows.select("key", start, "price", "amount").groupBy("key", "start")
    return grouped.applyInPandas(each, "key bigint, start timestamp, value double")


def by_lists(rows: DataFrame) -> DataFrame:
    """Return the values of a pandas UDF over the rows that Spark's windows collect."""

    def all_values(prices: pd.Series, amounts: pd.Series) -> pd.Series:
        windows = zip(prices, amounts, strict=True)
        return pd.Series([mean(pd.Series(price), pd.Series(amount)) for price, amount in windows])

    udf: Any = pandas_udf  # its declared types do not allow a function of pandas' own types
    value = udf(all_values, "double")
    marked = rows.withWatermark("time", "0 seconds")
    grouped = marked.groupBy("key", F.window("time", "1 minute"))
    lists = grouped.agg(F.collect_list(F.struct("price", "amount")).alias("rows"))
    shown = value("rows.price", "rows.amount").alias("value")
    return lists.select("key", F.col("window.start").alias("start"), shown)


#: The peers for each form of the input, by name. The limit of the ratio applies to the first one.
PEERS = {
    "batch": {"applyInPandas": by_pandas},
    "stream": {"applyInPandas": by_pandas, "collect_list and a pandas UDF": by_lists},
}
UNLIMITED = "no limit, because the lists have no order"


def used(process: int) -> float:
    """Return the CPU seconds of a process and of all its descendants, also of those that ended."""
    ticks, parents = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has just ended
            parents[int(folder.name)] = int(fields[1])
            ticks[int(folder.name)] = sum(map(int, fields[11:15]))

    def belongs(one: int) -> bool:
        return one == process or (one in parents and belongs(parents[one]))

    return sum(count for one, count in ticks.items() if belongs(one)) / TICK


class Trial:
    """Runs one of the programs over rows in a folder."""

    def __init__(self, spark: SparkSession, folder: Path, shape: str) -> None:
        """Store the form of the input: "batch" or "stream"."""
        self.spark, self.folder, self.shape = spark, folder, shape
        jvm: Any = spark._jvm
        self.process = int(jvm.java.lang.ProcessHandle.current().pid())

    def run(self, engine: Callable[[DataFrame], DataFrame]) -> tuple[float, pd.DataFrame]:
        """Return the CPU seconds and the values."""
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        before = used(self.process)
        rows = str(self.folder / "rows")
        if self.shape == "batch":
            engine(self.spark.read.schema(SCHEMA).parquet(rows)).write.parquet(str(out / "values"))
        else:
            reader = self.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
            writer = engine(reader.parquet(rows)).writeStream.format("parquet").outputMode("append")
            writer = writer.option("checkpointLocation", str(out / "checkpoint"))
            query = writer.trigger(availableNow=True).start(str(out / "values"))
            query.awaitTermination()
        spent = used(self.process) - before
        values: Any = self.spark.read.parquet(str(out / "values")).toPandas()
        return spent, values.sort_values(["key", "start"]).reset_index(drop=True)


def write_rows(spark: SparkSession, folder: Path, rows: int, window: int) -> None:
    """Write files in the order of time; each has all rows of its windows and keys.

    A key has ``window`` rows in a minute. The last file has one row, which completes all windows.
    """
    keys = rows // FILES // window
    minute = F.timestamp_micros((F.col("minute") * 60 + F.col("id") % 60) * 1_000_000)
    for number in range(FILES + 1):
        size = keys * window if number < FILES else 1
        made = spark.range(size).withColumn("minute", F.lit(MINUTE + number))
        shown = made.select(
            minute.alias("time"),
            (F.col("id") % keys).alias("key"),
            (F.hash("id", "minute") % 1000 / 7).alias("price"),
            (F.abs(F.hash("id")) % 9 + 1).alias("amount"),
        )
        part = folder / f"part{number}"
        shown.coalesce(1).write.parquet(str(part))
        (file,) = part.glob("*.parquet")
        (folder / "rows").mkdir(exist_ok=True)
        target = folder / "rows" / f"{number}.parquet"
        file.rename(target)
        os.utime(target, (1_700_000_000 + number, 1_700_000_000 + number))


def compared(trial: Trial, repeats: int) -> dict[str, list[float]]:
    """Run all in turn, compare their values, and return the ratios of CPU time to each peer."""
    peers = PEERS[trial.shape]
    ratios: dict[str, list[float]] = {name: [] for name in peers}
    for number in range(repeats + 1):
        ours, found = trial.run(by_windrow)
        shown = [f"wr.aggregate {ours:.2f} s"]
        for name, peer in peers.items():
            theirs, expected = trial.run(peer)
            if trial.shape == "stream":  # applyInPandas returns the open window of the last row
                expected = expected[expected["start"] < OPEN].reset_index(drop=True)
            pd.testing.assert_frame_equal(found, expected, rtol=1e-9, check_dtype=False)
            shown.append(f"{name} {theirs:.2f} s")
            if number:
                ratios[name].append(ours / theirs)
        warm = "" if number else " (not counted: the JVM compiles)"
        print(f"  {', '.join(shown)}{warm}", flush=True)
    return ratios


def main() -> None:
    """Print the ratios in batch and in streams."""
    parser = argparse.ArgumentParser(prog="scripts/bench functions")
    parser.add_argument("--rows", type=int, default=3_200_000)
    parser.add_argument("--windows", type=int, nargs="+", default=[1000], metavar="ROWS")
    parser.add_argument("--shapes", nargs="+", default=["batch", "stream"], metavar="SHAPE")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--most", type=float, default=1.3, help="the greatest accepted ratio to the first peer"
    )
    given = parser.parse_args()
    settings: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.windrow.shards": "2",
    }
    builder = SparkSession.builder.master("local[2]").config(map=settings)
    spark = wr.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    limited = []
    for window in given.windows:
        for shape in given.shapes:
            with tempfile.TemporaryDirectory() as folder:
                write_rows(spark, Path(folder), given.rows, window)
                print(f"{shape}, {given.rows} rows, {window} in each window:")
                ratios = compared(Trial(spark, Path(folder), shape), given.repeats)
            for place, (name, found) in enumerate(ratios.items()):
                median = statistics.median(found)
                limit = UNLIMITED if place else f"at most {given.most:.2f}"
                spread = f"{min(found):.2f} to {max(found):.2f}"
                print(f"  ratio to {name}: {median:.2f} ({spread}); {limit}", flush=True)
                if not place:
                    limited.append(median)
    spark.stop()
    sys.exit(max(limited) > given.most)


if __name__ == "__main__":
    main()
