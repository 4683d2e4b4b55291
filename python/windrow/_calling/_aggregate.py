"""The decorator that turns a function into an aggregate, and its checks before the start."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from inspect import isroutine, signature
from typing import TYPE_CHECKING, Any, get_type_hints

from windrow._calling import _worker
from windrow._specs._columns import called, functions_for, is_column
from windrow.errors import SpecError, SpecProblem, failure, problem
from windrow.operators import _fitting, _tables

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column
    from pyspark.sql.types import DataType

#: The module of the arguments for each value of ``over``.
_MODULES = {"arrow": "pyarrow", "pandas": "pandas", "polars": "polars"}
#: The usual names of the modules in annotations that cannot be evaluated.
_SHORT = {"pa": "pyarrow", "pd": "pandas", "pl": "polars"}

Function = Callable[..., Any]


def decorator(
    returns: str | DataType, over: str | None
) -> Callable[[Function], Callable[..., Column]]:
    """Return the decorator; problems of the function are raised when it is decorated."""

    def decorate(function: Function) -> Callable[..., Column]:
        name = getattr(function, "__name__", repr(function))
        found, reads = _checked(function, name, over)
        if found:
            raise SpecError.of("wr.aggregate", found)

        @wraps(function)
        def made(*columns: str | Column) -> Column:
            return _column(function, name, reads, returns, columns)

        return made

    return decorate


def _checked(function: object, name: str, over: str | None) -> tuple[list[SpecProblem], str]:
    """Return the problems of a function, and the library of its arguments."""
    if not isroutine(function):
        return [problem("AGGREGATE_FUNCTION.NOT_A_FUNCTION", value=repr(function))], ""
    if over is None:
        named = _annotated(function)
        if not named:
            return [problem("AGGREGATE_FUNCTION.OVER", function=name)], ""
        if len(named) > 1:
            shown = ", ".join(sorted(named))
            return [problem("AGGREGATE_FUNCTION.OVER_DIFFERS", function=name, found=shown)], ""
        (over,) = named
    elif over not in _MODULES:
        allowed = ", ".join(_MODULES)
        return [problem("VALUE_UNKNOWN", name="over", value=over, allowed=allowed)], ""
    module = _MODULES[over]
    if over != "arrow" and find_spec(module) is None:
        return [problem("AGGREGATE_FUNCTION.MODULE", function=name, over=over, module=module)], ""
    return [], over


def _annotated(function: Function) -> set[str]:
    """Return the values of ``over`` that the annotations of the parameters name."""
    try:
        hints = get_type_hints(function)
    except (NameError, TypeError):  # a type that is imported only for type checkers
        hints = getattr(function, "__annotations__", {})
    found = set()
    for parameter, hint in hints.items():
        text = hint if isinstance(hint, str) else getattr(hint, "__module__", "")
        root = text.partition(".")[0]
        module = _SHORT.get(root, root)
        if parameter != "return":
            found |= {over for over, named in _MODULES.items() if named == module}
    return found


def _column(
    function: Function,
    name: str,
    over: str,
    returns: str | DataType,
    columns: tuple[str | Column, ...],
) -> Column:
    """Return the aggregate, or raise all problems of the call in one error."""
    import pyspark

    found = [
        problem("AGGREGATE_FUNCTION.COLUMN", function=name, value=repr(value))
        for value in columns
        if not (isinstance(value, str) or is_column(value))
    ]
    parameters = signature(function)
    try:
        parameters.bind(*columns)
        fits = bool(columns)
    except TypeError:
        fits = False
    if not fits:
        shown = ", ".join(parameters.parameters)
        found.append(
            problem(
                "AGGREGATE_FUNCTION.COLUMNS", function=name, parameters=shown, found=len(columns)
            )
        )
    F = functions_for(*columns)  # noqa: N806
    if not hasattr(F, "arrow_udf"):
        found.append(
            problem("AGGREGATE_FUNCTION.SPARK", function=name, version=pyspark.__version__)
        )
        raise SpecError.of(f"{name}(...)", found)
    types = _types(returns)
    if types is None:
        found.append(problem("AGGREGATE_FUNCTION.RETURNS", function=name, value=repr(returns)))
    if found or types is None:
        raise SpecError.of(f"{name}(...)", found)
    values = [F.col(one) if isinstance(one, str) else one for one in columns]
    named = [part for at, one in enumerate(values) for part in (F.lit(f"column{at}"), one)]
    call = _pickled(_worker.calling(function, over, types[1]), name)
    udf = F.arrow_udf(call, types[0])
    return called(
        F, "_windrow_python_value", F.lit(name), udf(F.collect_list(F.named_struct(*named)))
    )


def _types(returns: str | DataType) -> tuple[DataType, pa.DataType] | None:
    """Return the type of Spark for a result with its error, and the type of Arrow for a result."""
    from pyspark.errors import PySparkException
    from pyspark.sql.types import DataType, StringType, StructField, StructType

    try:
        import pyarrow as pa  # noqa: F401
        from pyspark.sql.pandas.types import to_arrow_type
    except ImportError:
        raise failure("PYARROW_MISSING") from None
    try:
        value: object = DataType.fromDDL(returns) if isinstance(returns, str) else returns
        if not isinstance(value, DataType):
            return None
        arrow = to_arrow_type(value, **_tables.in_utc(to_arrow_type))
    except (PySparkException, ValueError):
        return None
    texts = [StructField(name, StringType()) for name in ("error", "traceback")]
    return StructType([StructField("value", value), *texts]), arrow


def _pickled(call: Function, name: str) -> Function:
    """Make Spark pickle the code of the worker, so that workers do not need this package."""
    cloudpickle: Any = import_module("pyspark.cloudpickle")
    for module in (_worker, _fitting):
        cloudpickle.register_pickle_by_value(module)
    call.__name__ = name
    call.__annotations__.clear()  # Spark would read the kind of the function from them
    return call
