"""Values that databases cannot store, in every column, and the fate of their rows."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import windrow as wr
from sinks.writing import make, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, Row, SparkSession

#: Column, type and the SQL of a harmless value.
COLUMNS = {
    "k": ("string", "'a'"),
    "at": ("timestamp", "TIMESTAMP '2025-01-01 09:00:00'"),
    "id": ("bigint", "0"),
    "real": ("double", "1.5"),
    "small": ("float", "1.5"),
    "amount": ("decimal(20,4)", "1.5"),
    "day": ("date", "DATE '2025-01-01'"),
    "seen": ("timestamp", "TIMESTAMP '2025-01-01 09:00:00'"),
    "local": ("timestamp_ntz", "TIMESTAMP_NTZ '2025-01-01 09:00:00'"),
    "text": ("string", "'x'"),
    "bytes": ("binary", "X'00FF'"),
    "tags": ("array<string>", "array('x')"),
}
_ZERO = r"decode(X'610062', 'UTF-8')"
_FACE = "decode(X'F09F9880', 'UTF-8')"
_YEARS = [
    "-000100-01-01",
    "0000-12-31",
    "0001-01-01",
    "1000-01-01",
    "1900-01-01",
    "1969-12-31",
    "2038-01-20",
    "9999-12-31",
    "+10000-01-01",
    "+200000-01-01",
]
_NUMBERS = ["'NaN'", "'Infinity'", "'-Infinity'", "'-0.0'"]
_TEXTS = [
    "''",
    "' '",
    _ZERO,
    _FACE,
    "repeat('é', 700)",
    "repeat('x', 701)",
    f"repeat({_FACE}, 40000)",
    "CAST(X'FF61' AS STRING)",
]
#: SQL of unstorable values.
NASTY: dict[str, list[str]] = {
    "k": ["NULL", *_TEXTS],
    "at": [f"TIMESTAMP '{day} 12:00:00'" for day in _YEARS],
    "real": [f"double({n})" for n in (*_NUMBERS, "4.9e-324", "1.7976931348623157e308")],
    "small": [f"float({n})" for n in (*_NUMBERS, "1.4e-45", "3.4028235e38")],
    "amount": ["9999999999999999.9999", "-0.0001"],
    "day": [f"DATE '{day}'" for day in _YEARS],
    "seen": [f"TIMESTAMP '{day} 12:00:00.000001'" for day in _YEARS],
    "local": [f"TIMESTAMP_NTZ '{day} 12:00:00.000001'" for day in _YEARS],
    "text": _TEXTS,
    "bytes": ["X''", "unhex(repeat('AB', 100000))"],
    "tags": [f"array({_ZERO})", f"array({_FACE}, NULL)", "transform(sequence(1, 20000), i -> 'x')"],
}
#: Types of the columns of a user's own table, and values that they cannot store.
NARROW = {
    "k": ("VARCHAR(10)", "'more than ten'"),
    "id": ("SMALLINT", "70000"),
    "amount": ("DECIMAL(5,2)", "123456.5"),
    "text": ("VARCHAR(5) NOT NULL", "NULL"),
}
PANE = "named_struct('timing', 'LATE', 'index', 0L, 'is_last', false, 'is_retraction', false)"


@dataclass
class Fates:
    """The location of each row of a batch."""

    stored: list[int]
    dead: list[Row] = field(default_factory=list)

    @property
    def lost(self) -> list[int]:
        """Return the ids of the rows that the table could not store."""
        return sorted(json.loads(row.row_values)["id"] for row in self.dead)


def panes(spark: SparkSession, cases: Sequence[tuple[int, str, str]]) -> DataFrame:
    """Return one pane for each case: its id, the column with another value, and its SQL."""
    selects = []
    for number, changed, value in cases:
        sql = {
            name: (f"{number}" if name == "id" else usual) for name, (_, usual) in COLUMNS.items()
        }
        sql[changed] = value
        columns = {name: f"CAST({sql[name]} AS {COLUMNS[name][0]})" for name in COLUMNS}
        start = columns.pop("at")
        window = f"named_struct('start', {start}, 'end', {start})"
        # Keys are distinct except for their unstorable part.
        named = [f"{columns.pop('k')} AS k", f"{columns.pop('id')} AS id", f"{window} AS window"]
        named += [f"{expression} AS {name}" for name, expression in columns.items()]
        selects.append(f"SELECT {', '.join(named)}, {PANE} AS pane")
    return spark.sql(" UNION ALL ".join(selects)).coalesce(1)


def cases(chosen: Sequence[str] = tuple(NASTY)) -> list[tuple[int, str, str]]:
    """Return a case for each unstorable value, and a harmless one after every ten."""
    found: list[tuple[int, str, str]] = []
    for column in chosen:
        for value in NASTY[column]:
            found.append((len(found), column, value))
            if len(found) % 10 == 9:
                found.append((len(found), "text", "'harmless'"))
    return found


def read(spark: SparkSession, url: str, query: str) -> list[Row]:
    """Run a query in a database; Spark's dialect for MariaDB requires the name of MySQL."""
    if url.startswith("jdbc:mariadb"):
        url = url.replace("jdbc:mariadb", "jdbc:mysql") + "&permitMysqlScheme"
        more = {"driver": "org.mariadb.jdbc.Driver"}
    else:
        more = {}
    return spark.read.format("jdbc").options(url=url, query=query, **more).load().collect()


def fates(spark: SparkSession, url: str, table: str, dead: str = "") -> Fates:
    """Return the location of each row."""
    quote = "`" if "mariadb" in url else '"'
    stored = [row[0] for row in read(spark, url, f"SELECT {quote}id{quote} FROM {table}")]  # noqa: S608
    return Fates(sorted(stored), read(spark, url, f"SELECT * FROM {dead}") if dead else [])  # noqa: S608


