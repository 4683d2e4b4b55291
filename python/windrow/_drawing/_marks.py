"""The shape and color of each kind of pane; either alone identifies the kind.

The colors have medium lightness, so that they contrast with white and with black.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from windrow._markup._html import RED
from windrow._markup._svg import Element, Style, element, text_width

BLUE, ORANGE, VIOLET, GREY = "#2f81c7", "#dd6b20", "#9a63d0", "#8b949e"

_R = 4.5


@dataclass(frozen=True)
class Mark:
    """A shape around the center of ``path``, its color, and its label in a legend."""

    name: str
    colour: str
    path: str
    filled: bool = True

    def at(self, x: float, y: float) -> Element:
        """Draw the shape around a point."""
        ink: Style = {"stroke": self.colour, "stroke-width": 1.6}
        place: Style = {"transform": f"translate({round(x, 1):g} {round(y, 1):g})", "class": "mark"}
        fill = self.colour if self.filled else "none"
        return Element("path", {"d": self.path, "fill": fill, **ink, **place})


MESSAGE = Mark("row", ORANGE, f"M{-_R + 1} 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0Z")
EARLY = Mark("early", GREY, f"M0-{_R}L{_R} {_R - 1}H-{_R}Z", filled=False)
ON_TIME = Mark("on time", BLUE, f"M-{_R - 0.5} 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z")
LATE = Mark("late", ORANGE, f"M0-{_R + 1}L{_R + 1} 0L0 {_R + 1}L-{_R + 1} 0Z")
WITHDRAWN = Mark("withdrawn", VIOLET, "M-4-4L4 4M4-4L-4 4", filled=False)
REJECTED = Mark("rejected", RED, f"M0 {_R}L{_R} -{_R - 1}H-{_R}Z")


def below(x: float, y: float, notes: Sequence[str]) -> tuple[list[Element], int]:
    """Draw sentences below a picture, each in a line of its own; return their height too."""
    lines = [
        element("text", note, x=x, y=y + 12 + 14 * number, opacity=0.75)
        for number, note in enumerate(notes)
    ]
    return lines, 14 * len(lines) + (4 if lines else 0)


def legend(x: float, y: float, shown: Iterable[tuple[Element, str]]) -> list[Element]:
    """Draw a line of signs with their meanings; each sign is at the origin."""
    drawn = []
    for sign, text in shown:
        drawn.append(element("g", sign, transform=f"translate({round(x + 6, 1):g} {y - 4:g})"))
        drawn.append(element("text", text, x=x + 17, y=y, opacity=0.75))
        x += 36 + text_width(text) * 0.92
    return drawn
