"""A scenario: everything that matters to a case, as data whose repr makes it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckdb import DuckDBPyConnection
    from pyspark.sql import DataFrame

    import windrow as wr

MILLISECOND, SECOND, MINUTE = 1_000, 1_000_000, 60_000_000
HOUR, DAY = 60 * MINUTE, 24 * 60 * MINUTE


@dataclass(frozen=True)
class Traffic:
    """The messages of one stream; times are microseconds."""

    messages: int = 1_000
    keys: int = 10
    key_type: str = "bigint"
    #: 1: all keys alike; the higher the more messages go to the first ones.
    skew: float = 1.0
    begin: int = 1_709_251_200 * SECOND
    span: int = HOUR
    #: Times are multiples of this.
    tick: int = MILLISECOND
    #: Part of the messages that come late, and by how much of the span at most.
    disorder: float = 0.1
    behind: float = 0.2
    #: Partitions of the source; each batch has a file of each.
    partitions: int = 1
    #: Part of the offsets that are followed by a hole, of the messages that come twice, of those
    #: without a time.
    holes: float = 0.0
    duplicates: float = 0.0
    timeless: float = 0.0
    #: Part of the messages that come behind greater offsets of their partition.
    overtaken: float = 0.0
    #: Tasks after a shuffle before Windrow; 0: those that read the files.
    repartition: int = 0


@dataclass(frozen=True)
class Leg:
    """One run of a query, from its start to the end of what is there, under settings."""

    batches: int = 2
    settings: tuple[tuple[str, str], ...] = ()


class Operator(Protocol):
    """What the query does, told twice: by Windrow's API and by SQL."""

    @property
    def timed(self) -> bool:
        """Whether the streams have event time."""

    @property
    def tells_refused(self) -> bool:
        """Whether the rejected rows are messages of the streams."""

    def output(self, streams: Sequence[wr.Stream], case: Scenario) -> wr.Output | wr.JoinOutput:
        """Describe the query."""

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Say what is wrong with what came out (tables: see ``judge``)."""


@runtime_checkable
class Asking(Protocol):
    """An operator that answers the rows of ``Scenario.lookups``."""

    def ask(self, output: wr.Output, lookups: DataFrame) -> wr.Answers:
        """Put their questions."""


@runtime_checkable
class Looking(Protocol):
    """An operator whose state is looked into after each run."""

    def look(self, state: wr.State) -> Mapping[str, DataFrame]:
        """Ask; each answer becomes a table of that name."""


@dataclass(frozen=True)
class Scenario:
    """A case. ``delay`` is that of the watermark, ``shards`` Windrow's, by default few."""

    seed: int
    operator: Operator
    traffic: tuple[Traffic, ...] = (Traffic(),)
    legs: tuple[Leg, ...] = field(default_factory=lambda: (Leg(),))
    lateness: int = 10 * MINUTE
    delay: int = MINUTE
    shards: int = 8
    #: Whether messages have an identity, so that duplicates are known.
    identity: bool = False
    #: How long messages are kept behind the watermark, where they are.
    retain: int | None = None
    #: What asks, for operators that are ``Asking``.
    lookups: Traffic | None = None
    #: The first run ends with ``drain``; each other one is a batch, and what it brings is late.
    final: bool = False

    @property
    def batches(self) -> int:
        """How many batches bring messages; unless ``final``, one more brings a far time."""
        return sum(leg.batches for leg in self.legs)
