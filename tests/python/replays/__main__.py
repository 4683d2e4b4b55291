"""``scripts/replay FILE --engine python --check``: runs a transcript through the operators."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from replays import run


def main() -> int:
    """Print the differences; return 1 if there are any."""
    parser = argparse.ArgumentParser(prog="replay")
    parser.add_argument("file", type=Path)
    parser.add_argument("--engine", choices=["python"], required=True)
    parser.add_argument(
        "--check", action="store_true", required=True, help="the only thing it does"
    )
    report = run.report(parser.parse_args().file)
    sys.stdout.write(f"{report}\n")
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
