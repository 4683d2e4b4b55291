"""Check a query before it starts, without changing anything."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from windrow._bridge import _sql
from windrow._running._jdbc import Jdbc
from windrow._running._kafka import KafkaTable
from windrow._running._sinks import Files, Sink
from windrow._running._upsert import Upsert
from windrow.errors import SpecError, SpecProblem, WindrowError, problem, problems_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def look(
    output: DataFrame,
    stated: Mapping[str, Sink],
    checkpoint: str,
    found: Sequence[SpecProblem],
    *,
    drain: bool,
    name: str | None,
) -> _sql.Looked:
    """Check the query, its checkpoint, and its sinks.

    found: the problems that are known already.

    Raises:
        SpecError: With every problem.
        WindrowError: The only problem, if it is of another class.

    """
    looked = _sql.Looked(has_periods=False, missing="")
    refused: list[WindrowError] = []
    if output.isStreaming:
        files, tables = files_of(stated), {k: s for k, s in stated.items() if isinstance(s, str)}
        with _noting(refused):
            looked = _sql.continues(output, checkpoint, files, tables, drain=drain, name=name)
        is_unclear = any(one.code.startswith("UPSERT_") for one in found)
        for sink, rows in _with_tables(output, stated):
            if isinstance(sink, Jdbc) or not (is_unclear or sink._problems(rows)):
                with _noting(refused):
                    sink._verify(output.sparkSession, rows)
    if not found and len(refused) == 1:
        raise refused[0]
    every = [*found, *(one for wrong in refused for one in problems_of(wrong))]
    if every:
        raise SpecError.of("start(...)", list(dict.fromkeys(every)))
    return looked


@contextmanager
def _noting(refused: list[WindrowError]) -> Iterator[None]:
    try:
        yield
    except WindrowError as wrong:
        refused.append(wrong)


def make(output: DataFrame, stated: Mapping[str, Sink], missing: list[str]) -> None:
    """Create the resources that sinks need; new tables are added to ``missing``."""
    spark = output.sparkSession
    for sink, rows in _with_tables(output, stated):
        if isinstance(sink, Upsert) and not sink._exists(spark):
            missing.append(sink.table)
        sink._check(spark, rows)


def files_of(stated: Mapping[str, object]) -> dict[str, dict[str, str]]:
    """Return the folders by the kind of their rows."""
    return {
        kind: {"path": sink.path, "format": sink.format}
        for kind, sink in stated.items()
        if isinstance(sink, Files)
    }


def of_columns(output: DataFrame, stated: Mapping[str, object]) -> Iterator[SpecProblem]:
    """Yield a problem for each column that a database would have twice."""
    for kind, sink in stated.items():
        if isinstance(sink, Jdbc):
            rows: Any = output.schema[kind].dataType
            yield from sink._clashes(kind, rows)


def of_sinks(stated: Mapping[str, object]) -> Iterator[SpecProblem]:
    """Yield the problems of each sink alone."""
    databases: dict[tuple[str, str], list[str]] = defaultdict(list)
    for kind, sink in stated.items():
        if isinstance(sink, Jdbc):
            databases[sink.url, sink.table].append(kind)
        if isinstance(sink, Upsert | Jdbc | KafkaTable) and sink._as_upsert and kind != "panes":
            yield problem("UPSERT_NOT_OF_PANES", kind=kind, sink=repr(sink))
        elif isinstance(sink, str) and sink.startswith("jdbc:"):
            yield problem("SINK_NOT_UNDERSTOOD", kind=kind, sink="the address of a database")
        elif not isinstance(sink, (str, Files, Upsert, Jdbc, KafkaTable)) and not callable(sink):
            # Show the type only, because the value may contain a password.
            yield problem("SINK_NOT_UNDERSTOOD", kind=kind, sink=f"a {type(sink).__name__}")
    for (_, table), kinds in databases.items():
        if len(kinds) > 1:
            yield problem("SINK_SHARED", kinds=" and ".join(sorted(kinds)), place=table)


def _with_tables(
    output: DataFrame, stated: Mapping[str, Sink]
) -> Iterator[tuple[Jdbc | Upsert, Any]]:
    for kind, sink in stated.items():
        if isinstance(sink, Jdbc | Upsert) and (kind == "panes" or not sink._as_upsert):
            yield sink, output.schema[kind].dataType
