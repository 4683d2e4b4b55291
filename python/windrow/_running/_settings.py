"""Settings of a session that hold for what is started meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SETTING = RLock()  # a start inside has settings of its own


@contextmanager
def having(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Have a session these settings, and then those before.

    They are the session's, so one at a time has them.
    """
    with _SETTING:
        before = {name: spark.conf.get(name, None) for name in settings}
        try:
            for name, value in settings.items():
                spark.conf.set(name, value)
            yield
        finally:
            for name, said in before.items():
                if said is None:
                    spark.conf.unset(name)
                else:
                    spark.conf.set(name, said)
