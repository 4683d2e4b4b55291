"""The parts of a page of the docs besides its text: code, tables of rows, and pictures.

A page is Markdown. A comment above a table states what the table is. A comment that stands alone
marks a picture:

``<!-- messages: orders -->`` is input, one micro-batch for each number in the column ``batch``.
``<!-- panes: minutes -->`` is output; ``rejected``, ``events``, ``rows``, ``answers`` are as well.
``<!-- rows: sql -->`` is the result of the SQL above it.
``<!-- picture: wr.Tumbling("1 minute").plot(times) -->`` is drawn. ``times`` are the times of the
table of messages above it, ``panes`` the rows of the table of panes above it. ``layers()`` draws
the modules, and ``ratios()`` the table of figures.
``<!-- for example -->`` above text: it shows a form and is not compared with the printed text.
``<!-- hidden: python`` and the lines up to ``-->`` are code that runs and is not shown.
``<!-- given: README.md -->`` continues from the messages and the first query of Windrow of another
page.

A code host shows no comments. Therefore each table has a caption in a line of its own between the
comment and the table, and each picture is also a file that the line below the comment shows.
``scripts/pictures`` writes both. The site draws the picture into the page instead of the file,
because only then does it have the colors of the page, in light and in dark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import windrow as wr
from layers import layers
from ratios import ratios
from windrow._drawing import _arrivals, _kept, _matches
from windrow._drawing._axis import DATES

DAY = "2025-01-01"
OUTPUTS = ("panes", "rejected", "events", "rows", "answers")

_PART = re.compile(
    r"^(?P<example><!-- for example -->\n)?```(?P<language>\w+)\n(?P<code>.*?)^```$"
    r"|^<!-- hidden: (?P<hidden>\w+)\n(?P<unseen>.*?)^-->$"
    r"|^<!-- picture: (?P<picture>[^\n]+?) -->$"
    r"(?P<image>\n\n!\[(?P<alt>[^\]\n]*)\]\((?P<file>[^)\n]*)\)$)?"
    r"|^<!-- given: (?P<given>\S+) -->$"
    r"|^<!-- (?P<word>\w+): (?P<said>[^\n]+?) -->\n+"
    r"(?:(?P<caption>[^|<\n][^\n]*)\n\n)?(?P<table>(?:\|[^\n]*\n)+)",
    re.DOTALL | re.MULTILINE,
)

_QUERY = re.compile(r"\b(wr|Windrow)\.stream\(")


@dataclass(frozen=True)
class Part:
    """A part of a page.

    word: the language of code, ``picture``, ``given``, or the kind of a table. said: the name of a
    table or a page, or the code of a picture. start, end: the place of ``text`` in the page.
    is_example: text that is not compared. is_hidden: code that is not shown. caption: of a table,
    or the alternative text of a picture. file: of a picture, relative to the page. above: the
    place where the comment of a table ends.
    """

    word: str
    said: str
    text: str
    start: int
    end: int
    is_example: bool = False
    is_hidden: bool = False
    caption: str = ""
    file: str = ""
    above: int = 0


def parts(page: str) -> Iterator[Part]:
    """Yield the parts of a page in order."""
    for found in _PART.finditer(page):
        if found["language"]:
            example = found["example"] is not None
            yield Part(found["language"], "", found["code"], *found.span("code"), example)
        elif found["hidden"]:
            where = found.span("unseen")
            yield Part(found["hidden"], "", found["unseen"], *where, is_hidden=True)
        elif found["given"]:
            yield Part("given", found["given"], found[0], *found.span())
        elif found["picture"]:
            caption, file = found["alt"] or "", found["file"] or ""
            where = found.span()
            yield Part("picture", found["picture"], found[0], *where, caption=caption, file=file)
        else:
            where = found.span("table")
            above = found.start() + len(f"<!-- {found['word']}: {found['said']} -->")
            caption = found["caption"] or ""
            yield Part(
                found["word"], found["said"], found["table"], *where, caption=caption, above=above
            )


def beginning(page: str, language: str) -> list[Part]:
    """Return the first messages and the code up to the first query of Windrow.

    Another page continues from there.
    """
    found = list(parts(page))
    messages = next(part for part in found if part.word == "messages")
    code = [part for part in found if part.word == language]
    query = next(at for at, part in enumerate(code) if _QUERY.search(part.text))
    return [messages, *code[: query + 1]]


def cells(table: str) -> tuple[list[str], list[list[str]]]:
    """Return the names of a table's columns, and its rows."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return (lines[0], lines[2:]) if lines else ([], [])


def moment(text: str) -> str:
    """Return a time with its day; the default is ``DAY``."""
    return text if "-" in text else f"{DAY} {text}"


def panes(table: str) -> list[dict[str, Any]]:
    """Return the rows of a table of panes, with the columns that it shows."""
    head, rows = cells(table)
    return [_pane(dict(zip(head, row, strict=True))) for row in rows]


def _pane(said: dict[str, str]) -> dict[str, Any]:
    start, end = (datetime.fromisoformat(moment(at)) for at in said["window"].split(" to "))
    about = {
        "timing": said["timing"],
        "index": int(said.get("index", "0")),
        "is_last": False,
        "is_retraction": said.get("is_retraction") == "true",
    }
    values = {name: _value(text) for name, text in said.items() if name not in about}
    batch = values.pop("batch")
    return {**values, "window": {"start": start, "end": end}, "pane": about, "batch": batch}


def _value(text: str) -> str | float:
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


_CAPTIONS = {
    "messages": "Input: {}",
    "panes": "Result: panes of {}",
    "rejected": "Rejected rows of {}",
    "events": "Events of {}",
    "rows": "Result: rows of {}",
    "answers": "Result: answers of {}",
}


def caption(part: Part) -> str:
    """Return the caption of a table, in Markdown; by default it names the kind and the query."""
    return part.caption or _CAPTIONS[part.word].format(f"`{part.said}`")


#: The names with which pictures that no public method draws are described.
_DRAWINGS = {
    "layers": layers,
    "ratios": ratios,
    "arrivals": _arrivals,
    "kept": _kept,
    "matches": _matches,
    "DATES": DATES,
}


def pictures(page: str) -> Iterator[tuple[Part, Any]]:
    """Draw the pictures of a page."""
    times: list[str] = []
    rows = ""
    for part in parts(page):
        if part.word == "picture":
            names = {"wr": wr, "times": times, "panes": panes(rows), **_DRAWINGS}
            yield part, eval(part.said, names)  # noqa: S307  our own page
        times = _times(part.text) if part.word == "messages" else times
        rows = part.text if part.word == "panes" else rows


def drawn(page: str) -> str:
    """Return a page for the site: pictures drawn in place, captions as paragraphs of a class."""
    drawings = {part.start: made for part, made in pictures(page)}
    shown: list[str] = []
    at = 0
    for part in parts(page):
        start, body = part.start, part.text
        if part.word == "picture":
            body = f'<div class="picture">{drawings[start]}</div>'.replace("\n", " ")
        elif part.word in _CAPTIONS:
            text = re.sub(r"`([^`]+)`", r"<code>\1</code>", caption(part))
            start, body = part.above, f'\n\n<p class="rows">{text}</p>\n\n{part.text}'
        shown += [page[at:start], body]
        at = part.end
    return "".join([*shown, page[at:]])


def _times(table: str) -> list[str]:
    head, rows = cells(table)
    return [moment(row[head.index("time")]) for row in rows] if "time" in head else []
