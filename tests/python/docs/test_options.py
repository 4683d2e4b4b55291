"""The page of options is what the checks of a query accept. ``WINDROW_WRITE=1`` writes it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from programs import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

_NONE = "\u2013"
PAGE = ROOT / "docs/reference/options.md"
_TABLE = re.compile(r"(?<=<!-- options -->\n\n)(?:\|[^\n]*\n)+|(?<=<!-- options -->\n)(?=\n## )")

#: Each kind, and the options without which it is not valid.
KINDS: dict[str, tuple[wr.WindowKind, set[str]]] = {
    "Tumbling": (wr.Tumbling("1 minute"), {"lateness"}),
    "Tumbling with zone": (wr.Tumbling("1 day", zone="UTC"), {"lateness"}),
    "Hopping": (wr.Hopping("1 minute", step="30 seconds"), {"lateness"}),
    "Sliding": (wr.Sliding("1 minute"), {"lateness"}),
    "Over": (wr.Over(range="1 minute"), {"lateness"}),
    "Session": (wr.Session("1 minute"), {"lateness"}),
    "Session with maxLength": (wr.Session("1 minute", maxLength="1 hour"), {"lateness"}),
    "Count": (wr.Count(2), set()),
    "OffsetRange": (wr.OffsetRange(2), {"rowId"}),
    "OffsetSession": (wr.OffsetSession(gap=2), {"rowId"}),
    "Global": (wr.Global(), {"early", "ACCUMULATING"}),
    "Inherit": (wr.Inherit(), {"lateness"}),
    "Policy": (wr.Policy.tumbling(wr.ByCount(2)), set()),
}

#: Each option, and the other ones that it may need.
OPTIONS: dict[str, list[set[str]]] = {
    "lateness": [set(), {"ACCUMULATING"}],
    "retain(time=…)": [set()],
    "rowId": [set()],
    "early": [{"ACCUMULATING"}, set()],
    "onTime=False": [{"early", "ACCUMULATING"}],
    "late": [{"ACCUMULATING"}, set()],
    "skipUnchanged": [{"ACCUMULATING"}, {"early", "ACCUMULATING"}, set()],
    "closeOn='next_row'": [set(), {"ACCUMULATING"}],
    "fillGaps": [set(), {"ACCUMULATING"}],
    "fillGaps('previous')": [set(), {"ACCUMULATING"}],
    "DISCARDING": [set()],
    "ACCUMULATING": [set()],
    "ACCUMULATING_AND_RETRACTING": [set()],
    "keepRows()": [{"retain(time=…)"}, {"retain(time=…)", "DISCARDING"}],
}


MODES = {"DISCARDING", "ACCUMULATING", "ACCUMULATING_AND_RETRACTING"}


def having(base: set[str], more: set[str]) -> set[str]:
    """Return options with some more; a mode replaces another one."""
    return (base - MODES if more & MODES else base) | more


def minutes(df: DataFrame) -> DataFrame:
    """Return panes, which are the input of ``Inherit``."""
    stream = wr.stream(df, time="time", key="product", watermark="0 seconds")
    windowed = stream.lateness("0 seconds").window(wr.Tumbling("1 minute"))
    return windowed.aggregate(F.count("*").alias("n")).panes


def problems(df: DataFrame, kind: wr.WindowKind, options: set[str]) -> list[str]:
    """Return the codes of the problems of a query."""
    # Columns with the names that Kafka uses are an identity even if none is stated.
    known = wr.RowId(source="source", partition="part", offset="number")
    identity = known if "rowId" in options else None
    given: dict[str, Any] = {"watermark": "0 seconds", "rowId": identity}
    try:
        if isinstance(kind, wr.Inherit):
            stream = wr.stream(minutes(df), name="all", rowId=identity)
        else:
            stream = wr.stream(df, time="time", key="product", **given)
        if "lateness" in options:
            allowed = 10 if isinstance(kind, wr.OffsetRange) else "1 minute"
            is_short = not options & MODES
            nothing = 0 if isinstance(kind, wr.OffsetRange) else "0 seconds"
            stream = stream.lateness(nothing if is_short else allowed)
        if "retain(time=…)" in options:
            stream = stream.retain(time="1 day")
        close: Any = "next_row" if "closeOn='next_row'" in options else "watermark"
        gaps = "1 day" if "fillGaps" in options else False
        windowed = stream.window(kind, closeOn=close, fillGaps=gaps)
        if "fillGaps('previous')" in options:
            windowed = windowed.fillGaps("previous", atMost="1 day")
        windowed = windowed.trigger(
            early=wr.EachBatch() if "early" in options else None,
            onTime="onTime=False" not in options,
            late=wr.EachMessage() if "late" in options else None,
            skipUnchanged="skipUnchanged" in options,
        )
        for mode in options & MODES:
            windowed = windowed.accumulationMode(getattr(wr, mode))
        made: Callable[[], wr.Output] = windowed.keepRows
        if "keepRows()" not in options:
            made = lambda: windowed.aggregate(F.count("*").alias("n"))  # noqa: E731
        made().output  # noqa: B018  plans the query, which checks it against the columns
    except wr.SpecError as refused:
        return sorted({problem.code for problem in refused.problems})
    return []


def row(df: DataFrame, option: str) -> list[str]:
    """Return the row of an option."""
    accepted: list[str] = []
    required: list[str] = []
    refused: dict[str, list[str]] = {}
    wrong: list[tuple[str, str]] = []
    for name, (kind, base) in KINDS.items():
        if option in base:
            required.append(name)
            if not problems(df, kind, base - {option}):
                wrong.append((name, option))
            continue
        found = [problems(df, kind, having(base, {option, *more})) for more in OPTIONS[option]]
        if [] in found:
            accepted.append(name)
        else:
            codes = ", ".join(f"[`{c}`](../errors.md#{c.lower()})" for c in min(found, key=len))
            refused.setdefault(codes, []).append(name)
    assert not wrong, "these options are not required"
    told = "; ".join(f"{', '.join(names)}: {codes}" for codes, names in refused.items())
    cells = (", ".join(accepted), ", ".join(required), told)
    return [f"`{option}`", *(cell or _NONE for cell in cells)]


@pytest.mark.full
def test_options(spark: SparkSession, tmp_path: Path) -> None:
    """Each kind accepts, requires, or refuses each option as the page states."""
    schema = "time timestamp, product string, source string, part int, number bigint"
    df = spark.readStream.schema(schema).json(str(tmp_path))
    for name, (kind, base) in KINDS.items():
        assert problems(df, kind, base) == [], name
    head = ["option", "accepted by", "required by", "refused by"]
    rows = [head, ["---"] * 4, *(row(df, option) for option in OPTIONS)]
    made = "".join(f"| {' | '.join(one)} |\n" for one in rows)
    page = PAGE.read_text(encoding="utf-8")
    written = _TABLE.sub(lambda _: made if "\n|" in page else f"\n{made}", page)
    if os.environ.get("WINDROW_WRITE"):
        PAGE.write_text(written, encoding="utf-8")
    assert written == page
