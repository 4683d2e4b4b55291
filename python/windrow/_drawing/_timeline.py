"""Draw panes over event time: results on time, corrections, and rejected rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from windrow._drawing import _stack
from windrow._drawing._axis import Axis, Scale
from windrow._drawing._marks import EARLY, LATE, ON_TIME, REJECTED, WITHDRAWN, legend
from windrow._drawing._panes import Pane, Rejected, Window, windows
from windrow._markup._html import RED
from windrow._markup._svg import Element, Picture, Style, element, fitted, picture, text_width

_WIDTH, _MARGIN, _GAP, _LINE = 760, 12, 6, 16
_PALE = {"opacity": 0.75}

#: The maximum numbers of keys and of listed corrections.
KEYS, LISTED = 16, 8

#: Rows that were rejected for the same reason within this number of pixels share a sign.
_NEAR = 8


def draw(
    panes: Sequence[Pane],
    rejected: Sequence[Rejected],
    axis: Axis,
    *,
    replaces: bool = True,
    note: str = "",
) -> Picture:
    """Draw panes and rejected rows.

    replaces: whether a pane replaces the one before; otherwise it contains only the new part. note:
    a line at the end.
    """
    found = windows(panes)
    keys, hidden = _keys(found)
    shown = [window for window in found if window.key in keys]
    edges = [edge for one in shown for edge in (one.start, one.end) if edge is not None]
    ends = edges or [row.at for row in rejected if row.at is not None]
    left = 2 * _MARGIN + _stack.label_width([*keys, "rejected"] if rejected else keys)
    scale = Scale.over(axis, ends, left, _WIDTH - 2 * _MARGIN)
    title = _summary(found, panes, rejected)

    drawn = [_text(title, 18, font_weight=600), *legend(_MARGIN, 40, _signs(panes, rejected))]
    if ends and not axis.whole:
        style: Style = {"x": _WIDTH - _MARGIN, "y": 18, "text_anchor": "end", "opacity": 0.75}
        drawn.append(element("text", scale.range(), **style))
    y = 54.0
    for key, group in groupby(shown, key=lambda window: window.key):
        bars, height = _stack.row(list(group), scale, replaces=replaces)
        drawn.append(_rule(y))
        drawn.append(_text(fitted(key, left - 2 * _MARGIN), y + _GAP + 12, font_weight=600))
        drawn.append(element("g", *bars, transform=f"translate(0 {y + _GAP:g})"))
        y += height + 2 * _GAP
    if any(row.at is not None for row in rejected):
        drawn.append(_rule(y))
        drawn.append(_text("rejected", y + 20, fill=RED))
        drawn.append(element("g", *_refused(rejected, scale), transform=f"translate(0 {y + 16:g})"))
        y += 30
    drawn += scale.line(y)
    y += 38
    lines = [*_corrections(found, scale, replaces=replaces), *_nowhere(rejected)]
    lines += [f"{hidden} more keys are not drawn."] * (hidden > 0) + [note] * (note != "")
    for number, text in enumerate(lines):
        drawn.append(_text(fitted(text, _WIDTH - 2 * _MARGIN), y + number * _LINE, class_="line"))
    return picture(title, _WIDTH, y + len(lines) * _LINE - 8, *drawn)


def _text(text: str, y: float, **style: str | float) -> Element:
    return element("text", text, x=_MARGIN, y=y, **style)


def _rule(y: float) -> Element:
    ends: Style = {"x1": _MARGIN, "x2": _WIDTH - _MARGIN, "y1": y, "y2": y}
    return element("line", **ends, stroke="currentColor", opacity=0.15)


def _keys(found: Sequence[Window]) -> tuple[set[str], int]:
    """Return the keys to draw, those with corrections first if there are too many, and the rest."""
    keys = list(dict.fromkeys(window.key for window in found))
    changed = {window.key for window in found if window.changes}
    chosen = sorted(keys, key=lambda key: key not in changed)[:KEYS]
    return set(chosen), len(keys) - len(chosen)


def _summary(found: Sequence[Window], panes: Sequence[Pane], rejected: Sequence[Rejected]) -> str:
    keys = len({window.key for window in found})
    corrected = sum(bool(window.changes) for window in found)
    parts = [
        f"{_count(len(panes), 'pane')} of {_count(len(found), 'window')}",
        _count(keys, "key") if keys > 1 else "",
        f"{corrected} corrected" if corrected else "none corrected",
        f"{_count(len(rejected), 'row')} rejected" if rejected else "",
    ]
    return ", ".join(part for part in parts if part)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _signs(panes: Sequence[Pane], rejected: Sequence[Rejected]) -> Iterator[tuple[Element, str]]:
    counts = Counter(pane.mark for pane in panes)
    for mark in (EARLY, ON_TIME, LATE, WITHDRAWN):
        if counts[mark]:
            yield mark.at(0, 0), f"{mark.name} {counts[mark]:,}"
    if rejected:
        yield REJECTED.at(0, 0), f"rejected {len(rejected):,}"


def _refused(rejected: Sequence[Rejected], scale: Scale) -> Iterator[Element]:
    """Draw rejected rows by position and reason; those out of range at the end, with an arrow."""
    places: dict[tuple[int, str], list[Rejected]] = {}
    for row in rejected:
        if row.at is not None:
            places.setdefault((round(scale(row.at) / _NEAR), row.reason), []).append(row)
    free = 0.0
    for (_, reason), rows in sorted(places.items()):
        x = scale(rows[0].at or 0)
        at = max(x, free) if free - x < 40 else x
        text = _reason(reason, rows, scale)
        tips = "\n".join(f"{row.reason} {row.message}" for row in rows[:8])
        drawn = [element("title", tips), REJECTED.at(at, 0)]
        if x >= free:
            ends = at + 9 + text_width(text) > scale.right
            side: Style = {"x": at - 9, "text_anchor": "end"} if ends else {"x": at + 9}
            drawn.append(element("text", text, **side, y=4, opacity=0.85))
            free = at + 16 + text_width(text)
        yield element("g", *drawn, class_="rejected")


def _reason(reason: str, rows: Sequence[Rejected], scale: Scale) -> str:
    """Return reason, number, and time if it is out of range."""
    times = f" ×{len(rows)}" if len(rows) > 1 else ""
    at = rows[0].at or 0
    if at < scale.low:
        return f"← {scale.name(at)} {reason}{times}"
    return f"{reason}{times}" + (f" {scale.name(at)} →" if at > scale.high else "")


def _nowhere(rejected: Sequence[Rejected]) -> Iterator[str]:
    """Return the number of rejected rows without a position."""
    reasons = Counter(row.reason for row in rejected if row.at is None)
    if reasons:
        text = ", ".join(f"{reason} {count:,}" for reason, count in reasons.items())
        yield f"Rejected rows without an event time, not drawn: {text}."


def _corrections(found: Sequence[Window], scale: Scale, *, replaces: bool) -> Iterator[str]:
    """Return the window, both values, and the time of each correction."""
    lines = []
    for window in found:
        for before, after in window.changes:
            where = f"{window.key} {_stack.bounds(window, scale)}".strip()
            if after is None:
                lines.append(f"{where}: {before.value} withdrawn{_when(window.panes[-1])}")
            elif replaces:
                lines.append(f"{where}: {before.value} → {after.value}{_when(after)}")
            else:
                lines.append(f"{where}: {before.value}, then {after.value} more{_when(after)}")
    yield from lines[:LISTED]
    if len(lines) > LISTED:
        yield f"{len(lines) - LISTED} more corrections are not listed."


def _when(pane: Pane) -> str:
    return f" ({pane.when})" if pane.when else ""
