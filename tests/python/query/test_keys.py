"""Keys are equal exactly if Spark's groupBy and join treat them as equal (SEMANTICS W2, R35)."""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import Row
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

pytestmark = pytest.mark.spark

AT = "timestamp'2025-01-01 10:00:00'"


def double(bits: int) -> float:
    """Return the number with these bits, so that several NaN can be distinguished."""
    return float(struct.unpack(">d", struct.pack(">Q", bits))[0])


NUMBERS = [
    *(0.0, -0.0, 1.5, float("inf"), -float("inf"), 5e-324, None),
    *map(double, (0x7FF8000000000000, 0x7FF8000000000001, 0xFFF8000000000000, 0x7FF0000000000001)),
]
TEXTS = ["", " ", "a", "a ", " a", "A", "\u00e9", "e\u0301", "\u0130", "i\u0307", "\x00", None]
SMALL = [0, 1, -1, None]
SOLID = [number for number in NUMBERS[:9] if number is not None]  # see test_maps_with_nulls


class Values:
    """Hostile values of types, some of them random."""

    def __init__(self, seed: int, count: int) -> None:
        """Create a source of ``count`` values for each type with many values."""
        self.rng, self.count = random.Random(seed), count  # noqa: S311  no secret

    def __call__(self, kind: str) -> list[Any]:
        """Return values of a type by its name in ``KINDS``, including nulls."""
        plain: dict[str, list[Any]] = {
            "double": NUMBERS,
            "float": NUMBERS,
            "string": TEXTS,
            "int": SMALL,
        }
        if kind in plain:
            return list(plain[kind])
        return [None, *(self.one(kind) for _ in range(self.count))]

    def one(self, kind: str) -> Any:
        """Return one value of a nested type."""
        pick = self.rng.choice
        several = range(self.rng.randrange(4))
        make: dict[str, Callable[[], Any]] = {
            "array<double>": lambda: [pick(NUMBERS[:9]) for _ in several],
            "struct<x:double,s:string>": lambda: Row(x=pick(NUMBERS), s=pick(TEXTS[:4])),
            "map<string,int>": lambda: self.shuffled((name, pick(SMALL[:3])) for name in "abc"),
            "map<string,double>": lambda: self.shuffled((name, pick(SOLID)) for name in "ab"),
            "map<int,map<string,int>>": lambda: self.shuffled(
                (i, self.one("map<string,int>")) for i in (1, 2)
            ),
            "array<map<string,int>>": lambda: [self.one("map<string,int>") for _ in several],
            "struct<m:map<string,int>,x:double>": lambda: Row(
                m=pick([None, self.one("map<string,int>")]), x=pick(NUMBERS[:4])
            ),
            "array<struct<m:map<string,double>>>": lambda: [
                Row(m=self.one("map<string,double>")) for _ in several
            ],
        }
        return make[kind]()

    def shuffled(self, items: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
        """Return a map with its entries in any order and some of them left out."""
        kept = [item for item in items if self.rng.random() < 0.8]
        self.rng.shuffle(kept)
        return dict(kept)


COMPARABLE = ["double", "float", "string", "array<double>", "struct<x:double,s:string>"]
MAPS = [
    "map<string,int>",
    "map<string,double>",
    "map<int,map<string,int>>",
    "array<map<string,int>>",
    "struct<m:map<string,int>,x:double>",
    "array<struct<m:map<string,double>>>",
]
KINDS = [*COMPARABLE, *MAPS]

#: More values, as SQL literals.
LITERALS = {
    "boolean": ["true", "false"],
    "decimal(30,2)": ["1.5", "1.50", "-0.0", "99999999999999999999999999.99"],
    "binary": ["x''", "x'00'", "x'0000'", "x'ff'"],
    "date": ["date'0001-01-01'", "date'9999-12-31'"],
    "timestamp": ["timestamp'1969-12-31 23:59:59.999999'", "timestamp'1970-01-01'"],
    "timestamp_ntz": ["timestamp_ntz'1970-01-01'", "timestamp_ntz'0001-01-01'"],
    "interval day to second": ["interval '1' day", "interval '24' hour", "interval '0' second"],
    "interval year to month": ["interval '1' year", "interval '12' month"],
    "interval": ["make_interval(0, 1)", "make_interval(0, 0, 0, 30)", "make_interval(1)"],
    "map<double,string>": ["map(0.0D, 'z')", "map(-0.0D, 'z')", "map(double('NaN'), 'n')"],
    "map<struct<a:int>,int>": [
        "map(named_struct('a', 1), 1, named_struct('a', 2), 2)",
        "map(named_struct('a', 2), 2, named_struct('a', 1), 1)",
    ],
}


def table(spark: SparkSession, seed: int, count: int, kinds: Sequence[str]) -> DataFrame:
    """Return each value twice, in a column ``k<i>`` per kind; the row's other columns are null."""
    values = Values(seed, count)
    made = [kind for kind in kinds if kind not in LITERALS]
    rows: list[tuple[Any, ...]] = []
    for place, kind in enumerate(made):
        rows += [
            (place, *(value if i == place else None for i in range(len(made))))
            for value in values(kind) * 2
        ]
    schema = ", ".join(["kind int", *(f"`{kind}` {kind}" for kind in made)])
    df = spark.createDataFrame(rows, schema)
    said = [(kind, text) for kind in kinds if kind in LITERALS for text in LITERALS[kind] * 2]
    columns = [kind for kind in kinds if kind in LITERALS]
    for kind in columns:
        df = df.withColumn(kind, F.lit(None).cast(kind))
    for kind, text in said:
        one = ", ".join(f"CAST({text if kind == k else 'null'} AS {k}) `{k}`" for k in columns)
        more = spark.sql(f"SELECT {100 + columns.index(kind)} kind, {one}")
        df = df.unionByName(more, allowMissingColumns=True)
    named = [F.col(f"`{kind}`").alias(f"k{i}") for i, kind in enumerate([*made, *columns])]
    return df.select("kind", *named).coalesce(1).withColumn("id", F.monotonically_increasing_id())


def written(df: DataFrame, folder: Path) -> DataFrame:
    """Write the rows to a file, so that each read returns the same rows, and add a time."""
    plain = [name for name, of in df.dtypes if of != "interval"]  # files do not support this type
    df.select(plain).write.parquet(str(folder))
    return df.sparkSession.read.parquet(str(folder)).withColumn("time", F.expr(AT))


def groups(rows: list[Row]) -> set[frozenset[int]]:
    """Return which rows belong together."""
    return {frozenset(row.ids) for row in rows}


def ids() -> Column:
    """Return the ids of the rows of a group."""
    return F.collect_set("id").alias("ids")


def ours(df: DataFrame, keys: Sequence[str], mark: str | None = None) -> wr.Output:
    """Group the rows with Windrow."""
    stream = wr.stream(df, time="time", key=keys, watermark=mark)
    return stream.lateness("0 seconds").window(wr.Tumbling("1 day")).aggregate(ids())


@pytest.fixture(scope="module")
def hostile(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    """Return a few hundred values of all types that may be keys."""
    kinds = [*KINDS, *(kind for kind in LITERALS if kind != "interval")]
    return written(table(spark, 1, 20, kinds), tmp_path_factory.mktemp("keys") / "rows")


@pytest.mark.slow
@pytest.mark.anywhere
@pytest.mark.full
def test_groups_are_those_of_spark(hostile: DataFrame) -> None:
    """Windrow groups as Spark does, in Python and in SQL.

    The values include nulls, zeros, NaN, Unicode, trailing blanks, maps in any order, and nested
    values.
    """
    keys = [name for name in hostile.columns if name[0] == "k"]
    spark = groups(hostile.groupBy(*keys).agg(ids()).select("ids").collect())
    assert len(spark) > 100
    assert groups(ours(hostile, keys).panes.select("ids").collect()) == spark
    hostile.createOrReplaceTempView("hostile")
    by = ", ".join(keys)
    said = f"""SELECT * FROM windrow_tumble(TABLE(SELECT {by}, collect_set(id) AS ids FROM hostile
        GROUP BY {by}), time => 'time', size => '1 day', lateness => '0 seconds')"""  # noqa: S608
    assert groups(hostile.sparkSession.sql(said).select("ids").collect()) == spark


@pytest.mark.slow
def test_groups_of_a_stream(hostile: DataFrame, tmp_path: Path) -> None:
    """A stream groups as Spark does over several micro-batches."""
    session = hostile.sparkSession
    keys = [name for name in hostile.columns if name[0] == "k"]
    for part in range(3):
        hostile.where(F.col("id") % 3 == part).write.mode("append").parquet(str(tmp_path / "in"))
    end = hostile.limit(1).withColumn("time", F.expr("timestamp'2025-01-03'"))
    end.write.mode("append").parquet(str(tmp_path / "in"))
    schema = hostile.schema
    reader = session.readStream.schema(schema).option("maxFilesPerTrigger", 1)
    seen: list[Row] = []
    query = ours(reader.parquet(str(tmp_path / "in")), keys, "3 days").start(
        checkpoint=str(tmp_path / "c"),
        panes=lambda batch, _: seen.extend(batch.select("window", "ids").collect()),
        availableNow=True,
        drain=True,
    )
    query.awaitTermination()
    there = [row for row in seen if row.window.start.day == 1]
    assert groups(there) == groups(hostile.groupBy(*keys).agg(ids()).select("ids").collect())


@pytest.mark.full
def test_asked_for_by_any_equal_key(spark: SparkSession, tmp_path: Path) -> None:
    """A lookup finds keys that Spark treats as equal, from inside and outside (S6, S7)."""
    equal = [
        ("0D", "map('a', 1, 'b', 2)"),
        ("-0D", "map('b', 2, 'a', 1)"),
        ("double('NaN')", "map('a', 1)"),
        ("-double('NaN')", "map('a', 1)"),
        ("null", "map()"),
    ]
    rows = ", ".join(f"({i}, {number}, {pairs})" for i, (number, pairs) in enumerate(equal))
    # The columns of a lookup have the names of the key's columns.
    text = f"SELECT {AT} AS time, id, d, m FROM VALUES {rows} t(id, d, m)"  # noqa: S608
    spark.sql(text).coalesce(1).write.parquet(str(tmp_path / "in"))
    reader = spark.readStream.schema(spark.read.parquet(str(tmp_path / "in")).schema)
    messages = reader.parquet(str(tmp_path / "in"))
    stream = wr.stream(messages, time="time", key=["d", "m"], watermark="1 minute")
    kept = stream.lateness("0 seconds").retain(time="2 days").window(wr.Tumbling("1 day"))
    asked = kept.keepRows().getMessages(reader.parquet(str(tmp_path / "in")), None, None)
    found: dict[int, list[int]] = {}

    def take(batch: DataFrame, _: int) -> None:
        for row in batch.where("kind = 'answers'").select("answers.*").collect():
            found[row.id] = sorted(message.id for message in row.messages)

    writer = asked.output.writeStream.foreachBatch(take).trigger(availableNow=True)
    writer.option("checkpointLocation", str(tmp_path / "c")).start().awaitTermination()
    assert found == {0: [0, 1], 1: [0, 1], 2: [2, 3], 3: [2, 3], 4: [4]}
    for i, (number, pairs) in enumerate(equal):
        out = spark.sql(
            f"SELECT id FROM windrow_get_messages('{tmp_path / 'c'}', by => "  # noqa: S608
            f"named_struct('d', {number}, 'm', {pairs}))"
        )
        assert sorted(row.id for row in out.collect()) == found[i]


@pytest.mark.slow
def test_maps_with_nulls(spark: SparkSession) -> None:
    """A null in a map equals only a null, although Spark's own groupBy confuses it with a value."""
    maps = ["map('b', null, 'c', 1)", "map('c', 1, 'b', null)", "map('b', 1, 'c', 1)"]
    maps += ["map('b', 0, 'c', 1)", "map('b', null, 'c', null)", "map('c', null, 'b', null)"]
    rows = ", ".join(f"({i}, {text})" for i, text in enumerate(maps))
    df = spark.sql(f"SELECT {AT} AS time, id, k FROM VALUES {rows} t(id, k)")  # noqa: S608
    found = groups(ours(df, ["k"]).panes.select("ids").collect())
    assert found == {frozenset(ids) for ids in ((0, 1), (2,), (3,), (4, 5))}


@pytest.mark.slow
def test_intervals_with_months_and_days(spark: SparkSession) -> None:
    """Intervals group as in Spark: a month is not 30 days, twelve months are a year.

    Files do not support interval values, so the table is cached instead.
    """
    df = table(spark, 1, 1, ["interval", "double"]).withColumn("time", F.expr(AT)).cache()
    spark_groups = groups(df.groupBy("k0", "k1").agg(ids()).select("ids").collect())
    assert groups(ours(df, ["k0", "k1"]).panes.select("ids").collect()) == spark_groups


def pairs(rows: list[Row]) -> list[tuple[int, int]]:
    """Return the pairs of joined rows."""
    return sorted((row[0], row[1]) for row in rows)


@pytest.mark.full
@pytest.mark.anywhere
def test_joins_are_those_of_spark(spark: SparkSession, tmp_path: Path) -> None:
    """A join matches rows as Spark does, by single keys and by a struct of all keys.

    A null inside the struct is equal to a null; a null key is not.
    """
    kinds = [
        *COMPARABLE,
        *(k for k in LITERALS if "map" not in k and k != "interval"),
    ]
    df = written(table(spark, 2, 12, kinds), tmp_path / "rows")
    names = [name for name in df.columns if name[0] == "k"]
    df = df.select("time", "id", F.struct(*names).alias("all"), *names)
    for on in ("all", "k0", "k2", "k4"):
        sides = (wr.stream(df, time="time", name=name).lateness("0 seconds") for name in "ab")
        joined = wr.join(*sides, on=on, within=("0 seconds", "1 minute")).rows
        theirs = df.alias("a").join(df.alias("b"), F.col(f"a.{on}") == F.col(f"b.{on}"))
        assert pairs(joined.select("a.id", "b.id").collect()) == pairs(
            theirs.select("a.id", "b.id").collect()
        )


@pytest.mark.slow
def test_keys_of_a_fixed_length(spark: SparkSession) -> None:
    """CHAR values of different lengths are padded for the comparison, as in Spark."""
    for name, size in (("short", 3), ("long", 5)):
        spark.sql(f"DROP TABLE IF EXISTS keys_{name}")
        spark.sql(f"CREATE TABLE keys_{name} (c CHAR({size}), time TIMESTAMP) USING parquet")
        spark.sql(f"INSERT INTO keys_{name} VALUES ('a', {AT}), ('ab ', {AT}), (null, {AT})")  # noqa: S608
    a, b = (spark.table(f"keys_{name}") for name in ("short", "long"))
    sides = [wr.stream(df, time="time", name=n) for df, n in ((a, "a"), (b, "b"))]
    within = ("0 seconds", "1 minute")
    joined = wr.join(*(s.lateness("0 seconds") for s in sides), on="c", within=within).rows
    assert joined.count() == a.join(b, "c").count() == 2
    text = """SELECT * FROM keys_short a JOIN keys_long b ON a.c = b.c
        AND b.time BETWEEN a.time AND a.time + INTERVAL 1 MINUTE"""
    said = spark.sql(f"SELECT * FROM windrow_join(TABLE({text}), lateness => '0 seconds')")  # noqa: S608
    assert said.count() == 2
    assert said.columns == ["c", "a", "b"]
    for name in ("short", "long"):
        spark.sql(f"DROP TABLE keys_{name}")


REFUSED = {
    "'a' COLLATE UTF8_LCASE": "KEY_NOT_BINARY",
    "'a' COLLATE UTF8_BINARY_RTRIM": "KEY_NOT_BINARY",
    "'a' COLLATE de_CI_AI": "KEY_NOT_BINARY",
    "'a' COLLATE UNICODE": "KEY_NOT_BINARY",
    "named_struct('x', array('a' COLLATE UTF8_LCASE))": "KEY_NOT_BINARY",
    "map('a' COLLATE UTF8_LCASE, 1)": "KEY_NOT_BINARY",
    "map(make_interval(1), 1)": "KEY_NOT_COMPARABLE",
    "parse_json('1')": "KEY_NOT_COMPARABLE",
    "array(map(1, parse_json('1')))": "KEY_NOT_COMPARABLE",
}


@pytest.mark.anywhere
@pytest.mark.parametrize("key", REFUSED)
def test_keys_that_are_refused(spark: SparkSession, key: str) -> None:
    """The error names the key, its type and the remedy, in aggregates, full state and joins."""
    if key.endswith("RTRIM") and spark.version.startswith("4.0."):
        pytest.skip("Spark 4.0 does not have this collation")
    df = spark.sql(f"SELECT {AT} AS time, 1 AS v, {key} AS q")
    stream = wr.stream(df, time="time", key="q").lateness("0 seconds")
    window = stream.retain(messages=9).window(wr.Tumbling("1 day"))
    code = REFUSED[key]
    makes: list[Callable[[], DataFrame]] = [
        lambda: window.aggregate(F.count("*")).panes,
        lambda: window.keepRows().panes,
    ]
    for make in makes:
        with pytest.raises(wr.SpecError, match=r"'q' has the type|\"q\" cannot") as refused:
            make()
        found = refused.value.problems[0]
        assert found.code == code or "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE" in found.text
    df.createOrReplaceTempView("refused")
    said = "windrow_tumble(TABLE(refused), key => 'q', time => 'time', size => '1 day', "
    with pytest.raises(Exception, match=code):
        spark.sql(f"SELECT * FROM {said} lateness => '0 seconds', retain_messages => 9)")  # noqa: S608
    sides = (wr.stream(df, time="time", name=name).lateness("0 seconds") for name in "ab")
    with pytest.raises(wr.SpecError, match="KEY_NOT_") as refused:
        wr.join(*sides, on="q", within=("0 seconds", "1 minute")).rows  # noqa: B018
    assert "'q'" in str(refused.value)


@pytest.mark.slow
def test_a_collated_string_next_to_the_key(feed: Feed) -> None:
    """Rows with a collated non-key column are combined like others and rejected unchanged."""
    feed.add([order("09:00:10", "Aa", 1), order("09:00:20", "aA", 2)], [order("09:05:00", "b", 4)])
    feed.add(NOTHING, [order("09:00:30", "AA", 8)], NOTHING)
    text = F.collate("product", "UTF8_LCASE")
    df = feed.stream().withColumns({"product": text, "all": F.array(text)})
    stream = wr.stream(df, time="time", key="price", watermark="0 seconds").lateness("0 seconds")
    output = stream.window(wr.Tumbling("1 minute")).aggregate(F.sum("amount").alias("total"))
    assert sorted(row.total for row in feed.run(output.panes)) == [1, 2]
    [late] = feed.run(output.rejected)
    assert (late.message.product, late.message["all"]) == ("AA", ["AA"])
    kept = output.rejected.select("message.*").schema
    assert kept["product"].dataType == df.schema["product"].dataType


@pytest.mark.slow
def test_the_remedies(spark: SparkSession) -> None:
    """The remedies in the errors group as Spark's own groupBy over the collated text does."""
    texts = "VALUES ('Berlin'), ('BERLIN'), ('berlin  '), ('Rom') t(c)"
    df = spark.sql(f"SELECT {AT} AS time, monotonically_increasing_id() AS id, c FROM {texts}")  # noqa: S608
    for collation, remedy in (("UTF8_LCASE", "lower(c)"), ("UTF8_BINARY_RTRIM", "rtrim(c)")):
        collated = df.withColumn("c", F.collate("c", collation)).cache()
        theirs = groups(collated.groupBy("c").agg(ids()).select("ids").collect())
        key = F.collate(F.expr(remedy), "UTF8_BINARY")
        stream = wr.stream(collated, time="time", key=key.alias("c")).lateness("0 seconds")
        windows = stream.window(wr.Tumbling("1 day")).aggregate(ids())
        assert groups(windows.panes.select("ids").collect()) == theirs
