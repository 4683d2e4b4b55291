"""The command ``windrow``: its output and exit status, never with a stack trace."""

from __future__ import annotations

import io
import re
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import NOTHING, Feed, order
from windrow._bridge._doctor import Check, Report
from windrow._command import _progress, main
from windrow._running._settings import having

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


def minutes(df: DataFrame) -> wr.Output:
    """Return sums of each minute."""
    stream = wr.stream(df, time="time", key="product", watermark="0 seconds")
    windows = stream.lateness("1 hour").window(wr.Tumbling("1 minute"))
    return windows.accumulationMode(wr.ACCUMULATING).aggregate(F.sum("amount").alias("total"))


@pytest.mark.anywhere
@pytest.mark.slow
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu"])
def test_demo(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], zone: str
) -> None:
    """The demo prints the rows of the README in any zone, and writes the orders that it reads."""
    with having(spark, {"spark.sql.session.timeZone": zone}):
        assert main(["demo", "--orders", str(tmp_path / "orders")]) == 0
    batches = [file.read_text().splitlines() for file in sorted((tmp_path / "orders").iterdir())]
    assert [len(rows) for rows in batches] == [2, 1, 1, 2]
    times = [file.stat().st_mtime for file in sorted((tmp_path / "orders").iterdir())]
    assert times == sorted(set(times)), "Spark reads the oldest file first"
    said = capsys.readouterr().out
    rows = [line.split() for line in said.splitlines()]
    assert ["tea", "09:00", "to", "09:01", "3.0", "ON_TIME", "0"] in rows
    assert ["tea", "09:00", "to", "09:01", "5.0", "LATE", "1"] in rows
    assert ["TOO_LATE", "07:00:00", "1.0"] in rows


