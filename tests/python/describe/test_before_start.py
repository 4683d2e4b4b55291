"""Checks before a query starts, and the ownership of folders of files."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Event, RLock, Thread
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from feed import Feed, order
from sinks.writing import writing
from windrow._running import _query, _settings
from windrow._running._sinks import sinks_json

pytestmark = [pytest.mark.spark]


def counted(feed: Feed, key: str = "product", name: str = "n") -> wr.Output:
    """Count the orders of each minute."""
    stream = wr.stream(feed.stream(), time="time", key=key, watermark="0 seconds")
    windows = stream.lateness("0 seconds").window(wr.Tumbling("1 minute"))
    return windows.aggregate(F.count("*").alias(name))


def on_disk(feed: Feed, checkpoint: Path) -> list[str]:
    """List all files next to a checkpoint and in the warehouse, to detect changes by a start."""
    warehouse = Path(str(feed.spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:"))
    tables = [table.name for table in feed.spark.catalog.listTables()]
    return sorted([*map(str, (*checkpoint.parent.rglob("*"), *warehouse.rglob("*"))), *tables])


def refused(feed: Feed, checkpoint: Path, **said: Any) -> str:
    """Return the code with which a start is refused, and check that it changed nothing on disk."""
    name = said.pop("name", "n")
    before = on_disk(feed, checkpoint)
    with pytest.raises(wr.WindrowError) as error:
        counted(feed, name=name).start(checkpoint=checkpoint, **{"availableNow": True} | said)
    assert on_disk(feed, checkpoint) == before
    return str(error.value).partition("]")[0].lstrip("[")


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"panes": ("out", "csv")}, "FORMAT_NOT_FOR_ROWS"),
        ({"panes": ("out", "text")}, "FORMAT_NOT_FOR_ROWS"),
        ({"panes": ("out",), "rejected": ("out/rejected",)}, "FOLDERS_NESTED"),
        ({"panes": ("link/rejected",), "rejected": ("target/",)}, "FOLDERS_NESTED"),
        ({"panes": ("c/panes",)}, "FOLDERS_NESTED"),
        ({"panes": ("",)}, "FOLDERS_NESTED"),
        ({"panes": ("c/../out",), "rejected": ("out",)}, "SINK_SHARED"),
        ({"panes": ("a file",)}, "FOLDER_NOT_USABLE"),
        ({"panes": ("a file/inside",)}, "FOLDER_NOT_USABLE"),
    ],
)
def test_folders_are_looked_at(
    feed: Feed, tmp_path: Path, said: dict[str, tuple[str, ...]], code: str
) -> None:
    """Formats and nested folders are checked before anything is created (SEMANTICS B5, B13)."""
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    (tmp_path / "a file").touch()
    sinks = {kind: wr.Files(f"{tmp_path}/{path}", *more) for kind, (path, *more) in said.items()}
    assert refused(feed, tmp_path / "c", **sinks) == code


def test_all_of_it_is_one_error(feed: Feed, tmp_path: Path) -> None:
    """Problems of sinks, folders, names and the state store are one error (SEMANTICS B13)."""
    running = feed.stream().writeStream.format("noop").queryName("taken").start()
    try:
        with pytest.raises(wr.SpecError) as error:
            counted(feed, name="batch").start(
                checkpoint=tmp_path / "c",
                panes=wr.Files(str(tmp_path / "out"), format="csv"),
                rejected=wr.Files(str(tmp_path / "out" / "rejected")),
                availableNow=True,
                processingTime="1 second",
                name="taken",
            )
    finally:
        running.stop()
    assert {problem.code for problem in error.value.problems} == {
        "START_TRIGGER_NOT_UNDERSTOOD",
        "NAME_TAKEN",
        "FORMAT_NOT_FOR_ROWS",
        "FOLDERS_NESTED",
        "QUERY_NAME_TAKEN",
    }


@pytest.mark.slow
def test_a_start_that_fails_late_removes_what_it_created(
    feed: Feed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failed start removes only the marks and folders that it created (SEMANTICS B13)."""

    def fails(*_: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "there").mkdir()
    monkeypatch.setattr(_query, "_ending_with_data", fails)
    for final in (True, False):
        before = on_disk(feed, tmp_path / "c")
        with pytest.raises(KeyboardInterrupt):
            counted(feed).start(
                checkpoint=tmp_path / "new" / "c",
                panes=wr.Files(str(tmp_path / "there")),
                rejected=wr.Files(str(tmp_path / "other" / "rejected")),
                availableNow=True,
                drain=final,
            )
        assert on_disk(feed, tmp_path / "c") == before


