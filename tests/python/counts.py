"""How many random streams a test compares."""

from __future__ import annotations

import os


def streams(by_default: int, full: int = 1_000) -> int:
    """Return the number of random streams of a test: more in mode ``full``.

    ``WINDROW_STREAMS`` replaces both numbers.
    """
    is_full = os.environ.get("WINDROW_MODE") == "full"
    return int(os.environ.get("WINDROW_STREAMS", full if is_full else by_default))
