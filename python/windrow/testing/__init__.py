"""Test pipelines in plain pytest, without sleeping.

Example::

    def test_late_order(spark):
        with wr.testing.harness(minutes, spark, schema="time timestamp, price double") as h:
            h.add({"time": "2025-01-01 09:00:10", "price": 2.0})
            h.advanceWatermark("2025-01-01 09:01:00")
            wr.testing.assertSamePanes(h.panes(), [{"price": 2.0, "timing": "ON_TIME"}])
"""

from windrow.testing._compare import assertSamePanes
from windrow.testing._harness import Harness
from windrow.testing._start import harness

__all__ = ["Harness", "assertSamePanes", "harness"]
