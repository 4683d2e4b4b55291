"""The parts of pages that the build of the site makes from data, because they are long lists.

``<!-- made: growth -->`` in a page is replaced by tables. The data is in the checkout, and the text
of the page has a link to it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import bench_report  # noqa: E402  modules of this folder and of scripts
import coverage  # noqa: E402
import growth  # noqa: E402
import mutant_sides  # noqa: E402
import mutants  # noqa: E402

_MADE = re.compile(r"^<!-- made: (\w+) -->$", re.MULTILINE)
#: The makers of tables, and the files that they read.
_TABLES: dict[str, tuple[Callable[[], str], list[Path]]] = {
    "benchmarks": (bench_report.tables, [bench_report.DATA]),
    "coverage": (coverage.tables, [coverage.DATA]),
    "growth": (growth.tables, [growth.DATA]),
    "mutants": (mutants.tables, [mutants.RESULTS, *(side.toml for side in mutant_sides.SIDES)]),
}


def filled(page: str) -> str:
    """Return a page with the tables in the place of their comments."""
    return _MADE.sub(lambda found: _TABLES[found[1]][0](), page)


def files(page: str) -> Iterator[str]:
    """Yield the files from which the tables of a page are made."""
    for name in _MADE.findall(page):
        yield from map(str, _TABLES[name][1])
