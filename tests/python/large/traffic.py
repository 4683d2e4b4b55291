"""Rows of a ``Traffic`` as an Arrow table, in order of arrival."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from large.scenario import DAY, Traffic

Keys = tuple[pa.Array, ...]


def made(traffic: Traffic, seed: int, batches: int, first: int = 0) -> pa.Table:
    """Return the columns of the files, and ``batch``: 0, 1, …; the last has only a far-future row.

    ``g`` numbers the groups of equal keys, and ``id`` the rows from ``first`` on. A replay has the
    id of the first arrival.
    """
    rng = np.random.default_rng(seed)
    count = traffic.messages
    time = rng.integers(0, max(1, traffic.span // traffic.tick), count) * traffic.tick
    late = rng.random(count) < traffic.disorder
    arrival = time + late * rng.random(count) * traffic.behind * traffic.span
    time = time[np.argsort(arrival, kind="stable")]
    far = int(traffic.span * (1 + traffic.behind)) + 20 * 366 * DAY
    time = np.append(time, far) + traffic.begin
    ids = np.arange(count + 1) + first
    group = (rng.random(count + 1) ** traffic.skew * groups(traffic)).astype(np.int64)
    partition = rng.integers(0, traffic.partitions, count + 1)
    offset = _offsets(rng, traffic, partition)
    columns = {"id": ids, "g": group, "partition": partition, "offset": offset}
    columns |= {
        "v": rng.integers(-1000, 1000, count + 1),
        "x": np.round(rng.normal(1e4, 1, count + 1), 6),
        "y": rng.integers(0, 50, count + 1) / 4,
        "gap": 10 ** rng.integers(0, 9, count + 1),
    }
    order = np.append(_arrived(rng, count, traffic, seed), count)
    cuts = np.sort(rng.integers(0, len(order), batches - 1))
    batch = np.append(np.searchsorted(cuts, np.arange(len(order) - 1), side="right"), batches)
    timeless = rng.random(count + 1) < traffic.timeless
    timeless[count] = False
    table = pa.table(
        {name: pa.array(values[order]) for name, values in columns.items()}
        | {
            "t": pa.array(time[order], pa.timestamp("us", "UTC"), mask=timeless[order]),
            "source": pa.array(["s"] * len(order)),
            "w": pa.array(columns["v"][order], mask=(ids % 7 == 0)[order]),
            "s": pa.array([f"é{v}" for v in columns["v"][order]]),
            "batch": pa.array(batch),
        }
    )
    for i, key in enumerate(_TYPES[traffic.key_type](group, rng)):
        table = table.append_column(f"k{i}", key.take(order))
    return table


def key_columns(traffic: Traffic) -> list[str]:
    """Return the names of the key columns."""
    count = {"none": 0, "two": 2}.get(traffic.key_type, 1)
    return [f"k{i}" for i in range(count)]


#: The greatest number of groups that the type allows.
_ROOM = {"none": 1, "boolean": 3, "date": 30_000}


def groups(traffic: Traffic) -> int:
    """Return the number of groups of equal keys."""
    return min(traffic.keys, _ROOM.get(traffic.key_type, traffic.keys))


def _offsets(rng: np.random.Generator, traffic: Traffic, partition: np.ndarray) -> np.ndarray:
    """Return offsets that increase within each partition, with holes."""
    offset = np.zeros(len(partition), np.int64)
    for one in range(traffic.partitions):
        mine = np.flatnonzero(partition == one)
        holes = (rng.random(len(mine)) < traffic.holes) * rng.integers(1, 5, len(mine))
        offset[mine] = np.cumsum(1 + holes) - 1
    return offset


def _arrived(rng: np.random.Generator, count: int, traffic: Traffic, seed: int) -> np.ndarray:
    """Return positions in order of arrival; some rows arrive late, some a second time, later."""
    again = np.flatnonzero(rng.random(count) < traffic.duplicates)
    waits = rng.random(len(again))
    place = np.arange(count, dtype=np.float64)
    if traffic.overtaken:
        own = np.random.default_rng([seed, 1])
        late = own.random(count) < traffic.overtaken
        place += late * own.random(count) * (count - place)
    places = np.concatenate([place, place[again] + waits * (count - place[again])])
    return np.concatenate([np.arange(count), again])[np.argsort(places, kind="stable")]


def _of(kind: pa.DataType | None, make: Callable[[int], Any]) -> Callable[..., Keys]:
    """Return keys as a function of the group's number."""

    def keys(group: np.ndarray, _: np.random.Generator) -> Keys:
        known = {g: make(int(g)) for g in np.unique(group)}
        return (pa.array([known[g] for g in group], kind),)

    return keys


def _numbers(group: np.ndarray, rng: np.random.Generator) -> Keys:
    """Return doubles: NaN with several bit patterns, and both zeros."""
    values = np.where(group == 0, np.nan, (group - 1) / 3)
    values = np.where(group == 1, rng.choice([0.0, -0.0], len(group)), values)
    return (pa.array(values, from_pandas=False),)


def _collated(group: np.ndarray, rng: np.random.Generator) -> Keys:
    upper = rng.random(len(group)) < 0.5
    return (
        pa.array([f"KEY {g}" if up else f"key {g}" for g, up in zip(group, upper, strict=True)]),
    )


def _maps(group: np.ndarray, rng: np.random.Generator) -> Keys:
    turned = rng.random(len(group)) < 0.5
    pairs = [[("a", int(g)), ("b", 1)] for g in group]
    kind = pa.map_(pa.string(), pa.int64())
    return (pa.array([p[::-1] if t else p for p, t in zip(pairs, turned, strict=True)], kind),)


def _text(group: int) -> str | None:
    few = {0: None, 1: "", 2: "a" * 3_000, 3: "\0", 4: "ﬁ", 5: "fi"}
    return few.get(group, f"key {group}")


_TYPES: dict[str, Callable[[np.ndarray, np.random.Generator], Keys]] = {
    "none": lambda *_: (),
    "bigint": lambda group, _: (pa.array(group * 1_000_003 - 5),),
    "int": lambda group, _: (pa.array(group.astype(np.int32)),),
    "two": lambda group, _: (
        pa.array(group // 3),
        pa.array([None if g % 3 == 0 else "b" * (g % 3) for g in group]),
    ),
    "string": _of(pa.string(), _text),
    "binary": _of(
        pa.binary(), lambda g: bytes([g % 256, 0, g // 256 % 256])[: 1 + g % 3] + b"%d" % g
    ),
    "boolean": _of(pa.bool_(), lambda g: (None, False, True)[g]),
    "date": _of(pa.date32(), lambda g: dt.date(1950, 1, 1) + dt.timedelta(days=g)),
    "timestamp": _of(
        pa.timestamp("us", "UTC"),
        lambda g: dt.datetime(1969, 12, 31, tzinfo=dt.UTC) + dt.timedelta(microseconds=g),
    ),
    "decimal": _of(pa.decimal128(38, 10), lambda g: Decimal(g) * 10**17 + Decimal(g) / 1024),
    "double": _numbers,
    "struct": _of(
        pa.struct([("a", pa.int64()), ("b", pa.string())]),
        lambda g: {"a": None if g % 2 else g, "b": f"{g // 2}"},
    ),
    "array": _of(pa.list_(pa.int64()), lambda g: [None, g] if g else []),
    "collated": _collated,
    "map": _maps,
}
TYPES = tuple(_TYPES)
