"""The picture of panes: its contents for every source of rows and every value."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from windrow import timelines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NINE = datetime(2025, 1, 1, 9)  # noqa: DTZ001  as Spark returns them


def pane(start: int, timing: str, index: int, price: object, **more: Any) -> dict[str, Any]:
    """Return a pane of the minute that starts so many minutes after nine, with a batch if given."""
    bounds = [_NINE + timedelta(minutes=start + n) for n in (0, 1)]
    return {
        "product": more.pop("product", "tea"),
        "window": dict(zip(("start", "end"), bounds, strict=True)),
        "price": price,
        "pane": {
            "timing": timing,
            "index": index,
            "is_last": False,
            "is_retraction": more.pop("withdrawn", False),
        },
        **more,
    }


def rejected(reason: str, time: datetime | None, **message: object) -> dict[str, Any]:
    """Return a row as in ``Output.rejected``."""
    return {"stream": "m", "reason": reason, "message": {"time": time, **message}}


CORRECTED = [pane(0, "ON_TIME", 0, 3.0), pane(1, "ON_TIME", 0, 6.0), pane(0, "LATE", 1, 5.0)]


def parsed(picture: wr.Picture) -> ET.Element:
    """Parse the picture as XML without name spaces."""
    root = ET.fromstring(picture.svg)  # noqa: S314  our own
    for one in root.iter():
        one.tag = one.tag.partition("}")[2]
    return root


def of_class(picture: wr.Picture, name: str) -> list[ET.Element]:
    """Return the elements of a class."""
    return [one for one in parsed(picture).iter() if one.get("class") == name]


def timings(picture: wr.Picture) -> Counter[str | None]:
    """Count the bars by their timing."""
    return Counter(one.get("data-timing") for one in of_class(picture, "pane"))


def lines(picture: wr.Picture) -> list[str | None]:
    """Return the lines below the picture."""
    return [one.text for one in of_class(picture, "line")]


def test_a_correction_is_listed() -> None:
    """A correction is described with its window, both values, and the batch from ``Files``."""
    picture = wr.timeline([{**one, "batch": n} for n, one in enumerate(CORRECTED)])
    assert timings(picture) == {"on time": 2, "late": 1}
    assert lines(picture) == ["tea 09:00 to 09:01: 3 → 5 (batch 2)"]
    assert "3 panes of 2 windows, 1 corrected" in picture.svg


def test_values_that_hold_no_more_are_struck_through() -> None:
    """Superseded values are struck through, except in discarding panes, which hold new parts."""
    struck = [e.text for e in parsed(wr.timeline(CORRECTED)).iter("text") if e.get("opacity")]
    assert "3" in struck
    assert "6" not in struck
    parts = wr.timeline(CORRECTED, accumulationMode=wr.DISCARDING)
    assert "line-through" not in parts.svg
    assert lines(parts) == ["tea 09:00 to 09:01: 3, then 5 more"]


def test_order_of_rows_does_not_count() -> None:
    """The order of rows is irrelevant: panes are sorted by index, with retractions after panes."""
    retracted = [*CORRECTED, pane(0, "ON_TIME", 0, 3.0, withdrawn=True)]
    forth, back = (wr.timeline(rows) for rows in (retracted, retracted[::-1]))
    assert forth.svg == back.svg
    assert lines(forth) == ["tea 09:00 to 09:01: 3 → 5"]


def test_withdrawn_windows() -> None:
    """The bar of a withdrawn session is struck through, and a line mentions it."""
    panes = [pane(0, "ON_TIME", 0, 3), pane(0, "ON_TIME", 0, 3, withdrawn=True)]
    picture = wr.timeline(panes)
    assert timings(picture) == {"on time": 1, "withdrawn": 1}
    assert lines(picture) == ["tea 09:00 to 09:01: 3 withdrawn"]


def test_early_panes_are_not_corrections() -> None:
    """An early pane is not a correction."""
    assert lines(wr.timeline([pane(0, "EARLY", 0, 1), pane(0, "ON_TIME", 1, 2)])) == []


def test_rejected_rows_stand_on_the_axis() -> None:
    """Rejected rows are drawn on the axis with their reason.

    Distant rows are at its end with their time, and rows without a time are listed as text.
    """
    before = _NINE - timedelta(hours=2)
    inside = [_NINE + timedelta(seconds=s) for s in (30, 30, 90)]
    rows = [rejected("TOO_LATE", at) for at in (before, *inside)]
    picture = wr.timeline(CORRECTED, rejected=[*rows, rejected("INVALID_TIME", None)])
    said = [one.find("text") for one in of_class(picture, "rejected")]
    assert [one.text for one in said if one is not None] == [
        "← 07:00 TOO_LATE",
        "TOO_LATE \u00d72",
        "TOO_LATE",
    ]
    assert lines(picture)[-1] == "Rejected rows without an event time, not drawn: INVALID_TIME 1."


def test_time_of_rejected_rows_is_stated_where_messages_have_several() -> None:
    """If rejected rows have several times, they are drawn only with ``time=``."""
    row = rejected("TOO_LATE", _NINE, sent=_NINE)
    assert len(of_class(wr.timeline(CORRECTED, rejected=[row]), "rejected")) == 0
    assert len(of_class(wr.timeline(CORRECTED, rejected=[row], time="time"), "rejected")) == 1


@given(st.text(max_size=20))
def test_hostile_texts_are_texts(text: str) -> None:
    """For any text in keys, values and rows, the picture is XML without other elements."""
    row = pane(0, "ON_TIME", 0, text, product=text)
    refused = rejected(text, _NINE, note=text)
    picture = wr.timeline([row], rejected=[refused])
    assert {one.tag for one in parsed(picture).iter()} <= {
        *("svg", "g", "text", "title", "path", "rect", "line"),
    }


def test_markup_in_keys_is_shown_as_it_is() -> None:
    """Markup in keys is shown as text, never as an element or a handler."""
    evil = "<script>alert(1)</script>"
    picture = wr.timeline([pane(0, "ON_TIME", 0, '"/><a href="x">', product=evil)])
    assert "<script" not in picture.svg
    assert "<a " not in picture.svg
    assert evil in "".join(parsed(picture).itertext())


@pytest.mark.parametrize(
    ("window", "said"),
    [
        ({"first": 0, "last": 2}, "0 to 2"),
        ({"source": "t", "partition": 1, "first": 10, "last": 19}, "10 to 19"),
        ({"number": 3}, "3 to 3"),
        ({"start": _NINE, "last": _NINE}, "2025-01-01 09:00"),
        ({"start": None, "end": None}, "all"),
    ],
)
def test_every_form_of_window(window: dict[str, Any], said: str) -> None:
    """Every form of window is drawn: positions, partitions, numbers, closed ends, global."""
    picture = wr.timeline([{**pane(0, "ON_TIME", 0, 1), "window": window}])
    assert said in "".join(parsed(picture).itertext())


def test_many_keys_and_rows_are_counted() -> None:
    """A picture of many rows stays small and counts the rest; corrected keys are in it."""
    panes = [pane(n % 60, "ON_TIME", 0, 1, product=f"k{n // 60}") for n in range(6000)]
    picture = wr.timeline([pane(0, "LATE", 1, 2, product="k99"), *panes])
    assert "69 more keys are not drawn." in " ".join(map(str, lines(picture))).lower()
    assert lines(picture)[-1] == "Only the first 5,000 rows are drawn."
    few = wr.timeline([*panes[:2000], pane(0, "LATE", 1, 2, product="k30")])
    assert "k30" in "".join(parsed(few).itertext())
    assert len(few.svg) < 2_000_000


def test_nothing() -> None:
    """A picture without panes is valid."""
    assert "0 panes of 0 windows" in wr.timeline([]).svg


def test_tables_of_pandas_and_arrow() -> None:
    """Tables of pandas and Arrow have the same picture as the same rows."""
    import pandas as pd
    import pyarrow as pa

    plain = wr.timeline(CORRECTED).svg
    assert wr.timeline(pd.DataFrame(CORRECTED)).svg == plain
    assert wr.timeline(pa.Table.from_pylist(CORRECTED)).svg == plain
    assert wr.timeline([pane(0, "ON_TIME", 0, 1) | {"window": CORRECTED[0]["window"]}]).svg


def test_rows_that_are_not_panes_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are not panes are refused, with their columns and the expected ones."""
    with pytest.raises(wr.SpecError, match=r"\[ROWS_NOT_DRAWABLE\] .*rows of a, b"):
        wr.timeline([{"a": 1, "b": 2}])
    with pytest.raises(wr.SpecError, match=r"rejected has rows of product, window"):
        wr.timeline(CORRECTED, rejected=CORRECTED)
    with pytest.raises(TypeError, match=r"accumulationMode=...\) must be AccumulationMode"):
        wr.timeline(CORRECTED, accumulationMode="DISCARDING")  # type: ignore[arg-type]
    monkeypatch.setattr(timelines, "active_session", lambda: None)
    with pytest.raises(wr.SpecError, match="NO_SESSION"):
        wr.timeline("minutes")


