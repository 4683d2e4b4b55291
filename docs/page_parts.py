"""What a page of the docs holds besides its text: code, tables of messages and of rows, pictures.

A page is Markdown. A comment above a table says what the table is, one alone stands for a picture:

``<!-- messages: orders -->`` these come in, a micro-batch for each number in the column ``batch``.
``<!-- panes: minutes -->`` these come out; so do ``rejected``, ``events``, ``rows``, ``answers``.
``<!-- picture: wr.Tumbling("1 minute").plot(times) -->`` drawn as the page is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import windrow as wr

DAY = "2025-01-01"
OUTPUTS = ("panes", "rejected", "events", "rows", "answers")

_PART = re.compile(
    r"^```(?P<language>\w+)\n(?P<code>.*?)^```$"
    r"|^<!-- (?P<word>\w+): (?P<said>[^\n]+?) -->\n+(?P<table>(?:\|[^\n]*\n)+)"
    r"|^<!-- picture: (?P<picture>[^\n]+?) -->$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Part:
    """A piece of a page.

    word: the language of code; ``picture``; else what a table is. said: the name of a table, or
    the code of a picture. start, end: where ``text`` stands in the page.
    """

    word: str
    said: str
    text: str
    start: int
    end: int


def parts(page: str) -> Iterator[Part]:
    """Give the pieces of a page in order."""
    for found in _PART.finditer(page):
        if found["language"]:
            yield Part(found["language"], "", found["code"], *found.span("code"))
        elif found["picture"]:
            yield Part("picture", found["picture"], found[0], *found.span())
        else:
            yield Part(found["word"], found["said"], found["table"], *found.span("table"))


def cells(table: str) -> tuple[list[str], list[list[str]]]:
    """Give the names of a table's columns and its rows."""
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
    ]
    return head, rows


def moment(text: str) -> str:
    """Give the day to a time that has none."""
    return text if "-" in text else f"{DAY} {text}"


def _caption(part: Part) -> str:
    return f'<p class="caption">{part.word} of <code>{part.said}</code></p>\n\n'


def drawn(page: str) -> str:
    """Put pictures in place of what stands for them, and say above a table what it is."""
    times: list[str] = []
    shown: list[str] = []
    at = 0
    for part in parts(page):
        body = part.text
        if part.word == "messages":
            head, rows = cells(part.text)
            times = [moment(row[head.index("time")]) for row in rows] if "time" in head else []
        if part.word in ("messages", *OUTPUTS):
            body = _caption(part) + part.text
        elif part.word == "picture":
            made = eval(part.said, {"wr": wr, "times": times})  # noqa: S307  our own page
            body = f'<div class="picture">{made}</div>'.replace("\n", " ")
        shown += [page[at : part.start], body]
        at = part.end
    return "".join([*shown, page[at:]])
