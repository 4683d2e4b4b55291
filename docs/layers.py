"""The layers of the code, read from docs/project/house.md for the test and the picture."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from windrow._markup._svg import Element, Picture, Style, element, fitted, picture

PAGE = Path(__file__).parent / "project" / "house.md"

_ROW, _WIDTH, _GAP, _TOP = 22, 250, 30, 40

#: Parts in columns, with the heading of their table in the page; the first uses the next ones.
_COLUMNS = (("Python", "python/windrow"), ("spark", "jvm/spark"), ("core", "jvm/core"))


def rows(part: str) -> list[list[str]]:
    """Return the names in the first column of a part's table, row by row."""
    text = PAGE.read_text(encoding="utf-8").split(f"## `{part}`")[1].split("\n## ")[0]
    cells = re.findall(r"^\| ([^|]*`[^|]*) \|", text, re.MULTILINE)
    return [re.findall(r"`([^`]+)`", cell) for cell in cells]


def uses() -> dict[str, set[str]]:
    """Return for each module the modules that it may use directly, from the page's diagram."""
    text = PAGE.read_text(encoding="utf-8").split("```\n")[1]
    found: dict[str, set[str]] = {}
    for line in text.splitlines():
        steps = [step.split(", ") for step in re.split(r" {2,}", line)[0].split(" ──> ")]
        for names, others in zip(steps, [*steps[1:], []], strict=True):
            for name in names:
                found.setdefault(name, set()).update(others)
    return found


def reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """Return the nodes that a node reaches, itself only if it is in a cycle."""
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        new = graph.get(ahead.pop(), set()) & graph.keys() - seen
        seen |= new
        ahead += new
    return seen


def layers() -> Picture:
    """Draw the modules and their folders; each folder uses only folders below it."""
    stacks = [(name, _stack(name, part)) for name, part in _COLUMNS]
    depth = max(len(stack) for _, stack in stacks)
    drawn: list[Element] = []
    for column, (name, stack) in enumerate(stacks):
        left = column * (_WIDTH + _GAP)
        top = _TOP + (depth - len(stack)) * _ROW
        drawn.append(_text(name, left + _WIDTH / 2, top - 10, bold=True))
        for at, names in enumerate(stack):
            is_public = name == "core" and at == 0
            drawn += _box(", ".join(names), left, top + at * _ROW, pale=not is_public)
        if column:
            drawn += _arrow(left - _GAP + 4, left - 4, _TOP + (depth - 1) * _ROW + 9)
    top = _TOP + depth * _ROW + 40
    others = [(name, of) for name, of in uses().items() if name not in dict(_COLUMNS)]
    drawn.append(_text("not part of the product", 0, top - 12, bold=True, anchor="start"))
    for at, (name, of) in enumerate(others):
        column, line = at % 3, at // 3
        said = f"{name} → {', '.join(sorted(of))}" if of else f"{name}, alone"
        drawn += _box(said, column * (_WIDTH + _GAP), top + line * _ROW, pale=True)
    height = top + -(-len(others) // 3) * _ROW + 10
    title = "The modules, and their folders: each uses only folders below it"
    return picture(title, 3 * _WIDTH + 2 * _GAP, height, *drawn)


def _stack(name: str, part: str) -> list[list[str]]:
    """Return the rows of a part, the lowest last."""
    return rows(part) if name == "core" else rows(part)[::-1]


def _text(said: str, x: float, y: float, *, bold: bool = False, anchor: str = "middle") -> Element:
    weight = "bold" if bold else "normal"
    return element("text", said, x=x, y=y, text_anchor=anchor, font_weight=weight)


def _box(said: str, left: float, top: float, *, pale: bool) -> list[Element]:
    style: Style = {"fill": "#4c78a8", "fill_opacity": 0.12 if pale else 0.35, "stroke": "#4c78a8"}
    size: Style = {"x": left + 0.5, "y": top, "width": _WIDTH - 1, "height": _ROW - 3, "rx": 2.5}
    box = element("rect", element("title", said), **size, **style)
    return [box, _text(fitted(said, _WIDTH - 12), left + _WIDTH / 2, top + 14)]


def _arrow(start: float, end: float, y: float) -> list[Element]:
    ink: Style = {"stroke": "currentColor", "fill": "none"}
    line = f"M{start:g} {y:g}H{end:g}M{end - 5:g} {y - 4:g}L{end:g} {y:g}L{end - 5:g} {y + 4:g}"
    return [element("path", d=line, **ink)]
