"""Compares the arguments of Python and the tables of the pages with ``tests/specs.json``."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import Any

import windrow as wr
from page_parts import cells
from windrow._specs._duration import UNSTATED
from windrow._specs._retention import NOT_STATED
from windrow.operators._spec import _USUAL
from windrow.triggers import EACH_BATCH, firings

Spec = Mapping[str, Any]

#: The word in the annotation of an argument of each type.
_ANNOTATIONS = {
    "boolean": "bool",
    "duration": "Duration",
    "integer": "int",
    "number": "float",
    "trigger": "(?:Firing|PaneTrigger)",
}
#: The triggers that None stands for.
_TRIGGERS = {
    "Windowed.trigger.early": _USUAL["query"][0],
    "Windowed.trigger.late": _USUAL["query"][1],
    "WindowOperatorSpec.early": _USUAL["query"][0],
    "WindowOperatorSpec.late": _USUAL["query"][1],
    "asofJoin.early": EACH_BATCH,
    "join.early": inspect.signature(wr.JoinSpec).parameters["early"].default,
}
#: Defaults that stand for a setting that is not set.
_UNSET = (None, UNSTATED, NOT_STATED)
_TABLE = re.compile(r"^\| argument \|[^\n]*\n(?:\|[^\n]*\n)+", re.MULTILINE)


def described(spec: Spec, language: str) -> dict[str, Spec]:
    """Return the fields of a spec that a language has."""
    return {n: f for n, f in spec["fields"].items() if language in f.get("only", [language])}


def sql_names(name: str, field: Spec) -> list[str]:
    """Return the arguments of SQL for a field."""
    stated = field.get("sql", re.sub(r"(?=[A-Z])", "_", name).lower())
    return [] if stated is None else [stated] if isinstance(stated, str) else list(stated)


def of_python(path: str, spec: Spec) -> Iterator[str]:
    """Yield the differences between the arguments of a function or class and its description."""
    made: Any = reduce(getattr, path.split("."), wr)
    found = _parameters(made)
    for given in spec.get("given", []):
        found.pop(given, None)
    fields = described(spec, "python")
    if found.keys() != fields.keys():
        yield f"{path} has {', '.join(found)}, not {', '.join(fields)}"
        return
    for name, field in fields.items():
        kind = field["type"].partition(",")[0].split(" or ")
        wanted = {_ANNOTATIONS[one] for one in kind if one in _ANNOTATIONS}
        annotation = str(found[name].annotation)
        if not all(re.search(rf"\b{one}\b", annotation) for one in wanted):
            yield f"{path}: {name} is a {annotation}, not a {field['type']}"
        default = found[name].default
        is_required = default is inspect.Parameter.empty
        if is_required != ("default" not in field):
            yield f"{path}: {name} is {'' if is_required else 'not '}required"
            return
        elif not is_required and not _is(default, f"{path}.{name}", field):
            yield f"{path}: {name} is {default!r} by default, not {field['default']!r}"
    if inspect.isclass(made) and issubclass(made, wr.WindowKind):
        yield from _of_kind(made, path, fields)


def _parameters(made: Callable[..., object]) -> dict[str, inspect.Parameter]:
    if dataclasses.is_dataclass(made) and isinstance(made, type):
        found = dict(inspect.signature(made.__init__).parameters)
    else:
        found = dict(inspect.signature(made).parameters)
    found.pop("self", None)
    return found


def _is(default: object, path: str, field: Spec) -> bool:
    """Return whether the default of Python is the described one."""
    wanted = field["default"]
    if field["type"] == "trigger":
        (trigger,) = firings("trigger", given=wanted)
        return bool(trigger == _TRIGGERS.get(path, default))
    if isinstance(wanted, str) and wanted.startswith("= "):
        return default is None
    if wanted is None:
        return default in _UNSET
    return bool((list(default) if isinstance(default, tuple) else default) == wanted)


def _of_kind(kind: type, path: str, fields: Mapping[str, Spec]) -> Iterator[str]:
    """Yield a difference if leaving a default out is not the same as passing it."""
    samples = {"duration": "7 minutes", "integer": 7, "column": "c"}
    required = {
        name: samples[re.split(r",| or ", field["type"])[0]]
        for name, field in fields.items()
        if "default" not in field
    }
    stated = {n: f["default"] for n, f in fields.items() if f.get("default") is not None}
    values = {
        n: required[d.removeprefix("= ")] if str(d).startswith("= ") else d
        for n, d in stated.items()
    }
    if kind(**required) != kind(**required, **values):
        yield f"{path}: {stated} are not the defaults"


def tables(page: str) -> dict[str, list[dict[str, str]]]:
    """Return the rows of the tables of arguments by the heading of their section."""
    found = {}
    for section in page.split("\n## ")[1:]:
        heading = section.partition("\n")[0]
        rows = [
            dict(zip(head, row, strict=True))
            for table in _TABLE.findall(section)
            for head, lines in [cells(table)]
            for row in lines
        ]
        found[heading] = rows
    return found


def of_page(specs: Mapping[str, Spec], also: Mapping[str, list[str]], page: str) -> Iterator[str]:
    """Yield the differences between the tables of a page and the description."""
    found = tables(page)
    functions = {spec["sql"] for spec in specs.values() if "sql" in spec}
    for function in sorted(functions):
        rows = {
            re.sub("`", "", row["argument"]): row
            for row in found["Common arguments" if function == "windows" else function]
        }
        own = {
            argument: (spec, field)
            for spec in specs.values()
            if spec.get("sql") == function
            for name, field in described(spec, "sql").items()
            for argument in sql_names(name, field)
        }
        if rows.keys() - set(also.get(function, [])) != own.keys():
            yield f"{function} has {sorted(rows)} on the page, not {sorted(own)}"
        for argument, (_, field) in own.items():
            if argument in rows:
                yield from _of_row(f"{function}: {argument}", rows[argument], field)


def _of_row(what: str, row: Mapping[str, str], field: Spec) -> Iterator[str]:
    if not row["type"].startswith(field["type"]):
        yield f"{what} is a {row['type']} on the page, not a {field['type']}"
    wanted = field.get("default")
    if wanted is None or wanted == []:
        # An argument without a default may be required only in some queries.
        if row["default"].startswith("`") and "default" in field:
            yield f"{what} is {row['default']} by default on the page, not unset"
        return
    text = str(wanted).lower() if isinstance(wanted, bool) else f"'{wanted}'"
    text = wanted.removeprefix("= ") if str(wanted).startswith("= ") else text
    if f"`{text}`" not in row["default"]:
        yield f"{what} is {row['default']} by default on the page, not {text}"
