"""``scripts/replay`` as a process."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]


def replay(file: Path, engine: str) -> tuple[int, str]:
    """Check the cases of a file, and return the exit status and the output."""
    call = [str(ROOT / "scripts/replay"), str(file), "--engine", engine, "--check"]
    done = subprocess.run(call, check=False, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr
