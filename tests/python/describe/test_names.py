"""Names that look like code, paths or Windrow's own are plain names, or refused (SEMANTICS B7)."""

from __future__ import annotations

import json
import random
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow.parquet import read_metadata
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

import windrow as wr

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

#: The pieces that names are composed of.
PIECES = [
    *("`", "``", ".", "'", '"', "\n", "\r", "\t", "\x00", "\\", "\\u0041", "%", "%s", "{", "}"),
    *(
        "{came}",
        "{0}",
        "${x}",
        "${env:HOME}",
        "$",
        ":x",
        "?",
        "*",
        "[0]",
        "a.*",
        "_c0",
        "-- ",
        "/*",
    ),
    *("'); DROP TABLE x; --", " OR 1=1", "SELECT", "IDENTIFIER(x)", "named_struct", "\u202eabc"),
    *("\u200b", "\ufeff", "\U0001f600", "e\u0301", "\u00df", "\u0130", "\uffff", " ", "  ", ";"),
    *("key0", "input0", "result0", "time", "kind", "reason", "packet", "shard", "order", "end"),
    *("column", "accepted", "rejected", "windrow_", "__windrow", "batch=0", "../", "n" * 1000),
]
COLUMNS, ALIASES = 40, 18
#: The number of names in a plan: columns, aliases, the stream, and one more for lookups.
NAMES = COLUMNS + ALIASES + 2


def quoted(name: str) -> str:
    """Return a name quoted for Spark."""
    return f"`{name.replace('`', '``')}`"


def metric(name: str) -> str:
    """Return a name as in observed metrics, where a slash separates its parts (R74)."""
    return name.replace("%", "%25").replace("/", "%2F")


def names(seed: int) -> list[str]:
    """Draw hostile names that a session treats as different."""
    rng = random.Random(seed)  # noqa: S311  no secret
    found: dict[str, str] = {}
    while len(found) < NAMES:
        made = "".join(rng.choices(PIECES, k=rng.randint(1, 4)))
        # The stream's name is not a column, and internal names of joins are visible.
        taken = made.casefold() in {"time", "window", "pane", "messages"}
        if made.strip() and not taken and not made.casefold().startswith("__windrow_"):
            found.setdefault(made.upper().casefold(), made)
    return list(found.values())


def table(spark: SparkSession, columns: Sequence[str]) -> DataFrame:
    """Return a stream of rows with these columns after their time."""
    given = spark.readStream.format("rate").load()
    values = [F.col("value").alias(name) for name in columns]
    return given.select(F.col("timestamp").alias("time"), *values)


def aggregated(spark: SparkSession, given: Sequence[str]) -> DataFrame:
    """Return an aggregation whose keys, aggregates, identity and stream have hostile names."""
    columns, aliases = given[:COLUMNS], given[COLUMNS:-2]
    column = [quoted(name) for name in columns]
    offset = wr.RowId(offset=column[3], partition=column[4], source=column[5])
    stream = wr.stream(
        table(spark, columns),
        time="time",
        key=column[:3],
        watermark="1 minute",
        maxFuture="1 day",
        rowId=offset,
        name=given[-1],
    )
    windows = stream.lateness("1 minute").window(wr.Session(F.col(column[6])))
    found = [F.sum(column[7 + i]).alias(name) for i, name in enumerate(aliases)]
    return windows.accumulationMode(wr.ACCUMULATING).aggregate(*found).output


def kept(spark: SparkSession, given: Sequence[str]) -> DataFrame:
    """Return full state and a stream of lookups."""
    stream = wr.stream(
        table(spark, given[:COLUMNS]),
        time="time",
        key=[quoted(name) for name in given[:2]],
        watermark="1 minute",
        name=given[-1],
    )
    windows = stream.lateness("1 minute").retain(time="2 days").window(wr.Tumbling("1 day"))
    lookups = table(spark, given[COLUMNS:-2]).withColumnRenamed("time", given[-2])
    asked = {name: quoted(given[COLUMNS + i]) for i, name in enumerate(given[:2])}
    return windows.keepRows().getMessages(lookups, None, None, key=asked).output


def joined(spark: SparkSession, given: Sequence[str]) -> DataFrame:
    """Return a join whose columns, keys and streams have hostile names."""
    columns = given[:-2]
    streams = [
        wr.stream(table(spark, columns), time="time", watermark="1 minute", name=name)
        for name in given[-2:]
    ]
    sides = [stream.lateness("1 minute") for stream in streams]
    within = ("0 seconds", "1 minute")
    return wr.join(*sides, on=[quoted(name) for name in given[:2]], within=within).output