def test_batches_without_data(feed: Feed, tmp_path: Path) -> None:
    """Without no-data batches the last windows stay open, so start and doctor report it."""
    name = "spark.sql.streaming.noDataMicroBatches.enabled"
    with _settings.having(feed.spark, {name: "false"}):
        assert not wr.doctor(feed.spark).ok
        with pytest.warns(UserWarning, match=r"NO_BATCHES_WITHOUT_DATA") as told:
            query = counted(feed).start(
                checkpoint=tmp_path / "c", panes=lambda *_: None, availableNow=True
            )
        assert told[0].filename == __file__
        query.awaitTermination()
    assert wr.doctor(feed.spark).ok


@pytest.mark.slow
def test_a_folder_belongs_to_a_checkpoint(feed: Feed, tmp_path: Path) -> None:
    """A folder of files accepts only the checkpoint that began it (SEMANTICS B5).

    Batches of another checkpoint would overwrite some of its files and leave the rest.
    """
    feed.add([order("09:00:10")], [order("09:01:10")])
    first, other, folder = tmp_path / "first", tmp_path / "other", tmp_path / "panes"

    def run() -> int:
        sink = wr.Files(str(folder))
        query = counted(feed).start(checkpoint=first, panes=sink, availableNow=True)
        query.awaitTermination()
        return feed.spark.read.parquet(str(folder)).count()

    before = run()
    assert before > 0
    sink = wr.Files(str(folder))
    assert refused(feed, other, panes=sink) == "FILES_OF_ANOTHER_QUERY"
    assert refused(feed, first, panes=sink, drain=True) == "DRAIN_NOT_STARTED"
    shutil.rmtree(folder / "_windrow")  # as if the folder were older than the marks
    (first / "windrow" / "query").unlink()
    assert refused(feed, other, panes=sink) == "FILES_OF_ANOTHER_QUERY"
    assert run() == before
    assert (folder / "_windrow" / "query").exists()
    assert refused(feed, other, panes=sink) == "FILES_OF_ANOTHER_QUERY"


@pytest.mark.slow
def test_an_older_copy_of_the_checkpoint_is_refused(feed: Feed, tmp_path: Path) -> None:
    """Its batches would replace some files of the folder and leave others (SEMANTICS B5)."""
    checkpoint, copy, folder = tmp_path / "checkpoint", tmp_path / "copy", tmp_path / "panes"
    sink = wr.Files(str(folder))

    def run() -> list[tuple[object, ...]]:
        query = counted(feed).start(checkpoint=checkpoint, panes=sink, availableNow=True)
        query.awaitTermination()
        rows = feed.spark.read.parquet(str(folder)).select("window.start", "n").collect()
        return sorted(tuple(row) for row in rows)

    feed.add([order("09:00:10")])
    run()
    shutil.copytree(checkpoint, copy)
    feed.add([order("09:01:10")], [order("09:02:10")])
    whole = run()
    planned = max(int(plan.name) for plan in (copy / "offsets").iterdir() if plan.name.isdigit())
    written = {int(one.name.removeprefix("batch=")): one for one in folder.glob("batch=*")}
    later = sorted(number for number in written if number > planned)
    assert len(later) > 1
    shutil.rmtree(checkpoint)
    shutil.copytree(copy, checkpoint)
    with pytest.raises(wr.CheckpointError, match="BATCH_OF_THE_PAST") as refused:
        run()
    assert f"delete batch={later[0]} to batch={later[-1]} in the folder" in str(refused.value)
    for number in later:
        shutil.rmtree(written[number])
    assert run() == whole


