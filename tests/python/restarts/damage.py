"""Damage to single files, as caused by disks and people."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HOW = ("deleted", "cut", "emptied", "flipped")


@dataclass(frozen=True)
class Damage:
    """Damage to a file; ``place`` and ``bit`` locate a flipped bit or a cut."""

    file: Path
    how: str
    place: float = 0.0
    bit: int = 0

    @contextmanager
    def done(self) -> Iterator[None]:
        """Damage the file, and restore it afterwards."""
        whole = self.file.read_bytes()
        at = int(self.place * len(whole))
        if self.how == "deleted":
            self.file.unlink()
        elif self.how == "flipped":
            flipped = bytes([whole[at] ^ 1 << self.bit])
            self.file.write_bytes(whole[:at] + flipped + whole[at + 1 :])
        else:
            self.file.write_bytes(whole[:at] if self.how == "cut" else b"")
        try:
            yield
        finally:
            self.file.write_bytes(whole)

    @property
    def kind(self) -> str:
        """Return the file's path without its numbers: ``state/N/N/N.zip``."""
        parts = self.file.parts
        inner = next(i for i, part in enumerate(parts) if part in ("check point", "panes"))
        name = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "id", "/".join(parts[inner + 1 :]))
        return re.sub(r"\d+", "N", name)


def damages(folders: Sequence[Path], count: int, seed: int) -> Iterator[Damage]:
    """Draw damage to random files and places."""
    dice = random.Random(seed)  # noqa: S311  no secret
    files = sorted(file for folder in folders for file in folder.rglob("*") if file.is_file())
    for _ in range(count):
        yield Damage(dice.choice(files), dice.choice(HOW), dice.random(), dice.randrange(8))