def every_row_has_a_fate(
    spark: SparkSession, url: str, chosen: Sequence[str] = tuple(NASTY)
) -> int:
    """Check that each row is once in the table or in the dead letters, even after a repetition.

    Without dead letters, each unstorable row is an error that names it, and nothing is written.
    Returns the number of dead letters.
    """
    found, count = cases(chosen), 0
    rows = panes(spark, found).cache()
    for upsert in (False, True):
        table, dead = f"all_{upsert}".lower(), f"dead_{upsert}".lower()
        sink = wr.Jdbc(url, table, upsert=upsert, on=["id", "window"], deadLetter=dead)
        make(spark, sink, rows.schema)
        for _ in range(2):
            write(sink, rows, 0)
            seen = fates(spark, url, table, dead)
            assert sorted([*seen.stored, *seen.lost]) == [number for number, _, _ in found]
        refused = {number: changed for number, changed, _ in found if number in seen.lost}
        assert all(found[number][2] != "'harmless'" for number in seen.lost)
        for row in seen.dead:
            number = json.loads(row.row_values)["id"]
            # The start and the end of a window are the same value here.
            column = {"at": "window_start, window_end"}.get(refused[number], refused[number])
            assert (row.refused, row.batch, row.query) == (column, 0, "q"), (row, found[number])
            assert row.reason
        stays_as_written(spark, url, table, rows, seen.stored)
        write(sink, panes(spark, [(1000, "text", "'later'")]), 1)
        assert fates(spark, url, table).stored == [*seen.stored, 1000]
        count += len(seen.dead)
    one_error_for_each(spark, url, [case for case in found if case[0] in seen.lost])
    rows.unpersist()
    return count


def stays_as_written(
    spark: SparkSession, url: str, table: str, rows: DataFrame, stored: Sequence[int]
) -> None:
    """Check that stored values equal the written ones, so that none is changed silently."""
    quote = "`" if "mariadb" in url else '"'
    names = ", ".join(f"{quote}{name}{quote}" for name in ("id", "k", "real", "text"))
    query = f"SELECT {names} FROM {table}"  # noqa: S608
    held = read(spark, url, query)
    written = {row.id: row for row in rows.select("id", "k", "real", "text").collect()}
    for row in held:
        if row.id not in written:
            continue
        came = written[row.id]
        assert (row.k, row.text) == (came.k, came.text), row.id
        same = math.isnan(came.real) and math.isnan(row.real)
        assert same or row.real == came.real, (row, came)
    assert {row.id for row in held} >= set(stored)


def one_error_for_each(spark: SparkSession, url: str, lost: Sequence[tuple[int, str, str]]) -> None:
    """Check that without dead letters the error names the row, and the batch stores nothing."""
    sink = wr.Jdbc(url, "strict", upsert=True, on=["id", "window"])
    good = (2000, "text", "'harmless'")
    make(spark, sink, panes(spark, [good]).schema)
    for case in lost:
        try:
            write(sink, panes(spark, [good, case]), 0)
        except wr.WindrowError as refused:
            said = str(refused)
            column = {"at": "window_start"}.get(case[1], case[1])
            assert said.startswith("[VALUE_NOT_STORABLE]"), said
            assert f"id={case[0]}" in said, said
            assert f"column '{column}'" in said, said
            assert "deadLetter='strict_dead'" in said
        else:
            raise AssertionError(case)
        assert fates(spark, url, "strict").stored == []
    write(sink, panes(spark, [good]), 0)
    assert fates(spark, url, "strict").stored == [2000]


def a_table_of_the_users_own(spark: SparkSession, url: str, connection: Any) -> None:
    """Check long texts, large numbers and a forbidden null in a user's own table."""
    quote = "`" if "mariadb" in url else '"'
    rows = panes(spark, [(0, "id", "0")])
    make(spark, wr.Jdbc(url, "shape"), rows.schema)
    statement = connection.createStatement()
    described = statement.executeQuery("SELECT * FROM shape").getMetaData()
    names = [described.getColumnName(i + 1) for i in range(described.getColumnCount())]
    usual = {name: described.getColumnTypeName(i + 1) for i, name in enumerate(names)}
    long = {"VARCHAR", "CLOB"}
    kinds = {
        name: NARROW[name][0]
        if name in NARROW
        else ("VARCHAR(64)" if kind.upper() in long else kind)
        for name, kind in usual.items()
    }
    fields = ", ".join(f"{quote}{name}{quote} {kind}" for name, kind in kinds.items())
    statement.execute(f"CREATE TABLE narrow ({fields})")
    statement.close()
    bad = [(i + 1, name, value) for i, (name, (_, value)) in enumerate(NARROW.items())]
    sink = wr.Jdbc(url, "narrow", deadLetter="narrow_dead")
    write(sink, panes(spark, [(0, "text", "'x'"), *bad, (9, "text", "'x'")]), 0)
    seen = fates(spark, url, "narrow", "narrow_dead")
    assert seen.stored == [0, 9]
    assert sorted(row.refused for row in seen.dead) == sorted(NARROW)


def a_table_is_one_however_it_is_named(
    spark: SparkSession, names: Sequence[tuple[str, str]]
) -> None:
    """Check that a repeated batch is recognized under all names of a table.

    ``names`` contains pairs of address and name.
    """
    rows = panes(spark, [(0, "text", "'x'")])
    first = names[0]
    for at, name in names:
        sink = wr.Jdbc(at, name)
        make(spark, sink, rows.schema)
        write(sink, rows, 0)
        assert fates(spark, first[0], first[1]).stored == [0], (at, name)
