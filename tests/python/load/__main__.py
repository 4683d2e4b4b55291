"""Load: real queries in a limited heap.

Prints a table for each case; exits with 1 if a guarantee is broken.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias, TypeVar

from load import gone, large, steady
from load.kinds import KINDS
from load.session import session

#: A row of a table, and whether it keeps the guarantee.
Row: TypeAlias = tuple[tuple[str, ...], bool]


def _large(columns: str) -> Callable[[argparse.Namespace, Path], Iterator[Row]]:
    cases = {"keys": large.KEYS, "giant": large.GIANT, "endless": large.ENDLESS}[columns]
    make = large.keys if columns == "keys" else large.giant
    size = 1_000_000 if columns == "keys" else 10_000_000

    def rows(said: argparse.Namespace, folder: Path) -> Iterator[Row]:
        spark = session(folder, said.heap, 100)
        for one in large.done(folder, _chosen(cases, said), make(spark, said.size or size)):
            yield (
                (
                    one.kind,
                    f"{one.messages:,}",
                    f"{one.found:,} of {one.wanted:,}",
                    f"{one.seconds:,.0f}",
                    _mega(one.peak),
                    f"{one.calls[0]:,.1f}, {one.calls[1]:,.1f}",
                    f"{one.moved[0]:,.0f}, {one.moved[1]:,.0f}",
                ),
                one.found == one.wanted and not (one.grows and columns != "keys"),
            )

    return rows


def _jump(said: argparse.Namespace, folder: Path) -> Iterator[Row]:
    names = tuple(_chosen({n: n for n in KINDS if n not in gone.UNTOLD}, said))
    spark = session(folder, said.heap, 100)
    for one in gone.jumped(spark, folder, names, said.size or 10_000, 1_000):
        shown = f"{one.found[0]:,} of {one.wanted[0]:,}"
        yield (one.kind, shown, f"{one.seconds:,.0f}", _mega(one.peak)), one.found == one.wanted


def _empty(said: argparse.Namespace, folder: Path) -> Iterator[Row]:
    names = tuple(_chosen({n: n for n in KINDS if n not in gone.STAYS}, said))
    spark = session(folder, said.heap, 100)
    for one in gone.left(spark, folder, names, said.size or 10_000):
        counts = (f"{before:,}, {bytes_:,}" for before, bytes_ in (one.empty, one.full, one.end))
        yield (one.kind, *counts), one.is_gone


def _steady(said: argparse.Namespace, folder: Path) -> Iterator[Row]:
    if not said.told:
        spark = session(folder, said.heap, 10, touched=True)
        steady.steady(spark, folder, tuple(_chosen(KINDS, said)), said.hours, said.log)
    yield from steady.told(said.log)


T = TypeVar("T")


def _chosen(all_of: Mapping[str, T], said: argparse.Namespace) -> Mapping[str, T]:
    return {name: one for name, one in all_of.items() if not said.kinds or name in said.kinds}


def _mega(size: int) -> str:
    return f"{size >> 20:,}"


_LARGE = (
    *("kind", "messages", "came out", "s", "peak MB"),
    *("calls of the store per 1,000 messages: early, late", "bytes per message: early, late"),
)
CASES: Mapping[str, tuple[tuple[str, ...], Callable[..., Iterator[Row]]]] = {
    "keys": (_LARGE, _large("keys")),
    "giant": (_LARGE, _large("giant")),
    "endless": (_LARGE, _large("endless")),
    "jump": (("kind", "came out", "s", "peak MB"), _jump),
    "empty": (("kind", "values and bytes: empty", "full", "left"), _empty),
    "steady": (("kind", "batches", *steady.MEASURED), _steady),
}


def main() -> int:
    """Run the cases, each in a process of its own."""
    parser = argparse.ArgumentParser(prog="scripts/load", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--size", type=int, help="keys, messages, or rows of a batch")
    parser.add_argument("--kinds", type=lambda text: text.split(";"), help="only these: a;b")
    parser.add_argument("--heap", default="2g", help="of the driver")
    parser.add_argument("--hours", type=float, default=2.0, help="of steady")
    parser.add_argument("--log", type=Path, default=Path("load-steady.log"), help="of steady")
    parser.add_argument("--told", action="store_true", help="steady: only what the log has")
    said = parser.parse_args()
    cases = said.cases or list(CASES)
    if unknown := set(cases) - set(CASES):
        parser.error(f"no case {', '.join(sorted(unknown))}: there are {', '.join(CASES)}")
    if len(cases) > 1:
        rest = [word for word in sys.argv[1:] if word not in cases]
        ended = [subprocess.run([sys.executable, "-m", "load", one, *rest]) for one in cases]  # noqa: PLW1510
        return int(any(one.returncode for one in ended))
    columns, rows = CASES[cases[0]]
    _say("")
    _say(f"| {cases[0]}: {' | '.join(columns)} | |")
    _say("|---" * (len(columns) + 1) + "|")
    broken = 0
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        for row, is_kept in rows(said, Path(folder)):
            broken += not is_kept
            _say(f"| {' | '.join(row)} | {'' if is_kept else 'BROKEN'} |")
    _say(f"{cases[0]}: {broken or 'nothing'} broken, heap {said.heap}")
    return int(broken > 0)


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
