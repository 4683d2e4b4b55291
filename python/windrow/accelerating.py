"""Explain which operators of an unchanged query of Spark's Windrow runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windrow._bridge import _jar, _sql
from windrow.errors import SpecError, problem
from windrow.stores import _session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["Acceleration", "OperatorAcceleration", "explainAcceleration"]

_MODES = {"append", "update", "complete"}


@dataclass(frozen=True)
class OperatorAcceleration:
    """The decision about a stateful operator of a query.

    Attributes:
        name: The name under which an accelerated operator counts its rows and stores its state.
        operator: A description of the operator, for example ``aggregate by window, product``.
        code: The code of the reason why Spark runs the operator; None if Windrow runs it.
        why: The reason, with its remedy; None if Windrow runs the operator.

    Example:
        >>> print(wr.OperatorAcceleration("accelerated_0", "aggregate by window"))
        accelerated  aggregate by window, as 'accelerated_0'

    """

    name: str
    operator: str
    code: str | None = None
    why: str | None = None

    def __str__(self) -> str:
        """Return the decision as a line."""
        if self.code is None:
            return f"accelerated  {self.operator}, as '{self.name}'"
        return f"kept         {self.operator}: [{self.code}] {self.why}"


@dataclass(frozen=True)
class Acceleration:
    """The decisions about all stateful operators of a query. ``print`` shows them as a list.

    Attributes:
        operators: The decisions, the one nearest to the sink first.

    Example:
        >>> print(wr.Acceleration((wr.OperatorAcceleration("accelerated_0", "aggregate by k"),)))
        accelerated  aggregate by k, as 'accelerated_0'

    """

    operators: tuple[OperatorAcceleration, ...]

    def __str__(self) -> str:
        """Return a line for each operator."""
        if not self.operators:
            return "The query does not have a stateful operator."
        return "\n".join(map(str, self.operators))


def explainAcceleration(
    query: StreamingQuery | DataFrame, outputMode: str = "append"
) -> Acceleration:
    """Explain for each stateful operator of a query whether Windrow runs it.

    A DataFrame is explained as if it started with a new checkpoint and
    ``spark.windrow.accelerate``. Nothing is started. docs/guides/accelerate.md lists the operators
    that Windrow replaces.

    Args:
        query: A running query, or the streaming DataFrame of a query that you have not started.
        outputMode: The output mode in which a DataFrame will be written: ``"append"`` (the
            default), ``"update"``, or ``"complete"``. It has no effect on a running query, which
            has its own.

    Returns:
        The decisions. Each operator that Spark keeps has the code of the reason, and its remedy.

    Raises:
        SpecError: The output mode does not exist, or ``query`` is neither a DataFrame nor a query
            (``ARGUMENT_NOT_UNDERSTOOD``).
        CheckpointError: The query has ended (``QUERY_NOT_RUNNING``). Pass its DataFrame instead.
        JarNotFoundError: The session does not have Windrow's JAR (``JAR_NOT_LOADED``).

    Example:
        ``print(wr.explainAcceleration(query))`` shows::

            accelerated  aggregate by window, product, as 'accelerated_0'

    """
    if str(outputMode).lower() not in _MODES:
        modes = "'append', 'update', or 'complete'"
        found = problem(
            "ARGUMENT_NOT_UNDERSTOOD", name="outputMode", value=repr(outputMode), expected=modes
        )
        raise SpecError.of("explainAcceleration", [found])
    writable: Any = query
    if hasattr(query, "writeStream"):
        return _of(_sql.acceleration(writable, outputMode))
    if not hasattr(query, "id"):
        wanted = "a streaming DataFrame or a running query"
        found = problem("ARGUMENT_NOT_UNDERSTOOD", name="query", value=repr(query), expected=wanted)
        raise SpecError.of("explainAcceleration", [found])
    spark = _session()
    _jar.check(spark)
    call = f"windrow_explain_acceleration(query => {_sql.text(str(writable.id))})"
    with _sql.plain_errors():
        return _of(spark.sql(f"SELECT * FROM {call}").collect())  # noqa: S608


def _of(rows: Iterable[Any]) -> Acceleration:
    """Read the rows of the JVM."""
    return Acceleration(
        tuple(OperatorAcceleration(row.name, row.operator, row.code, row.why) for row in rows)
    )
