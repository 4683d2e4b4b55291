"""Compare panes with those that a test expects, and show the differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

Row = Mapping[str, Any]


def assertSamePanes(came: Sequence[Row], expected: Sequence[Row]) -> None:
    """Assert that panes, rejected rows, or rows of a join are those that a test expects.

    An expected row contains only the fields that matter to you. Write the fields of ``pane``
    (timing, index, is_last, is_retraction) next to the columns, and ``window`` as its start or as a
    pair. Times can be strings; without a zone they are UTC. Floating-point values are compared to
    1e-9. The rows may be in any order.

    Args:
        came: The rows that were emitted, for example ``h.panes()``.
        expected: The expected rows.

    Raises:
        AssertionError: The rows differ. The message shows missing and unexpected rows, and for
            similar rows the fields that differ.

    Example:
        >>> panes = [{"product": "tea", "price": 3.0, "pane": {"timing": "ON_TIME", "index": 0}}]
        >>> wr.testing.assertSamePanes(panes, [{"price": 3.0, "timing": "ON_TIME"}])

    """
    __tracebackhide__ = True  # pytest shows the line of the test
    pairs = _pairs(expected, came)
    missing = [row for number, row in enumerate(expected) if number not in pairs.values()]
    left = [row for number, row in enumerate(came) if number not in pairs]
    if missing or left:
        raise AssertionError(_report(missing, left, len(came), len(expected)))


def _pairs(expected: Sequence[Row], came: Sequence[Row]) -> dict[int, int]:
    """Assign an emitted row to as many expected rows as possible, by their indexes."""
    alike = [
        [number for number, row in enumerate(came) if not _differing(wanted, row)]
        for wanted in expected
    ]
    pairs: dict[int, int] = {}
    for wanted in range(len(expected)):
        free, askers = _way(wanted, alike, pairs)
        while free is not None:
            owner = askers[free]
            before = next((number for number, one in pairs.items() if one == owner), None)
            pairs[free] = owner
            free = before
    return pairs


def _way(
    wanted: int, alike: list[list[int]], pairs: Mapping[int, int]
) -> tuple[int | None, dict[int, int]]:
    """Find a row that becomes free by an augmenting path, and the path to it."""
    askers: dict[int, int] = {}
    asking = [wanted]
    for asker in asking:
        for number in alike[asker]:
            if number in askers:
                continue
            askers[number] = asker
            if number not in pairs:
                return number, askers
            asking.append(pairs[number])
    return None, askers


def _report(missing: list[Row], left: list[Row], came: int, expected: int) -> str:
    from windrow.testing._rows import line

    lines = [f"{expected} rows expected, {came} received, {expected - len(missing)} match:"]
    for row in missing:
        near = min(left, key=lambda one: len(_differing(row, one)), default=None)
        wrong = {} if near is None else _differing(row, near)
        if near is None or len(wrong) == len(row):
            lines.append(f"  missing:      {line(row)}")
            continue
        left.remove(near)
        lines.append(f"  differs:      {line(near)}")
        lines += [
            f"      {name}: expected {_shown(want)}, got {_shown(got)}"
            for name, (want, got) in wrong.items()
        ]
    lines += [f"  not expected: {line(row)}" for row in left]
    return "\n".join(lines)


def _shown(value: object) -> str:
    from windrow.testing._rows import text

    return text(value)


def _differing(wanted: Row, came: Row) -> dict[str, tuple[object, object]]:
    """Return the fields that differ, with both values."""
    found = {}
    for name, want in wanted.items():
        got = _field(came, name)
        if not _same(want, got):
            found[name] = (want, got)
    return found


_NONE = "no such column"


def _field(row: Row, name: str) -> object:
    if name in row:
        return row[name]
    pane = row.get("pane")
    return pane[name] if isinstance(pane, Mapping) and name in pane else _NONE


def _same(want: object, got: object) -> bool:
    if isinstance(got, datetime):
        return _instant(want) == _instant(got)
    if isinstance(got, Mapping):
        return _same_struct(want, got)
    if isinstance(want, list) and isinstance(got, list):
        return len(want) == len(got) and all(map(_same, want, got))
    if isinstance(want, float) or isinstance(got, float):
        if not (isinstance(want, int | float) and isinstance(got, int | float)):
            return False
        both_nan = math.isnan(want) and math.isnan(got)
        return both_nan or math.isclose(want, got, rel_tol=1e-9, abs_tol=1e-9)
    return want == got


def _same_struct(want: object, got: Row) -> bool:
    """Compare a struct with a mapping of some fields, with its values, or with its first value."""
    if isinstance(want, Mapping):
        return not _differing(want, got)
    values = list(got.values())
    if isinstance(want, tuple):
        return len(want) == len(values) and all(map(_same, want, values))
    return bool(values) and want is not None and _same(want, values[0])


def _instant(value: object) -> object:
    """Return a time for comparison; without a zone it is UTC."""
    from datetime import UTC

    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return value
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value