@pytest.mark.slow
def test_start_reports_every_problem_that_it_can_find(feed: Feed, tmp_path: Path) -> None:
    """Wrong formats, names, triggers and a wrong state store are refused before the start."""
    files, checkpoint = wr.Files(str(tmp_path / "panes")), tmp_path / "c"
    provider = "spark.sql.streaming.stateStore.providerClass"
    unknown = wr.Files(str(tmp_path / "panes"), format="nothing")
    assert refused(feed, checkpoint, panes=unknown) == "FORMAT_NOT_FOUND"
    assert refused(feed, checkpoint, panes=files, name="Batch") == "NAME_TAKEN"
    both = {"availableNow": True, "processingTime": "10 seconds"}
    for trigger in ({"availableNow": "yes"}, {"availableNow": False, "processingTime": 10}, both):
        code = refused(feed, checkpoint, panes=files, **trigger)
        assert code == "START_TRIGGER_NOT_UNDERSTOOD"
    kept = feed.spark.conf.get(provider)
    feed.spark.conf.set(
        provider,
        "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
    )
    try:
        assert refused(feed, checkpoint, panes=files) == "STATE_STORE_NOT_ROCKSDB"
    finally:
        feed.spark.conf.set(provider, str(kept))
    assert not (tmp_path / "panes").exists()


def test_all_problems_are_in_one_error(feed: Feed, tmp_path: Path) -> None:
    """Problems that Python finds and problems that the JVM finds are reported together."""
    sinks: dict[str, Any] = {
        "panes": wr.Files(str(tmp_path / "panes"), format="nothing"),
        "rejected": "jdbc:mysql://me:hush@db/shop",
    }
    with pytest.raises(wr.SpecError) as refused:
        counted(feed).start(checkpoint=tmp_path / "c", **sinks, events="events", drain=True)
    codes = [problem.code for problem in refused.value.problems]
    assert codes == ["SINK_NOT_UNDERSTOOD", "NO_EVENTS", "FORMAT_NOT_FOUND"]
    assert "hush" not in str(refused.value)
    with pytest.raises(wr.SpecError, match=r"SINK_NOT_STATED.*panes=, rejected=, events="):
        counted(feed).start(checkpoint=tmp_path / "c")


def test_a_text_that_is_not_unicode_is_not_shown(feed: Feed, tmp_path: Path) -> None:
    """The error does not quote the settings, because they may contain a password (B7)."""
    sink = wr.Jdbc("jdbc:derby:memory:x;password=hush", "\ud800")
    with pytest.raises(wr.SpecError, match=r"TEXT_NOT_UNICODE.*A setting of a sink") as refused:
        counted(feed).start(panes=sink, checkpoint=tmp_path / "c")
    assert "hush" not in str(refused.value)


def test_the_format_of_start_names_start(spark: SparkSession) -> None:
    """A user who writes to the format ``windrow`` learns to call ``start``."""
    with pytest.raises(Exception, match=r"\[FORMAT_OF_START\].*Call start"):
        spark.range(1).write.format("windrow").mode("append").save()


def test_options_are_texts() -> None:
    """Options of a sink are written as PySpark writes options."""
    sink = wr.KafkaTable("broker:9092", "t", options={"truth": True, "number": 7})  # type: ignore[dict-item]
    assert '"options":{"truth":"true","number":"7"}' in sinks_json({"panes": sink})