def together(spark: SparkSession, given: Sequence[str]) -> DataFrame:
    """Return a co-group whose columns, keys and streams have hostile names."""
    columns = given[:COLUMNS]
    streams = [
        wr.stream(
            table(spark, columns),
            time="time",
            key=quoted(given[0]),
            watermark="1 minute",
            name=name,
        )
        for name in given[-2:]
    ]
    windows = wr.cogroup(*streams).lateness("1 minute").window(wr.Tumbling("1 minute"))
    counts = [F.count(quoted(given[-1])).alias(name) for name in given[COLUMNS:-2]]
    return windows.accumulationMode(wr.DISCARDING).aggregate(*counts).output


def by_policies(spark: SparkSession, given: Sequence[str]) -> DataFrame:
    """Return a policy window whose columns have hostile names."""
    policy = wr.Policy.sliding(wr.ByCount(2), trigger=wr.ByDelta(quoted(given[4]), 1.0))
    stream = wr.stream(
        table(spark, given[:COLUMNS]), time="time", key=quoted(given[0]), name=given[-1]
    )
    counts = [F.sum(quoted(given[1])).alias(name) for name in given[COLUMNS:-2]]
    return stream.window(policy).aggregate(*counts).output


PLANS: dict[str, Callable[[SparkSession, Sequence[str]], DataFrame]] = {
    "aggregates": aggregated,
    "full state": kept,
    "join": joined,
    "co-group": together,
    "policies": by_policies,
}
#: Fields of a plan's JSON with ids and names that Spark and PySpark generate.
IGNORED = {"metadata", "dataframeId", "nodeId", "qualifier", "desc"}
HARMLESS = [f"c{i:02}" for i in range(NAMES)]


def shape(df: DataFrame, given: Sequence[str] = HARMLESS) -> Any:
    """Return the analyzed plan with harmless names replaced by the given ones."""
    plain = dict(zip(HARMLESS, given, strict=True))
    # join keys as they are written
    plain |= {quoted(name): quoted(to) for name, to in plain.items()}
    pairs = [*plain.items(), ("_".join(HARMLESS[-2:]), "_".join(given[-2:]))]
    for name, to in pairs:
        plain |= {name: to, f"windrow_{name}": f"windrow_{metric(to)}"}
        plain[f"windrow_{name}/read"] = f"windrow_{metric(to)}/read"
    for name, told in product(HARMLESS[-2:], ("read", "watermark")):  # metrics of several streams
        both = f"{'_'.join(HARMLESS[-2:])}/{name}/{told}"
        parts = [metric("_".join(given[-2:])), metric(plain[name]), told]
        plain[f"windrow_{both}"] = f"windrow_{'/'.join(parts)}"
    ids: dict[object, int] = {}

    def renamed(tree: Any) -> Any:
        if isinstance(tree, list):
            return [renamed(one) for one in tree]
        if isinstance(tree, str):
            return "_pyspark_" if tree.startswith("_pyspark_") else plain.get(tree, tree)
        if not isinstance(tree, dict):
            return tree
        if "jvmId" in tree:
            return ids.setdefault(tree["id"], len(ids))
        return {name: renamed(one) for name, one in tree.items() if name not in IGNORED}

    jvm: Any = df
    return renamed(json.loads(jvm._jdf.queryExecution().analyzed().toJSON()))


def same_plans(spark: SparkSession, seeds: range) -> None:
    """Compare the plans with hostile names with the plans with harmless names."""
    for what, plan in PLANS.items():
        harmless = plan(spark, HARMLESS)
        for seed in seeds:
            given = names(seed)
            assert shape(plan(spark, given)) == shape(harmless, given), (what, seed)


@pytest.mark.full
def test_a_name_changes_no_plan(spark: SparkSession) -> None:
    """A hostile name does not change a plan except for the name itself."""
    same_plans(spark, range(1))


