"""The names of a query's gauges in Prometheus, as Spark's servlet shows them."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: By input of a join or a co-group, the watermark that its rows lead to.
INPUTS = r"input_.+_watermark_ms"


@dataclass(frozen=True)
class Query:
    """A query.

    Attributes:
        namespace: Spark's ``spark.metrics.namespace``.
        name: The name that ``start`` received.

    """

    namespace: str
    name: str

    def gauge(self, gauge: str) -> str:
        """Return the metric of a gauge."""
        return metric(plain(self.namespace), plain(self.name), gauge)


def metric(namespace: str, query: str, gauge: str) -> str:
    """Return the metric of a gauge for parts that contain only letters, digits, and ``_``."""
    return f"metrics_{namespace}_driver_windrow_{query}_{gauge}_Value"


def plain(name: str) -> str:
    """Replace the characters that ``PrometheusServlet`` replaces."""
    return re.sub("[^A-Za-z0-9]", "_", name)
