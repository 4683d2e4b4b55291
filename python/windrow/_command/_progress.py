"""Show that work continues if it takes longer than two seconds."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_FIRST = 2.0
_BLANK = " " * 60


@contextmanager
def working(doing: str) -> Iterator[None]:
    """Show the current work and its duration on a terminal; do nothing elsewhere."""
    if not sys.stderr.isatty():
        yield
        return
    over = threading.Event()
    thread = threading.Thread(target=_show, args=(doing, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _show(doing: str, over: threading.Event) -> None:
    began = time.monotonic()
    wait = _FIRST
    while not over.wait(wait):
        sys.stderr.write(f"\r{doing} … {time.monotonic() - began:.0f} s")
        sys.stderr.flush()
        wait = 1.0
    if time.monotonic() - began > _FIRST:
        sys.stderr.write(f"\r{_BLANK}\r")
        sys.stderr.flush()
