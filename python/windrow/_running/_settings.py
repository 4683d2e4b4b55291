"""Temporary settings of a session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SETTING = RLock()  # reentrant, because a start can be nested


@contextmanager
def having(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Apply settings to a session, and restore the previous ones afterwards.

    The settings affect the session, so only one caller at a time can have them.
    """
    with _SETTING:
        before = {name: spark.conf.get(name, None) for name in settings}
        try:
            for name, value in settings.items():
                spark.conf.set(name, value)
            yield
        finally:
            for name, old in before.items():
                if old is None:
                    spark.conf.unset(name)
                else:
                    spark.conf.set(name, old)
