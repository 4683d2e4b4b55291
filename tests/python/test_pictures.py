"""Pictures are well-formed SVG and show the windows that hold the messages."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

import windrow as wr

_SVG = "{http://www.w3.org/2000/svg}"


def _count(picture: object, shape: str) -> int:
    return len(ET.fromstring(str(picture)).findall(f"{_SVG}{shape}"))  # noqa: S314  our own


@pytest.mark.parametrize(
    ("kind", "messages", "windows"),
    [
        (wr.Tumbling("1 hour"), ["2025-01-01 09:00", "2025-01-01 09:59:59.999999"], 1),
        (wr.Tumbling("1 hour"), ["1969-12-31 23:59:59", "1970-01-01 00:00:00"], 2),
        (wr.Tumbling("1 hour", offset="30 minutes"), ["2025-01-01 09:00", "2025-01-01 10:00"], 2),
        (wr.Hopping("1 hour", step="20 minutes"), ["2025-01-01 09:00"], 3),
        (wr.Hopping("10 minutes", step="1 hour"), ["2025-01-01 09:09", "2025-01-01 09:10"], 1),
        (wr.Session("10 minutes"), ["2025-01-01 09:20", "2025-01-01 09:00", "2025-01-01 09:10"], 1),
        (wr.Session("10 minutes"), ["2025-01-01 09:00", "2025-01-01 09:10:00.000001"], 2),
        (wr.Session("10 minutes"), [], 0),
    ],
)
def test_draws_the_windows_of_messages(
    kind: wr.WindowKind, messages: list[str], windows: int
) -> None:
    """A dot for each message, a bar for each window that holds one."""
    picture = kind.plot(messages)
    assert _count(picture, "circle") == len(messages)
    assert _count(picture, "rect") == windows


def test_many_windows_are_counted() -> None:
    """A message in a thousand windows gives a small picture."""
    picture = wr.Hopping("1000 minutes", step="1 minute").plot(["2025-01-01"])
    assert "more windows" in str(picture)
    assert len(str(picture)) < 10_000


@pytest.mark.parametrize(
    "kind", [wr.Tumbling("1 hour"), wr.Hopping("1 hour", step="7 minutes"), wr.Session("1 day")]
)
def test_notebooks_show_asample(kind: wr.WindowKind) -> None:
    """Without messages some are made up."""
    html = kind._repr_html_()
    assert _count(html, "circle") > 2
    assert _count(html, "rect") > 1