@pytest.mark.slow
@pytest.mark.anywhere
def test_a_checkpoint(feed: Feed, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The commands for a checkpoint print its state, its advice and its verification."""
    feed.add([order("09:00:10"), order("09:05:00", product="b")], NOTHING, [order("09:00:20")])
    folder = str(tmp_path / "checkpoint")
    query = minutes(feed.stream()).start(
        checkpoint=folder, panes=lambda *_: None, availableNow=True
    )
    query.awaitTermination()
    assert main(["state", folder]) == 0
    head, line, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == [
        "product",
        "window",
        "first_offset",
        "last_offset",
        "is_complete",
        "total",
    ]
    assert set(line) == {"-", " "}
    assert len(rows) == 2
    with having(feed.spark, {"spark.sql.session.timeZone": "Asia/Kathmandu"}):
        assert main(["state", folder]) == 0
    assert "2025-01-01 14:45:00 to 2025-01-01 14:46:00" in capsys.readouterr().out
    assert main(["state", folder, "pending", "--limit", "1"]) == 0
    assert "ON_TIME" in capsys.readouterr().out
    page = tmp_path / "advice.html"
    assert main(["advise", folder, "--catch", "1", "--html", str(page)]) == 0
    assert "3 rows" in capsys.readouterr().out
    assert "<svg" in page.read_text()
    assert main(["verify", folder]) == 0
    assert "complete" in capsys.readouterr().out


def test_explain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``explain`` finds a pipeline by its name, from the current folder."""
    (tmp_path / "windrow_lateness.py").write_text("LATENESS = '0 seconds'")
    (tmp_path / "windrow_told.py").write_text(
        "import sys\n"
        "import windrow as wr\n"
        "from pyspark.sql import functions as F\n"
        "sys.path.insert(0, 'of the user')\n"
        "def hours(df):\n"
        "    from windrow_lateness import LATENESS\n"
        "    s = wr.stream(df, time='time', watermark='1 minute').lateness(LATENESS)\n"
        "    return s.window(wr.Tumbling('1 hour')).aggregate(F.count('*'))\n"
    )
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    monkeypatch.setattr(sys, "path", list(before))
    assert main(["explain", "windrow_told:hours", "--schema", "time timestamp"]) == 0
    assert "1 hour" in capsys.readouterr().out
    assert sys.path == ["of the user", *before]
    assert main(["explain", "windrow_told:days", "--schema", "time timestamp"]) == 2
    assert "PIPELINE_NOT_UNDERSTOOD" in capsys.readouterr().err


def test_mistakes_are_sentences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Mistakes exit with status 2 and one sentence, without Java or Python stack frames."""
    wrong = [
        ["state", str(tmp_path)],
        ["advise", str(tmp_path)],
        ["verify", str(tmp_path / "nowhere")],
        ["explain", "json:loads", "--schema", "time timestamp"],
        ["explain", "json:loads", "--schema", "time of day"],
        ["explain", "json:loads", "--schema", "a=time timestamp", "--schema", "a=n int"],
        ["explain", "json:loads", "--schema", "time timestamp", "--schema", "n int"],
    ]
    for arguments in wrong:
        assert main(arguments) == 2, arguments
        said = capsys.readouterr().err.strip()
        assert said.startswith(("[", "windrow: "))
        assert "\tat " not in said
        assert "Traceback" not in said
        assert len(said.splitlines()) == 1, said


def test_a_folder_that_is_not_there_starts_no_spark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing folder is reported before Spark starts."""
    monkeypatch.setattr("windrow.stores._session", lambda: pytest.fail("a session was started"))
    monkeypatch.setattr("windrow.advising._session", lambda: pytest.fail("a session was started"))
    for command in ("state", "advise"):
        assert main([command, str(tmp_path / "nowhere")]) == 2
        assert "CHECKPOINT_NOT_FOUND" in capsys.readouterr().err


@pytest.mark.parametrize("limit", ["0", "-1", "many"])
def test_a_limit_is_positive(capsys: pytest.CaptureFixture[str], limit: str) -> None:
    """A limit that is not a positive integer is rejected before the checkpoint is read."""
    with pytest.raises(SystemExit) as ended:
        main(["state", "nowhere", f"--limit={limit}"])
    assert ended.value.code == 2
    assert f"'{limit}' is not a positive integer" in capsys.readouterr().err


def test_streams_of_one_name(capsys: pytest.CaptureFixture[str]) -> None:
    """Two schemas of one stream are an error, because one would be ignored."""
    assert main(["explain", "json:loads", "--schema", "a=n int", "--schema", "a=time date"]) == 2
    text = "[PIPELINE_NOT_UNDERSTOOD] More than one --schema describes a. Pass --schema NAME=SCHEMA"
    assert capsys.readouterr().err.startswith(text)


def test_doctor_starts_a_session_last(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A problem is reported before Spark starts, and a failed start is a problem, too."""
    checks = [Check("Java", "not found", "Install Java 17, or set JAVA_HOME.")]
    monkeypatch.setattr("windrow._command._do.examined", lambda _: Report(tuple(checks)))
    monkeypatch.setattr("windrow._command._do.session", lambda: pytest.fail("Spark was started"))
    assert main(["doctor", "--start"]) == 1
    assert "WRONG Java: not found" in capsys.readouterr().out

    def broken() -> None:
        text = "Java exited.\n\tat org.apache.spark"
        raise RuntimeError(text)

    checks[:] = [Check("Java", "21"), Check("session", "none in this process")]
    monkeypatch.setattr("windrow._command._do.session", broken)
    assert main(["doctor", "--start"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "ok    Java: 21",
        "WRONG session: cannot be started",
        "      -> Java exited.",
    ]


def test_help_reads_well(capsys: pytest.CaptureFixture[str]) -> None:
    """``--help`` lists each command with a sentence."""
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    for name in ("demo", "doctor", "verify", "state", "explain", "advise", "dashboards"):
        assert re.search(rf"\n    {name}\s", said)


def test_progress_is_shown_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is shown on a terminal only, after the first wait, and erased at the end."""

    class Terminal(io.StringIO):
        told = threading.Event()

        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> int:
            self.told.set()
            return super().write(text)

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(_progress, "_FIRST", 0.0)
    with _progress.working("reading"):
        assert terminal.told.wait(60)
    assert terminal.getvalue().startswith("\rreading … 0 s")
    assert terminal.getvalue().endswith("\r")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with _progress.working("reading"):
        pass