def test_tables_are_looked_at(feed: Feed, tmp_path: Path) -> None:
    """Table names, missing catalogs and different columns are refused (SEMANTICS B9)."""
    checkpoint = tmp_path / "c"
    for name in ("a b c", "nobody.knows.it.here"):
        assert refused(feed, checkpoint, panes=name) == "TABLE_NOT_USABLE"
    assert refused(feed, checkpoint, panes=str(tmp_path / "panes")) == "SINK_IS_PATH"
    feed.spark.range(1).write.mode("overwrite").saveAsTable("other_columns")
    assert refused(feed, checkpoint, panes="other_columns") == "TABLE_COLUMNS_DIFFER"
    feed.spark.sql("DROP TABLE other_columns")


@pytest.mark.slow
@pytest.mark.parametrize("beside", [False, True])
def test_a_repeated_batch_replaces_its_first_attempt(
    spark: SparkSession, tmp_path: Path, *, beside: bool
) -> None:
    """A repeated batch replaces its first attempt, even if rows of a kind are missing now.

    A later batch without rows creates no folder. The same holds beside a sink that is a function.
    """
    schema = "kind string, panes struct<n: bigint>, rejected struct<n: bigint>"
    folder = str(tmp_path / "panes")

    def writer() -> Callable[[DataFrame, int], None]:
        if not beside:
            return writing(spark, panes=wr.Files(folder))
        return _query._writing({"panes": wr.Files(folder), "rejected": lambda *_: None}, "", "")

    writer()(spark.createDataFrame([("panes", (1,), None)], schema), 7)
    assert spark.read.parquet(folder).count() == 1
    again = writer()
    nothing = spark.createDataFrame([], schema)
    again(nothing, 7)
    again(nothing, 8)
    assert spark.read.parquet(folder).count() == 0
    assert [one.name for one in Path(folder).iterdir()] == ["batch=7"]


def test_a_function_is_called_for_batches_without_rows(spark: SparkSession) -> None:
    """A function is called for batches without rows too, because it may count batches."""
    told: list[tuple[int, int]] = []
    writer = _query._writing(
        {"panes": lambda rows, batch: told.append((batch, rows.count()))}, "", ""
    )
    nothing = spark.createDataFrame([], "kind string, panes struct<n: bigint>")
    writer(nothing, 7)
    writer(nothing, 8)
    assert told == [(7, 0), (8, 0)]


def test_a_setting_that_was_not_set_is_not_set_again(spark: SparkSession) -> None:
    """A setting that was unset is unset again, and others get their previous value back."""
    settings = {"spark.windrow.none-such": "1", "spark.sql.session.timeZone": "Z"}
    zone = spark.conf.get("spark.sql.session.timeZone")
    with _settings.having(spark, settings):
        assert {name: spark.conf.get(name) for name in settings} == settings
    assert spark.conf.get("spark.windrow.none-such", None) is None
    assert spark.conf.get("spark.sql.session.timeZone") == zone


@pytest.mark.parametrize(("needed", "value"), [(True, "false"), (False, "true")])
def test_starts_at_once_leave_the_session_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
    needed: bool,  # noqa: FBT001
    value: str,
) -> None:
    """A start waits while another start changes the setting, and then sets it for itself."""
    came = Event()

    class Conf:
        value = "true"

        def get(self, _: str, default: object = None) -> str:
            del default
            if inside.is_set():
                came.set()
            return self.value

        def set(self, _: str, value: str) -> None:
            self.value = value

    class Asked:
        lock = RLock()

        def __enter__(self) -> None:
            if inside.is_set():
                came.set()
            self.lock.acquire()

        def __exit__(self, *_: object) -> None:
            self.lock.release()

    class Session:
        conf = Conf()

    inside = Event()
    seen: list[str] = []
    monkeypatch.setattr(_settings, "_SETTING", Asked())
    session: Any = Session()

    def second() -> None:
        with _query._ending_with_data(session, needed):
            seen.append(session.conf.value)
        came.set()

    other = Thread(target=second)
    with _query._ending_with_data(session, True):
        inside.set()
        other.start()
        came.wait()
        assert session.conf.value == "false"
    other.join()
    assert (seen, session.conf.value) == ([value], "true")
