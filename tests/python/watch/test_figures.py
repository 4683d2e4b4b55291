"""Batch figures and statuses computed from recorded progress, and their texts."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import windrow as wr
from windrow import watching
from windrow._watching import _words
from windrow._watching._screens import panel
from windrow.figures import figures, operators

PROGRESS = Path(__file__).with_name("progress")


def recorded(name: str) -> list[dict[str, Any]]:
    """Return the recorded progress of a real query, batch by batch."""
    text = (PROGRESS / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


class Ended:
    """A query that has ended."""

    def __init__(self, progress: list[dict[str, Any]], error: str | None = None) -> None:
        """Create a query with this progress and this error."""
        self.recentProgress = progress
        self.isActive = False
        self.runId = "none"
        self.error = error

    def exception(self) -> Exception | None:
        """Return the error that ended the query."""
        return None if self.error is None else ValueError(self.error)


def seen(name: str, error: str | None = None) -> wr.Status:
    """Return the status of a recorded query."""
    return wr.status(Ended(recorded(name), error))  # type: ignore[arg-type]


def test_no_open_window_is_a_number_too() -> None:
    """Zero open windows is a known number, which differs from unknown (SEMANTICS S16)."""
    progress = recorded("minutes")[-1]
    progress["observedMetrics"] = {
        "windrow_minutes": {"open_windows": 0, "open_windows_change": None}
    }
    assert figures(progress).openWindows == {"minutes": 0}
    assert figures(progress).openChange == {}


def test_names_with_slashes() -> None:
    """A slash in an operator's name is escaped, as it separates parts of metric names (R74)."""
    progress = recorded("minutes")[-1]
    progress["observedMetrics"] = {
        "windrow_a": {"accepted": 1, "open_windows": 4},
        "windrow_a/read": {"read": 1},
        "windrow_a%2Fb%25": {"accepted": 2, "open_windows": 5},
        "windrow_a%2Fb%25/read": {"read": 2},
    }
    found = {name: dict(counts) for name, counts in operators(progress).items()}
    assert found["windrow_a"] == {"accepted": 1, "read": 1}
    assert found["windrow_a/b%"] == {"accepted": 2, "read": 2}
    assert figures(progress).openWindows == {"a": 4, "a/b%": 5}


def test_of_a_batch() -> None:
    """A batch's figures contain fates, timings, times, state and the parts of the batch."""
    last = figures(recorded("minutes")[-1])
    assert (last.query, last.batch) == ("minutes", 3)
    assert (last.read, last.accepted, last.rejected) == (3, 1, 2)
    assert last.reasons == {"INVALID_TIME": 1, "TOO_LATE": 1}
    assert (last.panes, last.early, last.onTime, last.late, last.withdrawn) == (2, 0, 1, 1, 0)
    assert last.watermark == datetime(2025, 1, 1, 9, 2, 20, tzinfo=UTC)
    assert last.newest == datetime(2025, 1, 1, 9, 0, 50, tzinfo=UTC)
    assert last.behind == timedelta(seconds=-90)
    assert [source.rows for source in last.sources] == [3]
    assert last.stateBytes > 10**6
    assert last.batchMs >= sum(last.parts.values()) * 0.9
    assert {"addBatch", "queryPlanning"} < last.parts.keys()
    assert "triggerExecution" not in last.parts


def test_memory_of_a_batch_with_a_snapshot() -> None:
    """The memory is that of before the micro-batch if RocksDB then wrote it to files (R74)."""
    progress = recorded("minutes")
    memory = [2_000, 1_000_000, 1_000_000, 2_000]
    found, of = [], wr.Status()
    for batch, size in zip(progress, memory, strict=True):
        batch["stateOperators"][0]["memoryUsedBytes"] = size
        of = of.after(batch)
        found.append(of.stateBytes)
    assert found == [2_000, 1_000_000, 1_000_000, 1_000_000]
    assert "1 MB in memory" in str(of)
    again = of.after({**progress[0], "runId": "another"})  # RocksDB is opened again
    assert again.stateBytes == 2_000


def test_before_there_is_a_watermark() -> None:
    """A watermark of 1970 from Spark is treated as missing."""
    first = figures(recorded("minutes")[0])
    assert first.watermark is None
    assert first.behind is None


def test_backlog_of_kafka() -> None:
    """Kafka's source reports the number of offsets that are not read yet."""
    progress = recorded("minutes")[-1]
    progress["sources"][0]["metrics"] = {"maxOffsetsBehindLatest": "1200"}
    assert figures(progress).sources[0].waiting == 1200
    assert "1,200 offsets not yet read" in str(wr.Status().after(progress))


