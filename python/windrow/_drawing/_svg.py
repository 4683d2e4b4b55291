"""SVG and HTML as a tree of elements: what is text in it is escaped when it is written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in any XML
_UNKNOWN = "\ufffd"
_LETTER = 6.1  # width of a letter of 11 pixels, on average

#: Of a file that stands alone: ink by what the viewer likes; within a page it is the page's.
_INK = "svg{color:#24292f}@media(prefers-color-scheme:dark){svg{color:#d8dee4}}"


#: Lines of an element's tag, by name.
Style = dict[str, "str | float"]


@dataclass(frozen=True)
class Element:
    """An element; ``str`` writes it."""

    name: str
    attributes: Mapping[str, str | float]
    inside: tuple[Element | str, ...] = ()

    def __str__(self) -> str:
        """Write it, with every text escaped."""
        said = "".join(f' {name}="{_text(_short(v))}"' for name, v in self.attributes.items())
        within = "".join(_text(one) if isinstance(one, str) else str(one) for one in self.inside)
        return f"<{self.name}{said}>{within}</{self.name}>"


def element(name: str, *inside: Element | str, **attributes: str | float) -> Element:
    """Make an element; of ``stroke_width`` and ``class_`` the lines are those of the language."""
    named = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    return Element(name, named, inside)


@dataclass(frozen=True)
class Picture:
    """An SVG. A notebook shows it, ``str`` and ``svg`` give its text, ``save`` writes a file."""

    drawn: Element

    @property
    def svg(self) -> str:
        """The text, to stand in a page, whose colour of text it takes."""
        return str(self.drawn)

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file that stands alone, in light and dark."""
        style = element("style", _INK)
        alone = Element("svg", self.drawn.attributes, (style, *self.drawn.inside))
        Path(path).write_text(str(alone), encoding="utf-8")

    def __str__(self) -> str:
        """Give the text."""
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg

    def _repr_svg_(self) -> str:
        return self.svg


def picture(title: str, width: int, height: float, *inside: Element) -> Picture:
    """Put elements on a canvas; the title is what screen readers say."""
    said: Style = {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "aria-label": title}
    size: Style = {"viewBox": f"0 0 {width} {_short(height)}", "width": width, "height": height}
    font: Style = {"font-family": "system-ui, sans-serif", "font-size": 11, "fill": "currentColor"}
    style: Style = {"style": "max-width:100%;height:auto"}
    return Picture(Element("svg", {**said, **size, **font, **style}, inside))


def fitted(text: str, width: float) -> str:
    """Give a text, or as much of it as a width in pixels has room for; '' if that is nothing."""
    if text_width(text) <= width:
        return text
    room = width - _LETTER
    for at, letter in enumerate(text):
        room -= text_width(letter)
        if room < 0:
            return f"{text[:at]}…" if at else ""
    return text


def text_width(text: str) -> float:
    """How wide a text is at most, about, in pixels."""
    return sum(_LETTER * (2 if unicodedata.east_asian_width(c) in "WF" else 1) for c in text)


def _text(text: str) -> str:
    return escape(_FORBIDDEN.sub(_UNKNOWN, text))


def _short(value: str | float) -> str:
    """A text, or a number of pixels with no more places than can be seen."""
    return value if isinstance(value, str) else f"{round(value, 1):g}"
