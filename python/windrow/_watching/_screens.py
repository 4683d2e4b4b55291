"""Displays for a running query: a terminal, a notebook, or lines in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from windrow._watching import _words
from windrow.errors import failure

if TYPE_CHECKING:
    from windrow._watching._status import Status
    from windrow.figures import BatchProgress

#: Receives each new status, and the micro-batches since the last one.
Show: TypeAlias = "Callable[[Status, Sequence[BatchProgress]], None]"


@contextmanager
def screen() -> Iterator[Show]:
    """Yield the display that fits the output.

    Raises:
        WindrowError: A terminal needs rich, which is not installed (``RICH_MISSING``).

    """
    if _in_notebook():
        yield _notebook()
    elif sys.stdout.isatty():
        with _terminal() as show:
            yield show
    else:
        yield lines(sys.stdout)


def lines(out: TextIO) -> Show:
    """Write a line for each micro-batch, and the error that ended the query."""

    def show(now: Status, new: Sequence[BatchProgress]) -> None:
        for batch in new:
            print(_words.line(batch), file=out, flush=True)
        if not now.isActive:
            print(now.error or "ended", file=out, flush=True)

    return show


@contextmanager
def _terminal() -> Iterator[Show]:
    try:
        from rich.live import Live
    except ModuleNotFoundError:
        raise failure("RICH_MISSING") from None
    with Live(auto_refresh=False) as live:
        yield lambda now, _: live.update(panel(now), refresh=True)


def panel(now: Status) -> Any:  # noqa: ANN401  rich is imported only where it is used
    """Draw a status for a terminal."""
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in _words.rows(now):
        table.add_row(name, Text(text, style=_style(name, now)))
    return Panel(table, title="windrow", title_align="left", border_style=_border(now))


def _style(name: str, now: Status) -> str:
    alarms = {_words.ERROR: True, "rejected": bool(now.totals.get("rejected"))}
    return "red" if alarms.get(name) else "bold" if name == "query" else ""


def _border(now: Status) -> str:
    return "red" if now.error else "green" if now.isActive else "dim"


def _notebook() -> Show:
    """Display the first status, and update it with each later one."""
    from IPython.display import display

    shown: list[Any] = []

    def show(now: Status, _: Sequence[BatchProgress]) -> None:
        if shown:
            shown[0].update(now)
        else:
            shown.append(display(now, display_id=True))

    return show


def _in_notebook() -> bool:
    """Return whether a notebook kernel runs this code, which IPython in a terminal is not."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")
