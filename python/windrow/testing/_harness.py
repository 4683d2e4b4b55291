"""Driving a user's own pipeline step by step."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from datetime import datetime
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from windrow._bridge import _sql
from windrow._running._settings import having
from windrow._specs._columns import is_connect
from windrow._specs._instants import instant
from windrow.advising import Advice
from windrow.errors import SpecError, failure, problem
from windrow.joins import JoinOutput
from windrow.operators import _tables, _times
from windrow.operators._times import At
from windrow.results import Output
from windrow.testing import _rows, _transcript
from windrow.testing._core import CoreEngine
from windrow.testing._query import QueryEngine
from windrow.testing._rows import Rows, Table
from windrow.testing._transcript import Recording
from windrow.testing._turns import CONTROL, END, Engine, Turn

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

Pipeline = Callable[..., object]
What = Literal["windows", "messages", "pending"]

_ONLY = "messages"


class Harness:
    """A pipeline that a test drives; made by ``harness``, and closed by ``with``.

    Each ``add`` is a micro-batch: its messages are judged by the watermark before it, then the
    watermark that they bring takes effect in a micro-batch without messages, as in a query.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        spark: SparkSession,
        schemas: Mapping[str, Any],
        *,
        engine: Literal["core", "query"],
        now: At,
    ) -> None:
        """Build the pipeline over empty streams."""
        self._zone = str(spark.conf.get("spark.sql.session.timeZone"))
        self._now = _times.micros("now", now, self._zone) // 1000
        self._fresh = True
        self._pending: list[Turn] = []
        self._came: dict[str, Table] = {}
        self._recording = Recording()
        self._closed = False
        self._folder = Path(tempfile.mkdtemp(prefix="windrow-testing-"))
        sources = self._folder / "sources"
        try:
            self._columns = {name: _arrow(spark, one) for name, one in schemas.items()}
            self._made, output = _built(pipeline, spark, schemas, sources)
            self._engine: Engine = (
                CoreEngine(output, sources)
                if engine == "core"
                else QueryEngine(output, sources, self._folder, self._now)
            )
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    # ---- what happens

    def add(self, rows: Rows, *, to: str | None = None) -> Self:
        """Add messages, in one micro-batch.

        rows: a dict or a tuple, a list of them, or a table of Arrow, pandas or Spark. Columns that
        a dict leaves out are null; texts stand for times, naive ones are of the session's zone. to:
        which of several streams.

        Errors: MessageError with every column that does not fit; then nothing was added.
        """
        stream = self._named(to)
        what = "rows" if stream == _ONLY else f"rows of {stream!r}"
        table = _rows.table(rows, self._columns[stream], what, self._zone)
        self._turn(stream, table)
        self._turn()
        return self

    def advanceWatermark(self, to: At) -> Self:
        """Move the watermark on, of all streams: what is due fires. In whole milliseconds.

        Errors: SpecError if it would go back, told at the latest when results are read, or if the
        pipeline has no watermark of event time.
        """
        micros = _times.micros("to", to, self._zone)
        self._require_watermark("advanceWatermark(...)")
        self._turn(mark=micros - micros % 1000)
        self._turn()
        return self

    def advanceProcessingTime(self, to: At) -> Self:
        """Move processing time on: what a period or an age makes due happens.

        Each micro-batch takes a millisecond of it by itself. Errors: SpecError if it would go back.
        """
        millis = _times.micros("to", to, self._zone) // 1000
        if millis < self._next():
            found = problem("CLOCK_BACK", to=_shown(millis), now=_shown(self._now))
            raise SpecError.of("advanceProcessingTime(...)", [found])
        self._turn(now=millis)
        return self

    def finish(self) -> Self:
        """End the input: every window completes, as at the end of a bounded run.

        Errors: SpecError if the pipeline has no watermark of event time.
        """
        self._require_watermark("finish()")
        self._turn(mark=END)
        self._turn()
        return self

    def _require_watermark(self, call: str) -> None:
        self._open()
        if not self._engine.hasWatermark():
            raise SpecError.of(call, [problem("WATERMARK_UNUSED")])

    def restart(self) -> Self:
        """Stop, and go on from what is stored."""
        self._run()
        self._engine.restart()
        self._recording.restarts.append(len(self._recording.turns))
        return self

    # ---- what came of it

    def panes(self) -> Table:
        """Give the panes since they were last asked for, as dicts, in the order of their firing."""
        return self._taken("panes")

    def rows(self) -> Table:
        """Give the rows of a join since they were last asked for."""
        return self._taken("rows")

    def rejected(self) -> Table:
        """Give the rejected rows since they were last asked for, with their reasons."""
        return self._taken("rejected")

    def events(self) -> Table:
        """Give the events of windows by policies since they were last asked for."""
        return self._taken("events")

    def state(self, what: What = "windows", *, operator: str | None = None) -> Table:
        """Look into what is kept: open windows, kept messages, or the firings that are pending.

        The rows are those of ``wr.state(...)``: ``getWindows``, ``getMessages``, ``pending``.
        operator: the stream that is meant, where there are several. Errors: ValueError if what is
        another word.
        """
        if what not in get_args(What):
            text = f"what is {what!r}; it must be one of {', '.join(map(repr, get_args(What)))}."
            raise ValueError(text)
        self._run()
        kept = self._engine.kept(what, operator)
        return Table(kept.toArrow().to_pylist())

    def transcript(
        self, name: str, *, value: str, aggregates: Mapping[str, str], time: str = "time"
    ) -> str:
        """Give all that happened and all that came as a case of a transcript, a line of JSON.

        Attach the line to a report of a fault: ``scripts/replay FILE --check`` in a checkout of
        Windrow runs it. A transcript knows one key, a time and a value of each message: value and
        time name their columns, aggregates names for each column of the panes its function of the
        value: count, sum, min, max, avg, median, collect or first. name: the id of the case.

        Errors: SpecError for what a transcript cannot say; it is recorded on the core.
        """
        self._run()
        if not isinstance(self._engine, CoreEngine):
            found = problem("TRANSCRIPT_NOT_POSSIBLE", what="a query. Pass engine='core'")
            raise SpecError.of("transcript(...)", [found])
        marks = self._engine.watermarks()
        said = {"value": value, "time": time, "aggregates": aggregates}
        return _transcript.case(name, self._made, self._recording, marks, **said)  # type: ignore[arg-type]

    def advise(self, catch: float = 0.999) -> Advice:
        """Tell which lateness would have caught a share of the messages, as ``wr.advise`` does."""
        self._run()
        return self._engine.advise(catch)

    @property
    def watermark(self) -> datetime | None:
        """How far event time has come; None before there is any."""
        self._run()
        millis = self._engine.watermark()
        return None if millis is None else _at(millis)

    # ---- life

    def close(self) -> None:
        """Stop and remove everything; again is harmless."""
        if not self._closed:
            self._closed = True
            self._engine.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        """Give the harness."""
        return self

    def __exit__(self, *raised: object) -> None:
        """Close it."""
        self.close()

    def _open(self) -> None:
        if self._closed:
            raise failure("NOT_OPEN.CLOSED", operator="the harness")

    def _named(self, stream: str | None) -> str:
        if stream is None and len(self._columns) == 1:
            return next(iter(self._columns))
        if stream not in self._columns:
            names = ", ".join(map(repr, self._columns))
            text = f"to is {stream!r}; it must be one of {names}."
            raise ValueError(text)
        return stream

    def _next(self) -> int:
        return self._now if self._fresh else self._now + 1

    def _turn(
        self,
        stream: str = CONTROL,
        table: pa.Table | None = None,
        *,
        mark: int | None = None,
        now: int | None = None,
    ) -> None:
        self._open()
        self._now = self._next() if now is None else now
        self._fresh = False
        self._pending.append(Turn(self._now, stream, table, mark))

    def _run(self) -> None:
        """Have the engine do what is pending."""
        self._open()
        turns, self._pending = self._pending, []
        if not turns:
            return
        self._engine.run(turns)
        came = self._engine.outputs()
        self._recording.turns += turns
        self._recording.came += came
        for row in came:
            kind = row["kind"]
            self._came.setdefault(kind, Table()).append(row[kind])

    def _taken(self, kind: str) -> Table:
        self._run()
        return self._came.pop(kind, Table())


