"""What a page of the docs holds besides its text: code, tables of messages and of rows, pictures.

A page is Markdown. A comment above a table says what the table is, one alone stands for a picture:

``<!-- messages: orders -->`` these come in, a micro-batch for each number in the column ``batch``.
``<!-- panes: minutes -->`` these come out; so do ``rejected``, ``events``, ``rows``, ``answers``.
``<!-- picture: wr.Tumbling("1 minute").plot(times) -->`` drawn as the page is shown: ``times`` are
those of the messages above it, ``panes`` the rows of the panes above it.
``<!-- for example -->`` above text: it shows a form, and is not compared with what is printed.
``<!-- hidden: python`` and lines up to ``-->``: code that is run and not shown.
``<!-- given: README.md -->`` the page goes on from the messages and the first query of another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import windrow as wr

DAY = "2025-01-01"
OUTPUTS = ("panes", "rejected", "events", "rows", "answers")

_PART = re.compile(
    r"^(?P<example><!-- for example -->\n)?```(?P<language>\w+)\n(?P<code>.*?)^```$"
    r"|^<!-- hidden: (?P<hidden>\w+)\n(?P<unseen>.*?)^-->$"
    r"|^<!-- picture: (?P<picture>[^\n]+?) -->$"
    r"|^<!-- given: (?P<given>\S+) -->$"
    r"|^<!-- (?P<word>\w+): (?P<said>[^\n]+?) -->\n+(?P<table>(?:\|[^\n]*\n)+)",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Part:
    """A piece of a page.

    word: the language of code; ``picture``, ``given``; else what a table is. said: the name of a
    table or a page, or the code of a picture. start, end: where ``text`` stands in the page.
    is_example: text that is not compared. is_hidden: code that is not shown.
    """

    word: str
    said: str
    text: str
    start: int
    end: int
    is_example: bool = False
    is_hidden: bool = False


def parts(page: str) -> Iterator[Part]:
    """Give the pieces of a page in order."""
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
            yield Part("picture", found["picture"], found[0], *found.span())
        else:
            yield Part(found["word"], found["said"], found["table"], *found.span("table"))


def beginning(page: str, language: str) -> list[Part]:
    """Give what a page that goes on from this one is given: its first messages and query."""
    found = list(parts(page))
    words = ("messages", language)
    return [next(part for part in found if part.word == word) for word in words]


def cells(table: str) -> tuple[list[str], list[list[str]]]:
    """Give the names of a table's columns and its rows."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return (lines[0], lines[2:]) if lines else ([], [])


def moment(text: str) -> str:
    """Give the day to a time that has none."""
    return text if "-" in text else f"{DAY} {text}"


def panes(table: str) -> list[dict[str, Any]]:
    """Give the rows of a table of panes, as far as it shows them."""
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


def _caption(part: Part) -> str:
    return f'<p class="rows">{part.word} of <code>{part.said}</code></p>\n\n'


def drawn(page: str) -> str:
    """Put pictures in place of what stands for them, and say above a table what it is."""
    times: list[str] = []
    came = ""
    shown: list[str] = []
    at = 0
    for part in parts(page):
        body = part.text
        if part.word == "picture":
            names = {"wr": wr, "times": times, "panes": panes(came)}
            made = eval(part.said, names)  # noqa: S307  our own page
            body = f'<div class="picture">{made}</div>'.replace("\n", " ")
        elif part.word in ("messages", *OUTPUTS):
            body = _caption(part) + part.text
        times = _times(part.text) if part.word == "messages" else times
        came = part.text if part.word == "panes" else came
        shown += [page[at : part.start], body]
        at = part.end
    return "".join([*shown, page[at:]])


def _times(table: str) -> list[str]:
    head, rows = cells(table)
    return [moment(row[head.index("time")]) for row in rows] if "time" in head else []
