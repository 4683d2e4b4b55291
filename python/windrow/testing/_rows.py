"""Rows of tests as Arrow tables with the columns of a stream, and the rows of the output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from typing import TYPE_CHECKING, Any

from windrow._specs import _instants, _zones
from windrow.errors import problem
from windrow.operators import _tables, _values

if TYPE_CHECKING:
    import pyarrow as pa

    from windrow._specs import _json

Row = Mapping[str, Any]
#: One or more rows; the values of a tuple are in the order of the columns.
Rows = Any


def table(rows: Rows, schema: pa.Schema, what: str, zone: str) -> pa.Table:
    """Return rows as a table; missing values of a mapping are null, naive times are in ``zone``.

    Raises:
        MessageError: A column does not fit. The error lists every problem.
        TypeError: The value does not contain rows.

    """
    found = _arrow_table(rows)
    if found is not None:
        return _tables.conformed(found, schema, what, zone)
    return _of_values(list(_mappings(rows, schema, what)), schema, what, zone)


def _arrow_table(rows: Rows) -> pa.Table | None:
    """Return a value that is a table already, of Arrow, pandas, or Spark; else None."""
    pa = _tables.arrow()
    if isinstance(rows, pa.Table | pa.RecordBatch):
        return rows
    if hasattr(rows, "toArrow"):
        return rows.toArrow()
    if type(rows).__module__.partition(".")[0] == "pandas":
        return pa.Table.from_pandas(rows, preserve_index=False)
    return None


def _mappings(rows: Rows, schema: pa.Schema, what: str) -> Iterator[Row]:
    if isinstance(rows, Mapping | tuple):
        rows = [rows]
    if isinstance(rows, str) or not isinstance(rows, Sequence):
        text = (
            f"{what} have the type {type(rows).__name__}. Pass a row (a dict or a tuple), a list "
        )
        raise TypeError(text + "of rows, or a table of Arrow, pandas, or Spark.")
    for row in rows:
        if hasattr(row, "asDict"):  # a Spark Row
            yield row.asDict(recursive=True)
        elif isinstance(row, Mapping):
            yield row
        elif isinstance(row, tuple) and len(row) == len(schema.names):
            yield dict(zip(schema.names, row, strict=True))
        elif isinstance(row, tuple):
            columns = ", ".join(schema.names)
            _tables.raise_if(what, [problem("ROW_LENGTH", count=len(row), columns=columns)])
        else:
            text = f"A row of {what} has the type {type(row).__name__}. Pass a dict or a tuple."
            raise TypeError(text)


def _of_values(rows: Sequence[Row], schema: pa.Schema, what: str, zone: str) -> pa.Table:
    known = set(schema.names)
    unknown = {name: None for row in rows for name in row if name not in known}
    allowed = ", ".join(f"{field.name} {_tables.shown(field.type)}" for field in schema)
    found = [problem("COLUMN_UNKNOWN", name=name, allowed=allowed) for name in unknown]
    columns = []
    for field in schema:
        read = _reader(field.type)
        made, wrong = _values.column([read(row.get(field.name)) for row in rows], field, zone)
        columns.append(made)
        found += wrong
    _tables.raise_if(what, found)
    return _tables.arrow().table(columns, schema=_tables.nullable(schema))


def _reader(kind: pa.DataType) -> Callable[[Any], Any]:
    """Return the function that reads strings as times and dates, at any depth."""
    types = _tables.arrow().types
    if types.is_timestamp(kind) or types.is_date(kind):
        return _parser(datetime if types.is_timestamp(kind) else date)
    if types.is_struct(kind):
        fields = {field.name: _reader(field.type) for field in kind}
        return _of_mapping(lambda name, one: (name, fields.get(name, _unchanged)(one)))
    if types.is_map(kind):
        key, item = _reader(kind.key_type), _reader(kind.item_type)
        return _of_mapping(lambda name, one: (key(name), item(one)))
    if types.is_list(kind):
        of = _reader(kind.value_type)
        return lambda value: [*map(of, value)] if isinstance(value, list | tuple) else value
    return _unchanged


def _unchanged(value: Any) -> Any:  # noqa: ANN401
    return value


def _of_mapping(read: Callable[[Any, Any], tuple[Any, Any]]) -> Callable[[Any], Any]:
    """Return the function that reads the entries of a mapping."""
    return lambda value: (
        dict(read(*one) for one in value.items()) if isinstance(value, Mapping) else value
    )


def _parser(of: type[date]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:  # noqa: ANN401
        try:
            return of.fromisoformat(value) if isinstance(value, str) else value
        except ValueError:
            return value  # not a time, which Arrow reports

    return read


class EmittedRow(dict[str, Any]):
    """An emitted row, which knows the time zone of its harness."""

    def __init__(self, values: Row, zone: tzinfo) -> None:
        """Copy the values."""
        super().__init__(values)
        self.zone = zone


class Table(list[dict[str, Any]]):
    """Emitted rows: a list of dicts, which prints as a table."""

    @staticmethod
    def of(rows: Iterable[Row], zone: str) -> Table:
        """Return rows whose times are shown and compared in a zone."""
        found = _zones.tzinfo_of(zone)
        return Table(EmittedRow(row, found) for row in rows)

    def __str__(self) -> str:
        """Show a line for each row."""
        return "\n".join(line(row, zone_of(self)) for row in self) or "no rows"


def zone_of(rows: Iterable[Row]) -> tzinfo:
    """Return the time zone of the harness that emitted rows; UTC for other rows."""
    return next((row.zone for row in rows if isinstance(row, EmittedRow)), UTC)


def line(row: _json.Fields, zone: tzinfo) -> str:
    """Return a row in one line, with times in a zone; the fields of a pane are last."""
    plain = {name: value for name, value in row.items() if name != "pane"}
    cells = [f"{name}={text(value, zone)}" for name, value in plain.items()]
    pane = row.get("pane")
    if isinstance(pane, Mapping):
        cells += [str(pane["timing"])] if "timing" in pane else []
        cells += [f"index={pane['index']}"] if "index" in pane else []
        cells += [name for name in ("is_last", "is_retraction") if pane.get(name)]
    return "  ".join(cells)


def text(value: object, zone: tzinfo) -> str:
    """Return a short and unambiguous text of a value, with times in a zone."""
    if isinstance(value, datetime):
        return _instants.shown(value, zone)
    if isinstance(value, Mapping):
        if value.keys() == {"start", "end"}:
            return f"[{text(value['start'], zone)}, {text(value['end'], zone)})"
        return "{" + ", ".join(f"{name}: {text(one, zone)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(text(one, zone) for one in value) + "]"
    return str(value) if not isinstance(value, str) else repr(value)