def harness(
    pipeline: Pipeline,
    spark: SparkSession,
    *,
    schema: str | StructType | Mapping[str, str | StructType],
    engine: Literal["core", "query"] | None = None,
    now: At = "2025-01-01 00:00:00",
) -> Harness:
    """Drive a pipeline of one's own: a function that takes a DataFrame and gives an ``Output``.

    schema: of the messages, as in CREATE TABLE or a StructType; for several streams a mapping, and
    the function takes the DataFrames by these names. engine: "core" runs the query's own plan and
    programs in this process, without Spark's micro-batches, on state in memory; "query" is a real
    streaming query with a checkpoint. None: the core, on Spark Connect a query. now: processing
    time of the first micro-batch.

    Errors: SpecError with every problem of the pipeline; WindrowError for the core on Connect.
    """
    connect = is_connect(spark)
    if engine == "core" and connect:
        raise failure("NO_JVM.HARNESS")
    schemas = schema if isinstance(schema, Mapping) else {_ONLY: schema}
    chosen = engine or ("query" if connect else "core")
    if chosen not in ("core", "query"):
        text = f"engine is {engine!r}; it must be 'core' or 'query'."
        raise ValueError(text)
    return Harness(pipeline, spark, schemas, engine=chosen, now=now)


def _built(
    pipeline: Pipeline, spark: SparkSession, schemas: Mapping[str, Any], sources: Path
) -> tuple[Output | JoinOutput, DataFrame]:
    """Give what the pipeline makes, and its query over files that a harness adds."""
    frames = {}
    for name, schema in schemas.items():
        (sources / name).mkdir(parents=True)
        reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        frames[name] = reader.parquet(str(sources / name))
    (sources / CONTROL).mkdir()
    with having(spark, {"spark.windrow.shards": "1"}):
        made = pipeline(frames[_ONLY]) if list(frames) == [_ONLY] else pipeline(**frames)
        if not isinstance(made, Output | JoinOutput):
            text = f"The pipeline returned a {type(made).__name__}. It must return the result of "
            raise TypeError(text + "aggregate(...), keepRows(), or join(...).")
        return made, _sql.driven(made.output, str(sources / CONTROL))


def _arrow(spark: SparkSession, schema: Any) -> pa.Schema:  # noqa: ANN401  a text or a StructType
    """Give the columns of messages as Arrow has them."""
    from pyspark.sql.pandas.types import to_arrow_schema

    _tables.arrow()
    # Spark 4.1 takes no zone and means UTC.
    takes_zone = "timezone" in signature(to_arrow_schema).parameters
    utc: Any = {"timezone": "UTC"} if takes_zone else {}
    return to_arrow_schema(spark.createDataFrame([], schema).schema, **utc)


def _at(millis: int) -> datetime:
    return instant(millis * 1000)


def _shown(millis: int) -> str:
    return _at(millis).isoformat().replace("+00:00", "Z")
