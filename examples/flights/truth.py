"""Compute the expected results over the year with pandas, to check those of the stream."""

from __future__ import annotations

import pandas as pd

from flights import queries
from flights.data import ON_TIME_MINUTES


def watermarks(rows: pd.DataFrame, file: pd.Series) -> pd.Series:
    """Return the watermark at the arrival of each flight: that of the files before, or null."""
    reached = rows["scheduled"].groupby(file).max().cummax().shift(1)
    return file.map(reached - pd.Timedelta(queries.WATERMARK))


def windows(rows: pd.DataFrame, met: pd.Series, size: str, step: str) -> pd.DataFrame:
    """Return each pair of a flight and a window that accepts it, with start and end.

    A flight that all its windows reject is not among them.
    """
    width, pace = pd.Timedelta(size), pd.Timedelta(step)
    newest = rows["scheduled"].dt.floor(pace)
    pairs = []
    for back in range(width // pace):
        pair = rows.assign(start=newest - back * pace)
        pair["end"] = pair["start"] + width
        refused = met >= pair["end"] + pd.Timedelta(queries.LATENESS)
        pairs.append(pair.loc[~refused])
    return pd.concat(pairs)


def measures(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the measures of each airport and window, with the names of the queries."""
    punctual = pairs["delay"] <= ON_TIME_MINUTES  # null: no
    groups = pairs.assign(punctual=punctual).groupby(["origin", "start", "end"])
    return groups.agg(
        flights=("origin", "size"),
        left=("delay", "count"),
        mean_delay=("delay", "mean"),
        on_time=("punctual", "mean"),
    )