def test_batches_add_up() -> None:
    """A status adds up each batch once, even if Spark reports it twice."""
    progress = recorded("minutes")
    of = wr.status(Ended(progress + progress))  # type: ignore[arg-type]
    assert of == seen("minutes")
    assert of.batches == 4
    assert (of.totals["read"], of.totals["accepted"], of.totals["TOO_LATE"]) == (7, 5, 1)
    assert (of.totals["onTime"], of.totals["late"]) == (2, 1)
    assert of.newest == datetime(2025, 1, 1, 9, 2, 30, tzinfo=UTC)
    assert of.behind == timedelta(seconds=10)
    again = [{**batch, "runId": "another"} for batch in progress]
    both = wr.status(Ended(progress + again))  # type: ignore[arg-type]
    assert (both.batches, both.totals["read"]) == (8, 14)  # a second run of the query


def test_counts_of_an_operator_add_up() -> None:
    """Each operator has the counts of all batches, which decide why it emits nothing (R74)."""
    of = seen("minutes")
    (counts,) = of._operators.values()
    assert counts["read"] == of.read == 7
    assert counts["accepted"] == of.accepted == 5


def test_open_windows() -> None:
    """Open windows are shown from the first batch on or once all shards report, else omitted."""
    progress = recorded("minutes")
    for batch, (all_, change) in zip(
        progress, [(None, 2), (None, 3), (7, -1), (None, 5)], strict=True
    ):
        batch["observedMetrics"]["windrow_messages"] = {
            "open_windows": all_,
            "open_windows_change": change,
        }
    of = wr.Status()
    told = [dict((of := of.after(batch)).openWindows) for batch in progress]
    assert told == [{"messages": count} for count in (2, 5, 7, 12)]
    assert dict(_words.rows(of))["open"] == "12 windows"
    late = wr.Status()
    assert [(late := late.after(batch)).openWindows for batch in progress[1:]] == [{}, *told[2:]]
    progress[3]["observedMetrics"]["windrow_messages"]["open_windows_change"] = None
    assert wr.Status().after(progress[3]).openWindows == {}


def test_texts_of_a_status() -> None:
    """Lines, notebook and terminal show the same names and texts."""
    of = seen("minutes")
    said = dict(_words.rows(of))
    assert said["query"] == "minutes, ended, batch 3"
    assert said["rejected"] == "2 (INVALID_TIME 1, TOO_LATE 1)"
    assert said["panes"] == "2 on time, 1 late"
    assert said["watermark"] == "2025-01-01 09:02:20, 10 s behind the newest event time"
    assert "addBatch" in said["batch"]
    assert "shards" in said["batch"]
    for text in said.values():
        assert text in str(of)
        assert text in of._repr_html_()


def test_terminal() -> None:
    """The terminal panel shows all lines."""
    from rich.console import Console

    console = Console(width=150, file=io.StringIO(), force_terminal=True, color_system=None)
    with console.capture() as drawn:
        console.print(panel(seen("minutes", "away")))
    for name, text in _words.rows(seen("minutes", "away")):
        assert re.search(rf"{name} .*{re.escape(text)}", drawn.get())


def test_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook displays the first status and updates it with the next ones."""
    shown: list[tuple[str, wr.Status]] = []

    def display(first: wr.Status, *, display_id: bool) -> Any:
        assert display_id
        shown.append(("display", first))
        return SimpleNamespace(update=lambda later: shown.append(("update", later)))

    kernel = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    wr.watch(Running(), every="1 ms")  # type: ignore[arg-type]
    assert [how for how, _ in shown] == ["display", "update"]
    assert [of.batches for _, of in shown] == [4, 4]
    assert "minutes, running" in shown[0][1]._repr_html_()


def test_terminal_without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without rich, the error names the package to install."""
    from windrow._watching import _screens

    monkeypatch.setitem(sys.modules, "rich.live", None)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    with pytest.raises(wr.WindrowError, match=r"\[RICH_MISSING\].*pip install 'windrow\[watch\]'"):  # noqa: SIM117
        with _screens.screen():
            pass


def test_a_source_without_rows_is_named() -> None:
    """A source without rows is named if there are several, as the watermark may wait for it."""
    of = seen("join")
    quiet = {name.rpartition("/")[2].rstrip("]"): count for name, count in of.quiet.items()}
    assert quiet == {"a": 0, "b": 2}
    said = [text for name, text in _words.rows(of) if name == "source"]
    assert len(said) == 1
    assert "no rows for 2 batches: the watermark may be waiting for it" in said[0]
    assert ("rows", "1") in _words.rows(of)
    assert "panes" not in dict(_words.rows(of))


def test_panes_after_emitted_rows_are_shown() -> None:
    """A chain of an operator that emits rows and one that emits panes shows both."""
    of = seen("minutes")
    both = wr.Status(totals={**of.totals, "rows": 4}, last=of.last)
    shown = dict(_words.rows(both))
    assert (shown["rows"], shown["panes"]) == ("4", "2 on time, 1 late")


def test_a_watermark_that_is_not_behind() -> None:
    """A watermark that equals the newest event time is shown as 0 ms behind."""
    progress = recorded("minutes")[-1]
    progress["eventTime"]["max"] = progress["eventTime"]["watermark"]
    assert "2025-01-01 09:02:20, 0 ms behind" in str(wr.Status().after(progress))


