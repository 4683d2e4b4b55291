"""A scenario: a complete case as data whose repr recreates it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckdb import DuckDBPyConnection
    from pyspark.sql import DataFrame

    import windrow as wr

    Described = wr.Output | wr.JoinOutput | wr.DedupOutput | wr.MatchOutput

MILLISECOND, SECOND, MINUTE = 1_000, 1_000_000, 60_000_000
HOUR, DAY = 60 * MINUTE, 24 * 60 * MINUTE


@dataclass(frozen=True)
class Traffic:
    """The rows of one stream; times are microseconds."""

    messages: int = 1_000
    keys: int = 10
    key_type: str = "bigint"
    #: 1: all keys are equally frequent; a higher value favors the first keys.
    skew: float = 1.0
    begin: int = 1_709_251_200 * SECOND
    span: int = HOUR
    #: Times are multiples of this.
    tick: int = MILLISECOND
    #: The fraction of rows that arrive late, and the greatest delay as a fraction of the span.
    disorder: float = 0.1
    behind: float = 0.2
    #: Partitions of the source; each batch has one file for each.
    partitions: int = 1
    #: The fractions of offsets followed by a hole, of rows that are repeated, and of rows without
    #: a time.
    holes: float = 0.0
    duplicates: float = 0.0
    timeless: float = 0.0
    #: The fraction of rows that arrive after rows of their partition with greater offsets.
    overtaken: float = 0.0
    #: Tasks after a shuffle before Windrow; 0: the tasks that read the files.
    repartition: int = 0


@dataclass(frozen=True)
class Leg:
    """One run of a query with its settings, from its start to the end of the available input."""

    batches: int = 2
    settings: tuple[tuple[str, str], ...] = ()


class Operator(Protocol):
    """The query, described twice: by Windrow's API and by SQL."""

    @property
    def timed(self) -> bool:
        """Return whether the streams have event time."""

    @property
    def tells_refused(self) -> bool:
        """Return whether the rejected rows are rows of the streams."""

    def output(self, streams: Sequence[wr.Stream], case: Scenario) -> Described:
        """Describe the query."""

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Return the faults in the output (tables: see ``judge``)."""


@runtime_checkable
class Asking(Protocol):
    """An operator that answers the rows of ``Scenario.lookups``."""

    def ask(self, output: wr.Output, lookups: DataFrame) -> wr.Answers:
        """Look up the rows."""


@runtime_checkable
class Looking(Protocol):
    """An operator whose state is read after each run."""

    def look(self, state: wr.State) -> Mapping[str, DataFrame]:
        """Read the state; each answer becomes a table of that name."""


@dataclass(frozen=True)
class Scenario:
    """A case.

    ``delay`` is the watermark delay. ``shards`` is the number of Windrow's shards, small by
    default.
    """

    seed: int
    operator: Operator
    traffic: tuple[Traffic, ...] = (Traffic(),)
    legs: tuple[Leg, ...] = field(default_factory=lambda: (Leg(),))
    lateness: int = 10 * MINUTE
    delay: int = MINUTE
    shards: int = 8
    #: Whether rows have an identity, so that duplicates are recognized.
    identity: bool = False
    #: How long rows are kept after the watermark, if they are kept.
    retain: int | None = None
    #: The lookup rows, for operators that are ``Asking``.
    lookups: Traffic | None = None
    #: The first run ends with ``drain``; each later run is one batch whose rows are late.
    final: bool = False

    @property
    def batches(self) -> int:
        """Return the number of batches with rows; unless ``final``, one more has a far time."""
        return sum(leg.batches for leg in self.legs)
