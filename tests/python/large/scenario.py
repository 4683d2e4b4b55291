"""A scenario: everything that matters to a case, as data whose repr makes it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckdb import DuckDBPyConnection

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
    replays: float = 0.0
    timeless: float = 0.0
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

    def output(self, streams: Sequence[wr.Stream], case: Scenario) -> wr.Output | wr.JoinOutput:
        """Describe the query."""

    def judge(self, base: DuckDBPyConnection, case: Scenario) -> list[str]:
        """Say what is wrong with what came out (tables: see ``judge``)."""


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
    #: Whether messages have an identity, so that replays are known.
    identity: bool = False

    @property
    def batches(self) -> int:
        """How many batches bring messages; after them one more brings the end."""
        return sum(leg.batches for leg in self.legs)
