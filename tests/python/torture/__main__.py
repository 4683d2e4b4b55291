"""Real queries, killed at any point of a batch, against what DuckDB makes of the same messages."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from torture.report import Report
from torture.subjects import subject_of
from torture.trial import servers, tried


def main() -> int:
    """Run scenarios until the time is over; 1: something is wrong."""
    parser = argparse.ArgumentParser(prog="scripts/torture", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args()
    end = time.monotonic() + 60 * said.minutes
    report = Report()
    seed = said.seed
    with tempfile.TemporaryDirectory(prefix="servers-") as folder, servers(Path(folder)) as common:
        while seed == said.seed or time.monotonic() < end:
            subject = subject_of(seed)
            place = Path(tempfile.mkdtemp(prefix="torture-"))
            told = tried(subject, seed, place / "run", common)
            report.add(seed, subject, told)
            if told.wrong:
                report.say(f"it is left in {place}")
            else:
                shutil.rmtree(place)
            seed += 1
    report.sum_up()
    return int(report.failed)


if __name__ == "__main__":
    sys.exit(main())