@pytest.mark.full
def test_no_name_changes_a_plan(spark: SparkSession) -> None:
    """None of 10,000 hostile names changes a plan, for each operator."""
    same_plans(spark, range(1, 1 + 10_000 // NAMES + 1))


OWN = [f"{prefix}{name}" for prefix in ("__windrow_", "__WINDROW_") for name in ("watermark", "x")]


@pytest.mark.parametrize("name", [*OWN, "__windrow_of_time", "__windrow_offset"])
def test_names_of_windrow_are_refused(spark: SparkSession, name: str) -> None:
    """Windrow's own names are refused as columns, keys and aliases, and never misread."""
    columns = [name if one == "c00" else one for one in HARMLESS[:2]]
    df = table(spark, columns)
    stream = wr.stream(df, time="time", key="c01", watermark="1 minute").lateness("0 seconds")
    windows = stream.window(wr.Tumbling("1 minute"))
    other = wr.stream(table(spark, HARMLESS[:2]), time="time", watermark="1 minute", name="b")
    side = other.lateness("0 seconds")
    kept = side.retain(time="1 day").window(wr.Tumbling("1 day")).keepRows()
    makes: dict[str, Callable[[], object]] = {
        "column": lambda: windows.aggregate(F.count("*")).panes,
        "alias": lambda: (
            side.window(wr.Tumbling("1 minute"))
            .aggregate(F.count("*").alias("n"), F.max("c00").alias(name))
            .panes
        ),
        "join": lambda: wr.join(stream, side, on="c01", within=("0 seconds", "1 minute")).rows,
        "lookup": lambda: kept.getMessages(df, None, None).answers,
    }
    for what, make in makes.items():
        with pytest.raises(wr.SpecError, match="NAME_TAKEN") as refused:
            make()
        assert f"'{name}'" in str(refused.value), what


def test_a_star_is_a_name(spark: SparkSession) -> None:
    """A key named ``*`` is one column, not all columns; if it is missing, it is refused."""
    df = spark.range(2).select(F.timestamp_seconds("id").alias("time"), F.lit(1).alias("*"), "id")
    windows = wr.stream(df, time="time", key="*").lateness("0 seconds")
    assert windows.window(wr.Tumbling("1 day")).aggregate(F.count("*")).panes.columns[0] == "*"
    bare = df.drop("*")
    for name in ("*", "id.*"):
        stream = wr.stream(bare, time="time", key=name).lateness("0 seconds")
        with pytest.raises(wr.SpecError, match=r"\*|\"id\""):
            stream.window(wr.Tumbling("1 day")).aggregate(F.count("*"))


def test_names_that_no_text_can_hold(spark: SparkSession) -> None:
    """Names that are not valid Unicode or too long for JSON are refused."""
    streams = [
        wr.stream(table(spark, []), time="time", watermark="1 minute", name=name)
        for name in ("a", "\ud800", "n" * 60_000)
    ]
    half = streams[1].lateness("0 seconds").window(wr.Tumbling("1 minute"))
    with pytest.raises(wr.SpecError, match=r"TEXT_NOT_UNICODE.*ud800"):
        half.aggregate(F.count("*"))
    sides = (one.lateness("0 seconds") for one in (streams[0], streams[2]))
    with pytest.raises(wr.SpecError, match=r"SPEC_NOT_JSON.*[lL]ength"):
        wr.join(*sides, within=("0 seconds", "1 minute"))


@pytest.mark.slow
def test_arguments_of_sql_are_data(spark: SparkSession) -> None:
    """Any text as an SQL argument is read as a name or value, or refused with a plain error."""
    df = spark.range(2).select(F.timestamp_seconds("id").alias("time"), "id")
    df.createOrReplaceTempView("arguments")
    usual = {"time": "time", "size": "1 hour", "lateness": "0 seconds", "stream": "s"}
    for argument in (*usual, "watermark", "early", "accumulation_mode", "output", "source"):
        for said in (*PIECES[::6], *names(0)[:2]):
            given = {**usual, argument: said}
            shown = said_or_refused(spark, given)
            plain = shown == ["id", "window", "n", "pane"] or (
                "[" in shown[0] and "\tat " not in shown[0].split("JVM stacktrace")[0]
            )
            assert plain, (argument, said, shown)


def said_or_refused(spark: SparkSession, given: dict[str, str]) -> list[str]:
    """Return the columns of the windows, or the problem of the arguments."""
    named = ", ".join(f"{name} => :{name}" for name in given)
    counts = "TABLE(SELECT id, count(*) n FROM arguments GROUP BY id)"
    try:
        return spark.sql(f"SELECT * FROM windrow_tumble({counts}, {named})", given).columns  # noqa: S608
    except AnalysisException as refused:
        return [str(refused)]


@pytest.mark.slow
def test_a_path_is_one_folder(spark: SparkSession, tmp_path: Path) -> None:
    """A path with pattern characters is one folder, although the pattern matches another one."""
    name = "p [a]{b,c}*?\\$"
    (tmp_path / "p ab").mkdir()
    folder = tmp_path / name
    rows = spark.range(4).select(F.timestamp_seconds("id").alias("time"), "id")
    rows.coalesce(1).write.parquet(str(tmp_path / "in"))
    df = spark.readStream.schema(rows.schema).parquet(str(tmp_path / "in"))
    stream = wr.stream(df, time="time", watermark="1 second", name=name).lateness("0 seconds")
    out = stream.window(wr.Tumbling("1 second")).aggregate(F.count("*").alias(name))
    for _ in range(2):  # the second start finds all input processed
        query = out.start(
            panes=wr.Files(str(folder / "out")),
            checkpoint=folder / "c",
            availableNow=True,
            drain=True,
        )
        query.awaitTermination()
    assert {one.name for one in tmp_path.iterdir()} == {"in", "p ab", name}
    assert list((tmp_path / "p ab").iterdir()) == []
    found = (folder / "out").glob("batch=*/*.parquet")
    # all four rows: the query read its end
    assert sum(read_metadata(part).num_rows for part in found) == 4
    assert (folder / "c" / "windrow" / "end").is_dir()
