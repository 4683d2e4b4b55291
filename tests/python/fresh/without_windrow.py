"""Runs a pickled function of a query in a Python without the package.

Argument: the file. The function writes one micro-batch, of which this program prints the writes.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

sys.modules["windrow"] = None  # type: ignore[assignment]


class Batch:
    """A micro-batch with rows of every kind."""

    def __init__(self) -> None:
        """Create it."""
        self.noted: dict[str, Any] = {}

    def __repr__(self) -> str:
        """Show what this program prints."""
        return "a batch"

    def __getattr__(self, _: str) -> Any:
        """Return this object for every other call and field."""
        return self

    def __call__(self, *_: object) -> Any:
        """Return this object."""
        return self

    def format(self, name: str) -> Any:
        """Record the format."""
        self.noted["format"] = name
        return self

    def option(self, name: str, value: object) -> Any:
        """Record an option."""
        self.noted[name] = value
        return self

    def save(self) -> None:
        """Print the format and the batch."""
        assert "panes" in self.noted["windrow.secret"]
        assert self.noted["windrow.first"] is True
        print(f"panes to {self.noted['format']}, batch {self.noted['windrow.batch']}")  # noqa: T201


write = pickle.loads(Path(sys.argv[1]).read_bytes())  # noqa: S301  our own file
write(Batch(), 7)
