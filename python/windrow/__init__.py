"""Windows for Spark Structured Streaming: panes on time and late, and nothing lost silently.

>>> import windrow as wr
>>> orders = wr.stream(df, time="time", key="product", watermark="1 minute")  # doctest: +SKIP
>>> hours = orders.lateness("1 hour").window(wr.Tumbling("1 hour"))  # doctest: +SKIP
>>> hours.accumulate(wr.ACCUMULATING).aggregate(F.sum("price")).panes  # doctest: +SKIP

Importing starts nothing: no JVM, no socket.
"""

from windrow._retention import Retention
from windrow._version import __version__
from windrow.errors import CheckpointError, JarNotFoundError, SpecError, SpecProblem, WindrowError
from windrow.operators import WindowOperatorSpec
from windrow.results import Files, Metrics, Output, metrics
from windrow.setup import Report, attach, configure, doctor
from windrow.streams import KAFKA, Offset, Stream, Windowed, stream
from windrow.triggers import (
    ACCUMULATING,
    ACCUMULATING_AND_RETRACTING,
    DISCARDING,
    AccumulationMode,
    AnyOf,
    EachMessage,
    EachStep,
    Every,
    Never,
    PaneTrigger,
)
from windrow.windows import (
    Count,
    Global,
    Hopping,
    Inherit,
    Offsets,
    Over,
    Session,
    Sliding,
    Tumbling,
    TupleSession,
    WindowKind,
)

__all__ = [
    "ACCUMULATING",
    "ACCUMULATING_AND_RETRACTING",
    "DISCARDING",
    "KAFKA",
    "AccumulationMode",
    "AnyOf",
    "CheckpointError",
    "Count",
    "EachMessage",
    "EachStep",
    "Every",
    "Files",
    "Global",
    "Hopping",
    "Inherit",
    "JarNotFoundError",
    "Metrics",
    "Never",
    "Offset",
    "Offsets",
    "Output",
    "Over",
    "PaneTrigger",
    "Report",
    "Retention",
    "Session",
    "Sliding",
    "SpecError",
    "SpecProblem",
    "Stream",
    "Tumbling",
    "TupleSession",
    "WindowKind",
    "WindowOperatorSpec",
    "Windowed",
    "WindrowError",
    "__version__",
    "attach",
    "configure",
    "doctor",
    "metrics",
    "stream",
]
