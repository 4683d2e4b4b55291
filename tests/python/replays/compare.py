"""The differences between the expected and the actual output of a case."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from replays.case import Case, Json, shown

Row = dict[str, Any]

_EXACT = 1e-9


def emission(case: Case, expected: Json | None, came: dict[str, list[Row]]) -> list[str]:
    """Compare panes in order within key and window, events within a key, others as multisets."""
    found: list[str] = []
    for kind, rows in (expected or {}).items():
        wanted = [_plain(case, kind, row) for row in rows]
        if kind in ("panes", "events"):
            found += _in_order(kind, wanted, came[kind])
        else:
            found += _as_multiset(kind, wanted, came[kind])
    return found


#: Classes of rows (SEMANTICS R5), which a Python operator does not report.
_CLASSES = {"in_time", "past", "future"}


def answer(case: Case, expected: Json | None, came: Row) -> list[str]:
    """Compare rows and windows in order, and only those counters that are named."""
    if expected is None:
        return []
    ((kind, wanted),) = expected.items()
    if kind == "counters":
        counted = came.get("counters", {})
        return [
            f"counter {name}: expected {count}, came {counted.get(name)}"
            for name, count in wanted.items()
            if counted.get(name) != count and not (name in _CLASSES and name not in counted)
        ]
    if kind in ("messages", "windows"):
        wanted = [_plain(case, kind, row) for row in wanted]
    if came.get(kind) == wanted:
        return []
    return [f"answer: expected {shown({kind: wanted})}, came {shown(came)}"]


def _plain(case: Case, kind: str, row: Row) -> Row:
    """Return a row of a file with times in microseconds."""
    if kind == "rows":
        return {name: one and _timed(case, one) for name, one in row.items()}
    plain = _timed(case, row)
    if plain.get("window") is not None:
        plain["window"] = [case.bound(bound) for bound in plain["window"]]
    if kind == "panes" and "messages" in plain:
        plain["messages"] = _all_timed(case, plain["messages"])
    if "message" in plain:
        plain["message"] = _timed(case, plain["message"])
    return plain


def _all_timed(case: Case, messages: Any) -> Any:
    if isinstance(messages, dict):
        return {name: _all_timed(case, some) for name, some in messages.items()}
    return [_timed(case, one) for one in messages]


def _timed(case: Case, row: Json) -> Row:
    return {**row, "time": case.micros(row["time"])} if "time" in row else dict(row)


def _in_order(kind: str, wanted: Sequence[Row], came: Sequence[Row]) -> list[str]:
    group = _window_of if kind == "panes" else _key_of
    ours, theirs = _grouped(wanted, group), _grouped(came, group)
    found = []
    for key in {**ours, **theirs}:
        some, others = ours.get(key, []), theirs.get(key, [])
        for i in range(max(len(some), len(others))):
            left, right = ((all_[i] if i < len(all_) else None) for all_ in (some, others))
            if not _same(left, right):
                found.append(f"{kind[:-1]}: expected {shown(left)}, came {shown(right)}")
    return found


def _key_of(row: Row) -> Hashable:
    return shown(row["key"])


def _window_of(row: Row) -> Hashable:
    return shown([row["key"], row["window"], row.get("message")])


def _grouped(rows: Iterable[Row], group: Callable[[Row], Hashable]) -> dict[Hashable, list[Row]]:
    groups: dict[Hashable, list[Row]] = defaultdict(list)
    for row in rows:
        groups[group(row)].append(row)
    return dict(groups)


def _as_multiset(kind: str, wanted: Sequence[Row], came: Sequence[Row]) -> list[str]:
    left, found = list(came), []
    for row in wanted:
        same = next((one for one in left if one == row), None)
        if same is None:
            found.append(f"{kind}: expected {shown(row)}, came not")
        else:
            left.remove(same)
    return found + [f"{kind}: not expected {shown(row)}" for row in left]


def _same(left: object, right: object) -> bool:
    """Compare integers exactly, and floating point approximately."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, float) or isinstance(right, float):
        numbers = isinstance(left, int | float) and isinstance(right, int | float)
        return numbers and math.isclose(left, right, rel_tol=_EXACT, abs_tol=_EXACT)  # type: ignore[arg-type]
    return left == right
