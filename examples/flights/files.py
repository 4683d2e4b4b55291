"""Split the year into files that arrive one after the other."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from flights.data import NEW_YORK

#: The schema of the files for Spark. _ARROW is the same schema for pyarrow.
SCHEMA = (
    "scheduled timestamp, reported timestamp, delay double, "
    "origin string, dest string, carrier string, flight int"
)
_ARROW = pa.schema(
    [
        ("scheduled", pa.timestamp("us", tz="UTC")),
        ("reported", pa.timestamp("us", tz="UTC")),
        ("delay", pa.float64()),
        ("origin", pa.string()),
        ("dest", pa.string()),
        ("carrier", pa.string()),
        ("flight", pa.int32()),
    ]
)
#: The end of the flights. A clock row after it advances the watermark and closes the last windows.
YEAR_END = pd.Timestamp("2014-01-01", tz=NEW_YORK)
_CLOCK = pd.Timestamp("2014-01-03", tz=NEW_YORK)
_EVENING = 20
_FIRST_CUT, _LAST_CUT, _EVERY = 12, 26, 2


@dataclass(frozen=True)
class Batch:
    """One file, and the time up to which flights are known once it is read."""

    number: int
    path: Path
    flights: int
    until: pd.Timestamp


def cuts(rows: pd.DataFrame, day: date) -> list[pd.Timestamp]:
    """Return the ends of the files: 8 pm on the worst day of each month, and every 2 h on a day.

    The worst day of a month has the most departures with a delay of more than two hours.
    """
    planned = rows["scheduled"].dt.tz_convert(NEW_YORK)
    late = rows.loc[rows["delay"] > 120].groupby(planned.dt.date).size()
    by_month = late.groupby(lambda d: d.month)
    worst = {month: days.idxmax() for month, days in by_month}
    evenings = [_at(d, _EVENING) for month, d in worst.items() if month != day.month]
    fine = [_at(day, hour) for hour in range(_FIRST_CUT, _LAST_CUT + 1, _EVERY)]
    ends = pd.Series(sorted([*evenings, *fine]))
    # Drops ends without a flight since the end before, because their files would be empty.
    return list(ends[~pd.Series(rows["reported"].searchsorted(ends)).duplicated()])


def number(rows: pd.DataFrame, ends: list[pd.Timestamp]) -> pd.Series:
    """Return the number of the file of each flight, from 0."""
    positions = pd.DatetimeIndex(ends).searchsorted(rows["reported"], side="right")
    return pd.Series(positions, index=rows.index)


def write(rows: pd.DataFrame, ends: list[pd.Timestamp], folder: Path) -> list[Batch]:
    """Write the files, and a last one that contains only a clock row of 2014."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    untils = [*ends, YEAR_END]
    batches = []
    for index, part in rows.groupby(number(rows, ends)):
        batches.append(_write_one(part, int(index), untils[int(index)], folder))
    clock = pd.DataFrame([{"scheduled": _CLOCK, "reported": _CLOCK}]).reindex(columns=_ARROW.names)
    last = _write_one(clock, len(batches), _CLOCK, folder)
    return [*batches, Batch(last.number, last.path, 0, last.until)]


def deliver(batch: Batch, folder: Path) -> None:
    """Move a file into the folder that Spark reads, atomically."""
    hidden = folder / f".{batch.path.name}"
    shutil.copyfile(batch.path, hidden)
    hidden.rename(folder / batch.path.name)


def _write_one(part: pd.DataFrame, index: int, until: pd.Timestamp, folder: Path) -> Batch:
    path = folder / f"{index:02}.parquet"
    pq.write_table(pa.Table.from_pandas(part, schema=_ARROW, preserve_index=False), path)
    return Batch(index, path, len(part), until)


def _at(day: date, hour: int) -> pd.Timestamp:
    return pd.Timestamp(day + timedelta(days=hour // 24), tz=NEW_YORK) + pd.Timedelta(
        hours=hour % 24
    )