def test_files_stand_alone(tmp_path: Path) -> None:
    """A saved file supports light and dark mode, and a picture in a page uses the page's color."""
    picture = wr.Tumbling("1 hour").plot([datetime(2025, 1, 1, 9, tzinfo=UTC)])
    picture.save(tmp_path / "hours.svg")
    written = (tmp_path / "hours.svg").read_text(encoding="utf-8")
    assert ET.fromstring(written)[0].tag.endswith("style")  # noqa: S314  our own
    assert "prefers-color-scheme:dark" in written
    assert "<style" not in picture.svg
    assert "currentColor" in picture.svg


@pytest.mark.slow
@pytest.mark.spark
def test_frames_and_tables(spark: SparkSession, tmp_path: Path) -> None:
    """A batch DataFrame and a view's name are accepted; a streaming DataFrame is refused."""
    frame = spark.createDataFrame(
        CORRECTED,
        "product string, window struct<start: timestamp, end: timestamp>, price double, "
        "pane struct<timing: string, index: bigint, is_last: boolean, is_retraction: boolean>",
    )
    frame.createOrReplaceTempView("minutes")
    plain = wr.timeline(CORRECTED).svg
    assert wr.timeline(frame).svg == plain
    assert wr.timeline("minutes").svg == plain
    assert wr.timeline(frame.toPandas()).svg == plain
    streaming = spark.readStream.schema("a int").json(str(tmp_path))
    with pytest.raises(wr.SpecError, match=r"streaming DataFrame"):
        wr.timeline(streaming)
