"""The command ``windrow``: inspect a checkpoint, a pipeline, or a set-up from a shell."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from windrow._command import _dashboards, _demo, _do, _text
from windrow._command._progress import working
from windrow._version import __version__
from windrow.errors import WindrowError

#: Exit statuses: success, findings, error, and Ctrl-C.
WELL, NOT_WELL, NOT_TOLD, INTERRUPTED = 0, 1, 2, 130

_EPILOG = """exit status: 0 success; 1 a problem was found (damage, a difference, something
missing); 2 the command failed. Commands that need Spark start a small local session."""

Command = Callable[[argparse.Namespace, TextIO], bool]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return the exit status: 0 for success, 1 for findings, 2 for an error."""
    options = _parser().parse_args(arguments)
    run: Command = options.run
    try:
        with working(options.doing):
            well = run(options, sys.stdout)
    except WindrowError as refused:
        return _fail(str(refused))
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as failed:  # noqa: BLE001  a shell shows no stack trace
        return _fail(f"windrow: {type(failed).__name__}: {_text.plain(str(failed))}")
    return WELL if well else NOT_WELL


def _fail(why: str) -> int:
    sys.stderr.write(f"{why}\n")
    return NOT_TOLD


def _positive(text: str) -> int:
    """Read a positive integer."""
    if not text.isdecimal() or int(text) == 0:
        found = f"{text!r} is not a positive integer"
        raise argparse.ArgumentTypeError(found)
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="windrow",
        description="Windows for Spark Structured Streaming that correct themselves.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"windrow {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, run: Command, doing: str, text: str) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        one.set_defaults(run=run, doing=doing)
        return one

    demo = command(
        "demo", _demo.run, "running a query", "run a query over six orders, two of them late"
    )
    demo.add_argument("--orders", metavar="FOLDER", help="also write the orders to a folder")
    doctor = command("doctor", _do.doctor, "looking", "check the setup of Python, Java, and Spark")
    doctor.add_argument("--start", action="store_true", help="also start a session and check it")

    verify = command(
        "verify",
        _do.verify,
        "reading the checkpoint",
        "find damaged and missing files of a checkpoint",
    )
    _checkpoint(verify)
    verify.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="FOLDER",
        help="output folder of the query's file sink",
    )
    verify.add_argument("--deep", action="store_true", help="also check each value of the state")

    state = command(
        "state",
        _do.state,
        "reading the state",
        "show the windows and rows in the state of a checkpoint",
    )
    _checkpoint(state)
    state.add_argument(
        "what",
        nargs="?",
        default="windows",
        choices=["windows", "messages", "keys", "pending"],
        help="pending: panes if no more rows arrive (default: windows)",
    )
    state.add_argument(
        "--limit", type=_positive, default=50, help="maximum number of rows (default: 50)"
    )

    advise = command(
        "advise",
        _do.advise,
        "reading the counts",
        "show which share of the rows each lateness would have accepted",
    )
    _checkpoint(advise)
    advise.add_argument(
        "--catch", type=float, default=0.999, help="share of rows to accept (default: 0.999)"
    )
    advise.add_argument(
        "--html", metavar="FILE", help="also write the advice with its picture to a file"
    )

    for one in (state, advise):
        one.add_argument("--operator", help="name of the stream, if the query has several")

    dashboards = command(
        "dashboards",
        _dashboards.run,
        "writing",
        "write a Grafana board and Prometheus alert rules for queries",
    )
    _dashboards.arguments(dashboards)

    explain = command("explain", _do.explain, "building it", "explain when a pipeline emits panes")
    explain.add_argument(
        "pipeline", help="module:function that has DataFrames as parameters and returns an Output"
    )
    explain.add_argument(
        "--schema",
        action="append",
        required=True,
        help="columns of its rows, as in CREATE TABLE; NAME=SCHEMA for each of several streams",
    )
    return parser


def _checkpoint(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("checkpoint", help="folder of a query's checkpoint")
