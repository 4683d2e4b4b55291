"""The same answers by a plain computation over the whole year, to check those of the stream."""

from __future__ import annotations

import pandas as pd

from demo_app import queries
from demo_app.flights import ON_TIME_MINUTES


def watermarks(rows: pd.DataFrame, file: pd.Series) -> pd.Series:
    """The watermark that each flight meets: that of the files before its own (null: none yet)."""
    reached = rows["scheduled"].groupby(file).max().cummax().shift(1)
    return file.map(reached - pd.Timedelta(queries.WATERMARK))


def windows(rows: pd.DataFrame, met: pd.Series, size: str, step: str) -> pd.DataFrame:
    """Each pair of a flight and a window that must take it.

    Adds start and end; a flight that all its windows refuse is not among them.
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
    """The measures of each airport and window, as the queries name them."""
    punctual = pairs["delay"] <= ON_TIME_MINUTES  # null: no
    groups = pairs.assign(punctual=punctual).groupby(["origin", "start", "end"])
    return groups.agg(
        flights=("origin", "size"),
        left=("delay", "count"),
        mean_delay=("delay", "mean"),
        on_time=("punctual", "mean"),
    )
