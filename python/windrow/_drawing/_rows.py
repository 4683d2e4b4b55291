"""Convert rows of any kind to dicts, and read panes and rejected rows from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Any

from windrow._drawing._axis import micros
from windrow._drawing._panes import Pane, Rejected

_OWN = {"window", "pane", "batch"}
_LONG = 60


def dicts(rows: Any, most: int) -> list[Mapping[str, Any]]:  # noqa: ANN401  rows are of any sort
    """Read at most a number of rows from rows, dicts, a pandas DataFrame, or an Arrow table."""
    if hasattr(rows, "to_pylist"):
        rows = rows.slice(0, most).to_pylist()
    elif hasattr(rows, "to_dict") and hasattr(rows, "columns"):
        rows = rows.head(most).to_dict("records")
    return [fields(row) for row in islice(iter(rows), most)]


def fields(value: Any) -> Mapping[str, Any]:  # noqa: ANN401  a row or a struct of any sort
    """Return the fields of a row or a struct; empty for another value."""
    if isinstance(value, Mapping):
        return value
    found: Mapping[str, Any] = value.asDict() if hasattr(value, "asDict") else {}
    return found


def pane(row: Mapping[str, Any]) -> Pane | None:
    """Read a row as a pane; return None if it is not one."""
    window, of = fields(row.get("window")), fields(row.get("pane"))
    if not window or "timing" not in of:
        return None
    names = list(row)
    keys = names[: names.index("window")]
    values = [(n, row[n]) for n in names[len(keys) :] if n not in _OWN]
    start, end = _bounds(window)
    partition = [window[name] for name in ("source", "partition") if name in window]
    return Pane(
        ", ".join(_short(one) for one in [*(row[name] for name in keys), *partition]),
        start,
        end,
        str(of["timing"]),
        int(of.get("index", 0)),
        bool(of.get("is_retraction", False)),
        _value(values),
        [(name, _short(value)) for name, value in values],
        None if row.get("batch") is None else int(row["batch"]),
    )


def rejected(row: Mapping[str, Any], time: str | None) -> Rejected | None:
    """Read a row as a rejected row; return None if it is not one.

    time: the field of its message that is the event time.
    """
    if "reason" not in row or "message" not in row:
        return None
    message = fields(row["message"])
    times = [message.get(time)] if time else list(message.values())
    found = [at for at in map(_at, times) if at is not None]
    shown = ", ".join(f"{name} {_short(value)}" for name, value in message.items())
    return Rejected(str(row["reason"]), found[0] if len(found) == 1 else None, shown)


def on_positions(rows: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether the windows are on positions instead of time."""
    return any({"first", "number"} & fields(row.get("window")).keys() for row in rows)


def _bounds(window: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return start and end as numbers; the end of positions is one after the last."""
    if "number" in window:
        return window["number"], window["number"] + 1
    if "first" in window:
        return window["first"], window["last"] + 1
    return _at(window.get("start")), _at(window.get("end", window.get("last")))


def _at(value: object) -> int | None:
    if isinstance(value, datetime) and value == value:  # noqa: PLR0124  pandas' NaT is not itself
        return micros(value)
    return None


def _value(values: Sequence[tuple[str, Any]]) -> str:
    plain = [(name, value) for name, value in values if not fields(value)]
    if len(plain) == 1:
        return _short(plain[0][1])
    return ", ".join(f"{name} {_short(value)}" for name, value in plain)


def _short(value: object) -> str:
    """Return a value as short text."""
    if isinstance(value, float):
        return f"{value:.7g}"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if value is None:
        return "null"
    if isinstance(value, list | tuple) and not hasattr(value, "asDict"):
        return f"{len(value)} {'entry' if len(value) == 1 else 'entries'}"
    text = str(value)
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"
