"""Create SVG elements as text."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

Point = tuple[float, float]


def tag(name: str, *content: str, **attributes: object) -> str:
    """Return an element with unescaped content. ``class_`` means class, and ``_`` means ``-``."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{shown}>{''.join(content)}</{name}>" if content else f"<{name}{shown}/>"


def picture(width: float, height: float, title: str, *content: str, class_: str = "") -> str:
    """Return an SVG image that fills the available width. Screen readers read the title."""
    return tag(
        "svg",
        tag("title", escape(title)),
        *content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        role="img",
        class_=class_ or None,
    )


def words(x: float, y: float, text: str, class_: str = "", anchor: str = "start") -> str:
    """Return a text with its baseline at y."""
    return tag("text", escape(text), x=x, y=y, class_=class_ or None, text_anchor=anchor)


def line(start: Point, end: Point, class_: str) -> str:
    """Return a straight line."""
    return tag("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], class_=class_)


def box(x: float, y: float, width: float, height: float, class_: str, tip: str = "") -> str:
    """Return a rectangle with a tooltip."""
    size = {"x": x, "y": y, "width": max(width, 0), "height": max(height, 0)}
    return tag("rect", *_tip(tip), class_=class_, **size)


def dot(at: Point, radius: float, class_: str, tip: str = "") -> str:
    """Return a circle with a tooltip."""
    return tag("circle", *_tip(tip), cx=at[0], cy=at[1], r=radius, class_=class_)


def outline(points: Iterable[Point], class_: str, *, closed: bool = False) -> str:
    """Return a line through points, or a filled area if closed."""
    steps = " L".join(f"{_value(x)},{_value(y)}" for x, y in points)
    return tag("path", d=f"M{steps}{'Z' if closed else ''}", class_=class_) if steps else ""


def _tip(text: str) -> list[str]:
    return [tag("title", escape(text))] if text else []


def _value(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escape(str(value))
