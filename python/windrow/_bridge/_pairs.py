"""Further conditions on the rows of a pair, which Spark resolves over all streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from windrow._bridge import _sql
from windrow._specs._columns import functions_of
from windrow.errors import SpecProblem, problem

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from windrow.operators import JoinSpec

    #: A condition, or the condition of each stream that is joined.
    Condition = str | Column | Mapping[str, str | Column]


def read(
    condition: Condition | None, spec: JoinSpec
) -> tuple[Mapping[str, str | Column], list[SpecProblem]]:
    """Return the condition of each stream, and the problems of their names."""
    names = spec.inputStreams
    if condition is None or not names:
        return {}, []
    first, last = names[0], names[-1]
    if not isinstance(condition, Mapping):
        if is_chain(spec):
            how, count = spec.how, len(names)
            return {}, [problem("CONDITION_OF_STREAM.MANY", how=how, count=count, name=last)]
        return {last: condition}, []
    found = [
        problem("STREAM_UNKNOWN.JOIN", name=name, names=", ".join(names))
        for name in condition
        if name not in names
    ]
    if first in condition:
        found.append(problem("CONDITION_OF_STREAM.FIRST", name=first))
    return condition, found


def is_chain(spec: JoinSpec) -> bool:
    """Return whether the join is a chain of joins: an outer join of more than two streams."""
    return spec.how != "inner" and len(spec.inputStreams) > 2  # noqa: PLR2004


def shown(conditions: Mapping[str, str | Column]) -> tuple[str, ...]:
    """Return the conditions as text."""
    return tuple(
        one if isinstance(one, str) else str(one).removeprefix("Column<'").removesuffix("'>")
        for one in conditions.values()
    )


def joined(
    tables: Sequence[DataFrame], spec: JoinSpec, conditions: Mapping[str, str | Column]
) -> tuple[DataFrame, ...]:
    """Return the tables of a join, or Spark's join of them with the conditions, which never runs.

    Raises:
        SpecError: Spark cannot resolve a condition.

    """
    if not conditions and not is_chain(spec):
        return tuple(tables)
    functions = functions_of(tables[0])
    with _sql.plain_errors():
        first, *others = (
            table.alias(name) for name, table in zip(spec.inputStreams, tables, strict=True)
        )
        for name, table in zip(spec.inputStreams[1:], others, strict=True):
            condition = conditions.get(name)
            if condition is None:
                condition = functions.lit(True)
            elif isinstance(condition, str):
                condition = functions.expr(condition)
            first = first.join(table, condition, "full")
        _sql.analyse(first)
    return (first,)
