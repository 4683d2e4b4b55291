"""Compare the counts of a micro-batch with the offsets that its source logged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any


def unexplained(sources: Iterable[Mapping[str, Any]], read: int, duplicates: int) -> int:
    """Return the duplicates of a micro-batch that its sources do not explain (rule R74).

    A source that logs the offsets of its partitions delivers each of them once. Rows beyond that
    number were duplicated on their way, so that their duplicates are expected. Return 0 if a source
    lacks such a log.
    """
    distinct = [_given(source) for source in sources if source["numInputRows"]]
    if not distinct or None in distinct:
        return 0
    doubled = max(0, read - sum(one for one in distinct if one is not None))
    return max(0, duplicates - doubled)


def _given(source: Mapping[str, Any]) -> int | None:
    """Return the number of rows that a source delivered, or None if it logs no offsets."""
    start, end = (_offsets(source[name]) for name in ("startOffset", "endOffset"))
    rows: int = source["numInputRows"]
    if end is None:
        return None
    if start is None:
        return rows
    span = sum(offset - start.get(part, offset) for part, offset in end.items())
    # The first offset of a partition that is new in this micro-batch is not known.
    return min(rows, span) if start.keys() >= end.keys() else rows


def _offsets(text: object) -> dict[tuple[str, str], int] | None:
    """Read {"topic": {"0": 17}}, as Kafka's source writes it."""
    try:
        log = json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return None
    if not isinstance(log, Mapping) or not all(isinstance(one, Mapping) for one in log.values()):
        return None
    found = {(topic, part): at for topic, parts in log.items() for part, at in parts.items()}
    return found if all(isinstance(at, int) for at in found.values()) else None
