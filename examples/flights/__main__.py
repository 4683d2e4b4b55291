"""Run a year of flights through Windrow and through Spark's own window(), and compare the results.

The exit status is 1 if a flight is unaccounted for or a result is wrong.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

from flights import data, delivery, files, ledger, page, screen, session
from flights.screen import say

_OUT = Path(__file__).parents[2] / ".build" / "demo"


def main() -> int:
    """Run the demo, and return the exit status."""
    began = time.monotonic()
    arguments = _arguments()
    folder: Path = arguments.out.resolve()
    say("Starting Spark, and reading the flights of 2013 ...")
    with ThreadPoolExecutor(max_workers=1) as aside:
        starting = aside.submit(session.start)
        rows = data.load()
        say(data.look(rows).text())
        ends = files.cuts(rows, arguments.day)
        batches = files.write(rows, ends, folder / "files")
        spark = starting.result()
    say(f"{len(batches)} files, in the order in which the flights left. Four queries read them.")
    try:
        with delivery.started(spark, folder) as run:
            say(screen.HEADER)
            progress = screen.Progress(run)
            for batch in delivery.feed(run, batches, folder):
                say(progress.line(batch))
            checks = ledger.checks(run, rows, files.number(rows, ends))
            fates = ledger.fates(run, len(rows))
    finally:
        spark.stop()
    picture = page.write(folder / "index.html", run, arguments.day, fates, checks)
    worst = ledger.corrections(run.hourly.panes)[0]
    say(screen.summary(fates, worst, picture, time.monotonic() - began))
    say(screen.verdict(checks))
    return 0 if all(check.holds for check in checks) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/demo", description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=_OUT, help="folder for input files, checkpoints, and the page"
    )
    parser.add_argument(
        "--day",
        type=date.fromisoformat,
        default=date(2013, 9, 12),
        help="day of 2013 that arrives in steps of two hours and is drawn (default: %(default)s)",
    )
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
