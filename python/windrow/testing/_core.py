"""The engine that runs a query without micro-batches of Spark: about 10,000 steps a second."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windrow import advising
from windrow._bridge import _gateway
from windrow.advising import Advice
from windrow.operators import _tables
from windrow.testing._turns import CONTROL, Turn

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


class CoreEngine:
    """Run the plan of a query in the JVM of this process, with state in memory."""

    def __init__(self, output: DataFrame, sources: Path) -> None:
        """Read the plan; raises SpecError if only Spark can run it (``ONLY_IN_QUERIES``)."""
        self._session = output.sparkSession
        self._sources = sources
        self._rehearsal = _gateway.Rehearsal(self._session, output)

    def run(self, turns: Sequence[Turn]) -> None:
        """Run micro-batches, all in one call."""
        pa = _tables.arrow()
        marks = [str(turn.mark) for turn in turns if turn.mark is not None]
        self._feed(CONTROL, [pa.table({"value": pa.array(marks, pa.string())})])
        streams = dict.fromkeys(turn.stream for turn in turns if turn.table is not None)
        for stream in streams:
            self._feed(stream, [turn.table for turn in turns if turn.stream == stream])
        steps = pa.table(
            {
                "source": [self._folder(turn.stream) for turn in turns],
                "count": pa.array([_rows(turn) for turn in turns], pa.int64()),
                "now": pa.array([turn.now for turn in turns], pa.int64()),
                "mark": pa.array([turn.mark for turn in turns], pa.int64()),
            }
        )
        self._rehearsal.call("run", _tables.write(steps))

    def steps(self) -> int:
        """Return the number of micro-batches so far."""
        return len(self.watermarks())

    def outputs(self) -> list[dict[str, Any]]:
        """Return the output since the last call."""
        rows: list[dict[str, Any]] = _tables.read(self._rehearsal.call("outputs")).to_pylist()
        return rows

    def watermark(self) -> int | None:
        """Return the watermark in milliseconds, or None."""
        return int(self._rehearsal.call("watermarkMillis")) or None

    def watermarks(self) -> list[int]:
        """Return the watermark of each micro-batch in milliseconds; 0 means none."""
        text = str(self._rehearsal.call("watermarksOfSteps"))
        return [int(one) for one in text.split(",") if one]

    def hasWatermark(self) -> bool:
        """Return whether the query has a watermark of event time."""
        return int(self._rehearsal.call("watermarks")) > 0

    def kept(self, what: str, operator: str | None) -> DataFrame:
        """Return the stored state."""
        return self._rehearsal.kept(self._session, what, operator)

    def advise(self, catch: float) -> Advice:
        """Recommend an allowed lateness."""
        return advising._of(self._rehearsal.advise(self._session, catch).collect())

    def restart(self) -> None:
        """Discard everything that is not stored."""
        self._rehearsal.call("restart")

    def close(self) -> None:
        """Free the state."""
        self._rehearsal.close()

    def _feed(self, stream: str, tables: Sequence[pa.Table]) -> None:
        table = _tables.arrow().concat_tables(tables).combine_chunks()
        self._rehearsal.call("feed", self._folder(stream), _tables.write(table))

    def _folder(self, stream: str) -> str:
        return str(self._sources / stream)


def _rows(turn: Turn) -> int:
    """Return the number of rows that a micro-batch reads from its source."""
    if turn.table is not None:
        return int(turn.table.num_rows)
    return int(turn.mark is not None)
