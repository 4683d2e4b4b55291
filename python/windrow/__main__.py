"""The command line: ``windrow verify FOLDER``, or ``python -m windrow verify FOLDER``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from windrow.errors import WindrowError
from windrow.verifying import verify

_UNREADABLE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0: all is well, 1: it is not, 2: that could not be told."""
    parser = argparse.ArgumentParser(prog="windrow", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    verifying = commands.add_parser(
        "verify", help="say which files of a checkpoint are not as they were written"
    )
    verifying.add_argument("checkpoint", help="folder of a query's checkpoint")
    verifying.add_argument(
        "--output", action="append", default=[], help="folder that Spark's file sink writes for it"
    )
    verifying.add_argument("--deep", action="store_true", help="each value of windrow's state too")
    said = parser.parse_args(arguments)
    try:
        found = verify(said.checkpoint, outputs=said.output, deep=said.deep)
    except WindrowError as refused:
        print(refused, file=sys.stderr)  # noqa: T201
        return _UNREADABLE
    print(found)  # noqa: T201
    return 0 if found.ok else 1


if __name__ == "__main__":
    sys.exit(main())
