"""Compare panes with those that a test expects, and show the differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal
from typing import Any

from windrow.testing._rows import line, text, zone_of

Row = Mapping[str, Any]


def assertSamePanes(came: Sequence[Row], expected: Sequence[Row]) -> None:
    """Assert that panes, rejected rows, or rows of a join are those that a test expects.

    An expected row contains only the fields that matter to you. Write the fields of ``pane``
    (timing, index, is_last, is_retraction) next to the columns, ``window`` as its start or as a
    pair, and a map as a dict of all its entries. Times and dates can be strings. A time without a
    zone is in the time zone of the session, or in UTC if the rows are not from a harness; for a
    ``TIMESTAMP_NTZ`` it is compared as it is. If the expected or the received number is a float,
    they are compared to 1e-9. The rows may be in any order.

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
    zone = zone_of(came)
    pairs = _pairs(expected, came, zone)
    missing = [row for number, row in enumerate(expected) if number not in pairs.values()]
    left = [row for number, row in enumerate(came) if number not in pairs]
    if missing or left:
        raise AssertionError(_report(missing, left, len(came), len(expected), zone))


def _pairs(expected: Sequence[Row], came: Sequence[Row], zone: tzinfo) -> dict[int, int]:
    """Assign an emitted row to as many expected rows as possible, by their indexes."""
    alike = [
        [number for number, row in enumerate(came) if not _differing(wanted, row, zone)]
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


def _report(missing: list[Row], left: list[Row], came: int, expected: int, zone: tzinfo) -> str:
    lines = [f"{expected} rows expected, {came} received, {expected - len(missing)} match:"]
    for row in missing:
        near = min(left, key=lambda one: len(_differing(row, one, zone)), default=None)
        wrong = {} if near is None else _differing(row, near, zone)
        if near is None or len(wrong) == len(row):
            lines.append(f"  missing:      {line(row, zone)}")
            continue
        left.remove(near)
        lines.append(f"  differs:      {line(near, zone)}")
        lines += [
            f"      {name}: expected {text(want, zone)}, got {text(got, zone)}"
            for name, (want, got) in wrong.items()
        ]
    lines += [f"  not expected: {line(row, zone)}" for row in left]
    return "\n".join(lines)


def _differing(wanted: Row, came: Row, zone: tzinfo) -> dict[str, tuple[object, object]]:
    """Return the fields that differ, with both values."""
    found = {}
    for name, want in wanted.items():
        got = _field(came, name)
        is_start = name == "window" and isinstance(got, Mapping) and _is_start(want, got, zone)
        if not (is_start or _same(want, got, zone)):
            found[name] = (want, got)
    return found


_NONE = "no such column"


def _field(row: Row, name: str) -> object:
    if name in row:
        return row[name]
    pane = row.get("pane")
    return pane[name] if isinstance(pane, Mapping) and name in pane else _NONE


def _is_start(want: object, window: Row, zone: tzinfo) -> bool:
    """Return whether a value is the start of a window."""
    return want is not None and _same(want, next(iter(window.values()), None), zone)


def _same(want: object, got: object, zone: tzinfo) -> bool:
    if isinstance(got, datetime):
        return _is_same_time(_time(want), got, zone)
    if isinstance(got, date) and isinstance(want, str):
        return want == got.isoformat()
    if isinstance(got, Mapping):
        return _same_struct(want, got, zone)
    if isinstance(got, list) and isinstance(want, list | Mapping):
        return _same_items(want, got, zone)
    if isinstance(want, float) or isinstance(got, float):
        return _is_close(want, got)
    return want == got


def _is_close(want: object, got: object) -> bool:
    """Compare two numbers, one of which is a float."""
    numbers = (int, float, Decimal)
    if not (isinstance(want, numbers) and isinstance(got, numbers)):
        return False
    one, other = float(want), float(got)
    both_nan = math.isnan(one) and math.isnan(other)
    return both_nan or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def _same_struct(want: object, got: Row, zone: tzinfo) -> bool:
    """Compare a struct with a mapping of some fields, or with a tuple of all its values."""
    if isinstance(want, Mapping):
        return not _differing(want, got, zone)
    if not isinstance(want, tuple) or len(want) != len(got):
        return False
    return all(_same(*pair, zone) for pair in zip(want, got.values(), strict=True))


def _same_items(want: list[Any] | Row, got: list[Any], zone: tzinfo) -> bool:
    """Compare a list, or a mapping with all entries of a map, which Arrow returns as pairs."""
    if len(want) != len(got):
        return False
    if isinstance(want, list):
        return all(_same(*pair, zone) for pair in zip(want, got, strict=True))
    pairs = [pair for pair in got if isinstance(pair, tuple)]
    return all(
        any(_same(name, key, zone) and _same(one, value, zone) for key, value in pairs)
        for name, one in want.items()
    )


def _time(value: object) -> object:
    """Return a string as the time that it contains, and other values unchanged."""
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _is_same_time(want: object, got: datetime, zone: tzinfo) -> bool:
    """Compare two times; a time without a zone is in ``zone`` if the other one has a zone."""
    if not isinstance(want, datetime):
        return False
    if want.tzinfo is None and got.tzinfo is None:
        return want == got
    return _instant(want, zone) == _instant(got, zone)


def _instant(value: datetime, zone: tzinfo) -> datetime:
    """Return a time in UTC, because times of one zone are compared without their offsets."""
    return (value if value.tzinfo else value.replace(tzinfo=zone)).astimezone(UTC)
