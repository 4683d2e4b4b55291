"""HTML for notebooks: a title, a table, and a picture."""

from __future__ import annotations

from collections.abc import Sequence

from windrow._markup._svg import Element, Picture, element

_CELL = "text-align:left;vertical-align:top;padding:2px 14px 2px 0;font-size:13px;color:inherit"
RED = "#d6454f"
_PALE = f"{_CELL};opacity:.7;white-space:nowrap"


def card(
    title: str, rows: Sequence[tuple[Element | str, ...]], picture: Picture | None = None
) -> str:
    """Return HTML of a title, named values, and a picture."""
    lines = [element("tr", *map(_cell, range(len(row)), row)) for row in rows]
    parts = [element("div", title, style="font-weight:600;margin-bottom:4px")] if title else []
    parts.append(element("table", *lines, style="border-collapse:collapse;border:none"))
    if picture is not None:
        parts.append(picture.drawn)
    return str(element("div", *parts, class_="windrow", style="font-size:13px"))


def explanation(text: str, picture: Picture | None = None) -> str:
    """Return HTML of the text of ``explain``: a first line, then topics with their texts."""
    title, *lines = text.splitlines()
    rows = [tuple(part.strip() for part in line.strip().partition("  ")[::2]) for line in lines]
    return card(title, rows, picture)


def red(text: str) -> Element:
    """Return a text in red."""
    return element("span", text, style=f"color:{RED};font-weight:600")


def _cell(number: int, content: Element | str) -> Element:
    return element("td", content, style=_PALE if number == 0 else _CELL)
