"""Real queries, killed at any point of a batch, compared with DuckDB's result for the same rows."""

from __future__ import annotations

import argparse
import itertools
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from torture.lives import needs_cluster
from torture.plans import plans
from torture.report import Report
from torture.subjects import TURNS, subject_of
from torture.trial import Servers, servers, tried


def main() -> int:
    """Run scenarios until the time is over; return 1 if one of them failed."""
    parser = argparse.ArgumentParser(prog="scripts/torture", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cluster", action="store_true", help="only seeds that use a cluster")
    parser.add_argument("--family", choices=sorted(set(TURNS)), help="only seeds of this family")
    said = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    report = Report()
    try:
        with (
            tempfile.TemporaryDirectory(prefix="servers-") as folder,
            servers(Path(folder)) as common,
        ):
            chosen = seeds(said.seed, on_cluster=said.cluster, family=said.family)
            run(chosen, 60 * said.minutes, report, common)
    except KeyboardInterrupt:
        report.say("stopped")
    report.sum_up()
    return int(report.failed)


def seeds(first: int, *, on_cluster: bool, family: str | None) -> Iterator[int]:
    """Yield the seeds from the first on, of all families or of one, with a cluster or any."""
    for seed in itertools.count(first):
        if family not in {None, TURNS[seed % len(TURNS)]}:
            continue
        dice = random.Random(seed)  # noqa: S311  the same draws as in the trial
        if not on_cluster or any(map(needs_cluster, plans(dice, subject_of(seed)))):
            yield seed


def run(which: Iterator[int], seconds: float, report: Report, common: Servers) -> None:
    """Try seeds until the time is over, but at least one."""
    end = time.monotonic() + seconds
    for seed in which:
        subject = subject_of(seed)
        folder = Path(tempfile.mkdtemp(prefix="torture-"))
        told = tried(subject, seed, folder / "run", common)
        report.add(seed, subject, told)
        if told.wrong:
            report.say(f"it is left in {folder}")
        else:
            shutil.rmtree(folder)
        if time.monotonic() >= end:
            break


if __name__ == "__main__":
    sys.exit(main())
