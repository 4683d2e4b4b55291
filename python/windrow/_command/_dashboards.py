"""Write a Grafana board and Prometheus rules for queries."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TextIO

from windrow._command import _text
from windrow._command._alerts import rules
from windrow._command._board import board
from windrow._command._gauges import Query, plain
from windrow._specs import _duration
from windrow.errors import SpecProblem

BOARD, RULES = "windrow-board.json", "windrow-rules.yaml"


def run(options: argparse.Namespace, out: TextIO) -> bool:
    """Write both files, and replace those of an earlier call."""
    # Queries whose names become equal have the same metrics.
    queries = {plain(name): Query(options.namespace, name) for name in options.query}
    shown = board(plain(options.namespace), next(iter(queries)), options.runbook)
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (
        (BOARD, json.dumps(shown, indent=2) + "\n"),
        (RULES, rules(list(queries.values()), options.interval, options.runbook)),
    ):
        (folder / name).write_text(text, encoding="utf-8")
        _text.put(out, str(folder / name))
    return True


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--namespace", required=True, type=_name, help="value of spark.metrics.namespace"
    )
    parser.add_argument(
        "--query",
        required=True,
        action="append",
        type=_name,
        help="name of a query that should run; repeat it for several",
    )
    parser.add_argument(
        "--interval",
        type=_interval,
        default="1 minute",
        help="longest acceptable micro-batch, usually the trigger's interval (default: 1 minute)",
    )
    parser.add_argument(
        "--runbook",
        default="docs/runbook.md",
        metavar="URL",
        help="address of your copy of the runbook, for links (default: docs/runbook.md)",
    )
    parser.add_argument(
        "--out", default=".", metavar="FOLDER", help="folder for the files (default: this one)"
    )


def _interval(text: str) -> int:
    """Return the microseconds of a duration."""
    found = _duration.read(text)
    if isinstance(found, SpecProblem):
        raise argparse.ArgumentTypeError(found.text)
    if found <= 0:
        message = f"{text!r} is not longer than 0 seconds"
        raise argparse.ArgumentTypeError(message)
    return found


def _name(text: str) -> str:
    if not plain(text).strip("_"):
        message = f"{text!r} has no letter or digit"
        raise argparse.ArgumentTypeError(message)
    return text
