"""SQL functions of the JVM, called over an aggregation that is never executed as such."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from windrow import _conditions
from windrow._specs import _json
from windrow._specs._columns import column, columns_of, functions_of, is_column, is_connect, quoted
from windrow.errors import SpecError, SpecProblem, failure, from_text, problem

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row, SparkSession

Part = Literal["panes", "rejected", "events", "answers", "all", "accepted"]
JoinPart = Literal["rows", "rejected", "all", "accepted"]

_PREFIX = "__windrow_"  # of Windrow's internal columns
_MARK = {"windrow.mark": True}  # a name alone is not enough, because users may choose any name
_UNKNOWN_FUNCTION = "UNRESOLVABLE_TABLE_VALUED_FUNCTION"
_REDACTION = "spark.sql.redaction.string.regex"
_SINKS = r'\{\\"sinks\\":.*'  # the option of ``sinks_table`` in the text of a request
_IN_PIPELINE = "ATTEMPT_ANALYSIS_IN_PIPELINE_QUERY_FUNCTION"


def aggregation(
    df: DataFrame,
    keys: Sequence[str | Column],
    aggregates: Sequence[Column],
    markers: dict[str, str | Column],
) -> DataFrame:
    """Build the aggregation that carries keys, aggregates, and marked expressions to the JVM.

    ``markers`` map names without their prefix ("time", "gap", ...) to expressions of a row.
    """
    functions = functions_of(df)
    marks = [
        functions.first(column(df, marked)).alias(f"{_PREFIX}{name}", metadata=_MARK)
        for name, marked in markers.items()
    ]
    if not aggregates and not marks:  # Spark needs at least one
        marks = [functions.first(functions.lit(1)).alias(f"{_PREFIX}nothing", metadata=_MARK)]
    try:
        with plain_errors():
            return df.groupBy(*(column(df, key) for key in keys)).agg(*aggregates, *marks)
    except SpecError as refused:  # Spark reports only one
        found = problems_of_columns(df, keys, aggregates)
        raise (SpecError.of("the query", found) if found else refused) from None


def problems_of_columns(
    df: DataFrame, keys: Sequence[str | Column], aggregates: Sequence[Column]
) -> list[SpecProblem]:
    """Analyze each aggregate alone and return the problems; keys that are missing are skipped."""
    there = {name.lower() for name in columns_of(df)}
    known = [
        quoted(key) if isinstance(key, str) else key
        for key in keys
        if not isinstance(key, str) or key.lower() in there
    ]
    found: list[SpecProblem] = []
    for one in filter(is_column, aggregates):
        try:
            with plain_errors():
                analyse(df.groupBy(*(column(df, key) for key in known)).agg(one))
        except SpecError as refused:
            found += refused.problems
    return found


def apply(tables: Sequence[DataFrame], fields: _json.Fields, part: Part | JoinPart) -> DataFrame:
    """Replace the tables that describe an operator by the operator.

    The tables are an aggregation and, if there is one, a lookup stream; for a join one table for
    each stream. ``fields`` are those of the spec and of the stream.

    Raises:
        SpecError: The JVM found a problem.

    """
    return _called("_windrow_apply", tables, spec=_json.write({**fields, "output": part}))


def problems(df: DataFrame, fields: _json.Fields) -> list[SpecProblem]:
    """Return all problems that the JVM finds in a spec, in the session of a DataFrame.

    Inside a pipeline the JVM cannot be asked, so the result is empty and the spec is checked later.
    """
    from pyspark.errors import AnalysisException

    try:
        with plain_errors():
            query = f"SELECT * FROM _windrow_check(spec => {text(_json.write(fields))})"  # noqa: S608
            rows = df.sparkSession.sql(query).collect()
    except AnalysisException as refused:
        if refused.getCondition() == _IN_PIPELINE:
            return []
        raise
    return [SpecProblem(code, sentence) for code, sentence in rows]


def explained(query: DataFrame, fields: _json.Fields) -> str:
    """Return a description of a query and its spec by the JVM, one line for each topic."""
    lines = _called("_windrow_explain", [query], spec=_json.write(fields))
    with plain_errors():
        return "\n".join(line for (line,) in lines.collect())


def marked(df: DataFrame, marks: Mapping[str, str | Column]) -> DataFrame:
    """Add expressions of a row as columns that the JVM recognizes by their names.

    Raises:
        SpecError: A column has a reserved name (``NAME_TAKEN``).

    """
    marks_of = [column(df, one).alias(f"{_PREFIX}{name}") for name, one in marks.items()]
    with plain_errors():
        taken = [name for name in columns_of(df) if name.lower().startswith(_PREFIX)]
        if taken:
            found = [problem("NAME_TAKEN.RESERVED", name=n, reserved=_PREFIX) for n in taken]
            raise SpecError.of("the messages", found)
        return df.select("*", *marks_of)


def cogrouped(tables: Sequence[DataFrame], fields: _json.Fields) -> DataFrame:
    """Combine several streams into one, with a struct for each.

    Raises:
        SpecError: The JVM found a problem.

    """
    spec = _json.write({"operator": "cogroup", **fields})
    return _called("_windrow_apply", tables, spec=spec)


def acceleration(query: DataFrame, mode: str) -> list[Row]:
    """Return for each stateful operator of a query whether Windrow runs it.

    Raises:
        SpecError: The mode does not exist.

    """
    with plain_errors():
        return _call("windrow_explain_acceleration", [query], {"output_mode": mode}).collect()


def sinks_table(spark: SparkSession, sinks: str) -> DataFrame:
    """Return a table that carries the sinks of a query to the functions below.

    sinks: as JSON, which may contain passwords. Spark shows the arguments of a function, but not an
    option whose name contains ``secret``.

    Raises:
        SpecError: A text is not valid Unicode (``TEXT_NOT_UNICODE``).

    """
    _bytes(sinks, shown="A setting of a sink")
    if is_connect(spark):
        _redact(spark)
    return spark.read.format("windrow").option("windrow.secret", sinks).load()


def _redact(spark: SparkSession) -> None:
    """Hide sinks in the requests to a server, which Spark shows with all options."""
    pattern = spark.conf.get(_REDACTION, None) or ""
    if _SINKS not in pattern:
        spark.conf.set(_REDACTION, f"{pattern}|{_SINKS}" if pattern else _SINKS)


@dataclass(frozen=True)
class Looked:
    """The result of checking a query before its start.

    has_periods: whether an operator uses processing time. missing: the files and tables that
    ``claim`` will create.
    """

    has_periods: bool
    missing: str


def continues(tables: Sequence[DataFrame], **options: str) -> Looked:
    """Check everything that could make the start of a query fail, without changing anything.

    tables: the output of the query, and its sinks. Conditions that do not prevent a start are
    issued as warnings.

    Raises:
        SpecError: The query cannot start.
        CheckpointError: The checkpoint does not fit the query.

    """
    found, has_periods, missing = _row("_windrow_continues", tables, **options)
    for one in found.splitlines():
        warnings.warn(one, UserWarning, stacklevel=5)
    return Looked(has_periods, missing)


def claim(tables: Sequence[DataFrame], **options: str) -> str:
    """Create the tables and files of a query, and return its id; with ``missing``, remove them."""
    (query,) = _row("_windrow_claim", tables, **options)
    return str(query)


def end(output: DataFrame, checkpoint: str, **options: str) -> tuple[str, bool]:
    """Return the folder whose text ends a query, and whether it has the text (rule R71).

    options: ``signal`` writes the text, unless the run was stopped during a micro-batch.
    """
    folder, is_signaled = _row("_windrow_end", [output], checkpoint=checkpoint, **options)
    return str(folder), bool(is_signaled)


def until(query: DataFrame, folder: str) -> DataFrame:
    """Return the query of a DataFrame that ends with a line of text in a folder, which must exist.

    Raises:
        SpecError: The DataFrame is not a streaming one of Windrow.

    """
    return _called("windrow_until", [query], folder=folder)


def driven(query: DataFrame, folder: str) -> DataFrame:
    """Return the query of a DataFrame whose time is moved by files in a folder, which must exist.

    Raises:
        SpecError: The DataFrame is not a streaming one.

    """
    return _called("_windrow_driven", [query], folder=folder)


def _called(function: str, tables: Sequence[DataFrame], **texts: str) -> DataFrame:
    """Call a table function over DataFrames, and raise problems at once as plain errors."""
    with plain_errors():
        made = _call(function, tables, texts)
        analyse(made)
    return made


def _row(function: str, tables: Sequence[DataFrame], **texts: str) -> Row:
    """Return the only row of a table function."""
    with plain_errors():
        (row,) = _call(function, tables, texts).collect()
    return row


def _call(function: str, tables: Sequence[DataFrame], texts: Mapping[str, str]) -> DataFrame:
    named: dict[str, Any] = {f"windrow_input{i}": table for i, table in enumerate(tables)}
    inputs = [f"TABLE({{{name}}})" for name in named]
    arguments = ", ".join([*inputs, *(f"{name} => {text(value)}" for name, value in texts.items())])
    return tables[0].sparkSession.sql(f"SELECT * FROM {function}({arguments})", **named)  # noqa: S608


def text(value: str) -> str:
    """Return a text as SQL, with any characters and independent of the session's escape rules.

    Named parameters are not passed to Spark if an extension has its own parser (Delta 4).
    """
    return f"CAST(X'{_bytes(value).hex()}' AS STRING)"


#: How constants are written; the first type that fits counts.
_LITERALS: tuple[tuple[type, Callable[[Any], str | None]], ...] = (
    (type(None), lambda _: "NULL"),
    (bool, lambda value: str(value).upper()),
    (str, text),
    (bytes, lambda value: f"X'{value.hex()}'"),
    (datetime, lambda value: f"TIMESTAMP '{value.isoformat(' ')}'"),
    (date, lambda value: f"DATE '{value.isoformat()}'"),
    (int, lambda value: str(int(value))),
    (float, lambda value: f"CAST('{value!r}' AS DOUBLE)"),  # also infinity and NaN
    (Decimal, lambda value: f"{value:f}BD" if value.is_finite() else None),
)


def literal(value: object) -> str | None:
    """Return a constant as SQL, or None for a value without a literal of the same type."""
    plain: Any = value.item() if type(value).__module__ == "numpy" else value  # type: ignore[attr-defined]
    return next((write(plain) for kind, write in _LITERALS if isinstance(plain, kind)), None)


def _bytes(value: str, shown: str = "") -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError:
        found = problem("TEXT_NOT_UNICODE", value=shown or ascii(value))
        raise SpecError.of("a text", [found]) from None


def jar_version(spark: SparkSession) -> str | None:
    """Return the version of the JAR in a session, or None inside a pipeline.

    Raises:
        JarNotFoundError: The session lacks the JAR (``JAR_NOT_LOADED``).

    """
    from pyspark.errors import AnalysisException

    try:
        with plain_errors():
            # Ask first, because Spark logs a failed call with its Java stack trace.
            if spark.sql("SHOW USER FUNCTIONS LIKE 'windrow_version'").isEmpty():
                raise failure("JAR_NOT_LOADED.SESSION")
            return str(spark.sql("SELECT version FROM windrow_version()").collect()[0][0])
    except AnalysisException as refused:
        if refused.getCondition() == _IN_PIPELINE:
            return None
        raise


@contextmanager
def plain_errors() -> Iterator[None]:
    """Convert a JVM error about a mistake of the user into a plain error."""
    from pyspark.errors import AnalysisException, IllegalArgumentException

    try:
        with unlogged():
            yield
    except IllegalArgumentException as refused:
        text = str(refused).split("\n\nJVM stacktrace:")[0].strip()
        ours = None if refused.getCondition() else from_text(text)
        if ours is None:
            raise
        raise ours from None
    except AnalysisException as refused:
        if refused.getCondition() == _IN_PIPELINE:
            raise
        if refused.getCondition() in _conditions.catalogue():
            ours = from_text(str(refused).split("\n\nJVM stacktrace:")[0].strip())
            if ours is not None:
                raise ours from None
        if refused.getCondition() == _UNKNOWN_FUNCTION and "windrow_" in str(refused):
            raise failure("JAR_NOT_LOADED.SESSION") from None
        raise _refused(str(refused)) from None


_TELLING: ContextVar[bool] = ContextVar("telling", default=False)


@contextmanager
def unlogged() -> Iterator[None]:
    """Prevent PySpark from writing errors with Java stack traces to stderr."""
    _quiet()
    token = _TELLING.set(True)
    try:
        yield
    finally:
        _TELLING.reset(token)


@cache
def _quiet() -> None:
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).addFilter(lambda _: not _TELLING.get())


def _refused(text: str) -> SpecError:
    """Return Spark's message without the plan, which differs from the user's query."""
    reason = text.split(";\n", maxsplit=1)[0].split("\n\nJVM stacktrace:", maxsplit=1)[0].strip()
    return SpecError.of("the query", [problem("QUERY_REFUSED", why=reason)])


def analyse(df: DataFrame) -> None:
    """Make a Connect server analyze now, so that errors are raised where the mistake is."""
    from pyspark.errors import AnalysisException

    try:
        df.schema  # noqa: B018  asking for it is the point
    except AnalysisException as refused:
        if refused.getCondition() != _IN_PIPELINE:
            raise