def test_a_status_before_the_first_batch() -> None:
    """A query before its first batch has a status, and so has one that fails there."""
    assert str(wr.Status()) == "query  no batch yet"
    assert "ended before its first batch" in str(wr.status(Ended([])))  # type: ignore[arg-type]
    assert "the sink is away" in str(wr.status(Ended([], "the sink is away")))  # type: ignore[arg-type]


def test_other_queries_count_nothing() -> None:
    """A trigger without rows and without Windrow does not count as a batch."""
    progress = {**recorded("minutes")[0], "observedMetrics": {}, "numInputRows": 0}
    assert wr.Status().after(progress) == wr.Status()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            "[STREAM_FAILED] Query [id = a, runId = b] terminated with exception: gone\nat x",
            "gone",
        ),
        (
            "Return Message: Traceback (most recent call last):\n"
            '  File "x.py", line 1, in boom\n    raise ValueError\nValueError: the sink is away\n',
            "ValueError: the sink is away",
        ),
        (
            "[STREAM_FAILED] Query [id = a] terminated with exception: Job aborted: "
            "[NOT_POSITIVE] rows is 0. It must be 1 or more.\n\nJVM stacktrace:\nat x",
            "[NOT_POSITIVE] rows is 0. It must be 1 or more.",
        ),
        ("", ""),
    ],
)
def test_errors_are_shown_in_a_sentence(error: str, said: str) -> None:
    """An error is shown as one sentence without a trace: Windrow's, the function's or Spark's."""
    assert watching._first(error) == said


def test_lines_of_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    """A pipe gets one line for each batch and one for the end."""
    wr.watch(Ended(recorded("minutes")))  # type: ignore[arg-type]
    *batches, last = capsys.readouterr().out.splitlines()
    assert [f"batch {n}:" in line for n, line in enumerate(batches)] == [True] * 4
    assert "panes 2 (1 on time, 1 late), rejected 2 (INVALID_TIME 1, TOO_LATE 1)" in batches[3]
    assert last == "ended"
    wr.watch(Ended([], "gone"))  # type: ignore[arg-type]
    assert capsys.readouterr().out == "gone\n"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.25, "250 ms"), (-90, "-1 min 30 s"), (59.5, "59.5 s"), (3600, "1 h"), (90061, "1 d 1 h")],
)
def test_lengths_of_time(seconds: float, said: str) -> None:
    """A time span is shown in at most two units."""
    assert _words.span(timedelta(seconds=seconds)) == said


class Running:
    """A running query that receives Ctrl-C at the second look."""

    isActive = True  # noqa: N815  Spark's name
    runId = "none"  # noqa: N815

    def __init__(self) -> None:
        """Create a query that was not looked at yet."""
        self.looked = 0

    @property
    def recentProgress(self) -> Iterator[dict[str, Any]]:  # noqa: N802
        """Yield all batches; the second time, the signal arrives in the middle."""
        self.looked += 1
        for number, progress in enumerate(recorded("minutes")):
            if self.looked == 2 and number == 1:
                os.kill(os.getpid(), signal.SIGINT)
            yield progress


def test_interrupt_ends_the_watching_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C ends only the watching, and restores the previous signal handler.

    No call to Spark is interrupted.
    """
    before = signal.getsignal(signal.SIGINT)
    query = Running()
    wr.watch(query, every="1 ms")  # type: ignore[arg-type]
    assert query.looked == 2
    assert signal.getsignal(signal.SIGINT) is before
    assert "ended" not in capsys.readouterr().out


def test_interrupt_while_waiting() -> None:
    """Ctrl-C during a wait takes effect at once."""
    with watching._interruptible() as waiting:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        assert waiting.wait(60)


def test_every_is_a_duration() -> None:
    """``every`` must be a duration."""
    with pytest.raises(wr.SpecError, match=r"\[DURATION_WITHOUT_UNIT\] watch\(every=2\)"):
        wr.watch(Ended([]), every=2)  # type: ignore[arg-type]


def test_lines_of_a_log_are_json() -> None:
    """A log line is JSON with times as ISO text."""
    from dataclasses import asdict

    text = watching._as_json("batch", asdict(figures(recorded("minutes")[-1])))
    said = json.loads(text)
    assert said["event"] == "batch"
    assert said["watermark"] == "2025-01-01T09:02:20+00:00"
    assert said["reasons"] == {"INVALID_TIME": 1, "TOO_LATE": 1}
    assert logging.getLogger("windrow").name == "windrow"


def test_sizes_in_three_digits() -> None:
    """Sizes are shown with three digits, also if they are rounded up to the next unit."""
    said = [_words.size(count) for count in (999, 1000, 123_456, 999_499, 999_950)]
    assert said == ["999 bytes", "1 kB", "123 kB", "999 kB", "1 MB"]
