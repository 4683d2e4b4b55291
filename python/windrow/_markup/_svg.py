"""SVG and HTML as a tree of elements; texts are escaped when it is written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML
_UNKNOWN = "\ufffd"
_LETTER = 6.1  # width of a letter of 11 pixels, on average

#: The text color of a separate file, by the viewer's preference; a page sets its own.
_INK = "svg{color:#24292f}@media(prefers-color-scheme:dark){svg{color:#d8dee4}}"


#: The attributes of an element.
Style = dict[str, "str | float"]


@dataclass(frozen=True)
class Element:
    """An element of SVG or HTML; ``str`` writes it."""

    name: str
    attributes: Mapping[str, str | float]
    inside: tuple[Element | str, ...] = ()

    def __str__(self) -> str:
        """Write the element, with every text escaped."""
        written = "".join(f' {name}="{_text(_short(v))}"' for name, v in self.attributes.items())
        within = "".join(_text(one) if isinstance(one, str) else str(one) for one in self.inside)
        return f"<{self.name}{written}>{within}</{self.name}>"


def element(name: str, *inside: Element | str, **attributes: str | float) -> Element:
    """Create an element; ``stroke_width`` and ``class_`` become ``stroke-width`` and ``class``."""
    named = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    return Element(name, named, inside)


@dataclass(frozen=True)
class Picture:
    """A picture as SVG, which a notebook displays.

    ``plot`` methods and ``wr.timeline`` return it.

    Attributes:
        drawn: The root element.

    Example:
        >>> picture = wr.Tumbling("1 minute").plot()
        >>> picture.svg[:4]
        '<svg'

    """

    drawn: Element

    @property
    def svg(self) -> str:
        """Return the SVG for use in an HTML page, whose text color it inherits.

        Returns:
            The text of the picture.

        """
        return str(self.drawn)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture to a file that works alone, in light and dark mode.

        Args:
            path: The file.

        Example:
            ::

                wr.Tumbling("1 minute").plot().save("tumbling.svg")

        """
        style = element("style", _INK)
        alone = Element("svg", self.drawn.attributes, (style, *self.drawn.inside))
        Path(path).write_text(str(alone), encoding="utf-8")

    def __str__(self) -> str:
        """Return the SVG."""
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg

    def _repr_svg_(self) -> str:
        return self.svg


def picture(title: str, width: int, height: float, *inside: Element) -> Picture:
    """Put elements on a canvas; screen readers read the title."""
    root: Style = {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "aria-label": title}
    size: Style = {"viewBox": f"0 0 {width} {_short(height)}", "width": width, "height": height}
    font: Style = {"font-family": "system-ui, sans-serif", "font-size": 11, "fill": "currentColor"}
    style: Style = {"style": "max-width:100%;height:auto"}
    return Picture(Element("svg", {**root, **size, **font, **style}, inside))


def fitted(text: str, width: float) -> str:
    """Return a text, shortened to a width in pixels; '' if not even one letter fits."""
    if text_width(text) <= width:
        return text
    room = width - _LETTER
    for at, letter in enumerate(text):
        room -= text_width(letter)
        if room < 0:
            return f"{text[:at]}…" if at else ""
    return text


def text_width(text: str) -> float:
    """Return the approximate maximum width of a text in pixels."""
    return sum(_LETTER * (2 if unicodedata.east_asian_width(c) in "WF" else 1) for c in text)


def _text(text: str) -> str:
    return escape(_FORBIDDEN.sub(_UNKNOWN, text))


def _short(value: str | float) -> str:
    """Return a text, or a number of pixels with one decimal at most."""
    return value if isinstance(value, str) else f"{round(value, 1):g}"
