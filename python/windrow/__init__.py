"""Windows for Spark Structured Streaming: early, on-time, and corrected results, and no lost rows.

Describe a stream, group it into windows, aggregate them, and start one query::

    import windrow as wr
    from pyspark.sql import functions as F

    orders = wr.stream(df, time="time", key="product", watermark="1 minute")
    hours = orders.lateness("1 hour").window(wr.Tumbling("1 hour"))
    totals = hours.accumulationMode(wr.ACCUMULATING).aggregate(F.sum("price").alias("total"))
    totals.start(panes="totals", rejected="rejected", checkpoint="checkpoint")

Importing the package starts nothing: no JVM, and no socket.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from windrow._markup._svg import Picture
from windrow._specs._clock import EventTimeWatermark, ProcessingTimeWatermark
from windrow._specs._retention import Retention
from windrow._specs._rowid import KAFKA, RowId
from windrow._version import __version__
from windrow.answers import Answers
from windrow.deduplicated import DedupOutput
from windrow.errors import (
    BackpressureError,
    CheckpointError,
    JarNotFoundError,
    MessageError,
    OperatorError,
    SpecError,
    SpecProblem,
    UnboundedJoinError,
    WindrowError,
)
from windrow.functions import aggregate as aggregate  # not in __all__: PySpark has the name, too
from windrow.functions import increase, timeInState, timeWeightedAverage, topN
from windrow.functions import lag as lag  # not in __all__, either
from windrow.joined import JoinOutput
from windrow.joins import asofJoin, cogroup, join
from windrow.matched import MatchOutput
from windrow.operators import (
    AggregatedWindowOperator,
    CoGroupSpec,
    CompositeOperator,
    FullStateWindowOperator,
    JoinSpec,
    JoinStream,
    MergedWindowOperator,
    PolicyWindowOperator,
    StreamStreamJoinOperator,
    WindowEvent,
    WindowListener,
    WindowOperatorSpec,
)
from windrow.policies import ByCount, ByDelta, ByPunctuation, ByTime, KeyLimits, Policy
from windrow.results import Files, Jdbc, KafkaTable, Output, Upsert
from windrow.setup import Report, attach, configure, doctor
from windrow.stores import State, state
from windrow.streams import Stream, stream
from windrow.triggers import (
    ACCUMULATING,
    ACCUMULATING_AND_RETRACTING,
    DISCARDING,
    AccumulationMode,
    AnyOf,
    EachBatch,
    EachMessage,
    Every,
    Never,
    PaneTrigger,
)
from windrow.windowed import Windowed
from windrow.windows import (
    Count,
    Global,
    Hopping,
    Inherit,
    OffsetRange,
    OffsetSession,
    Over,
    Session,
    Sliding,
    Tumbling,
    WindowKind,
)

if TYPE_CHECKING:
    from windrow import testing
    from windrow.accelerating import Acceleration, OperatorAcceleration, explainAcceleration
    from windrow.advising import Advice, LatenessEffect, advise
    from windrow.diagnosing import Cause, Diagnosis, whyNoOutput
    from windrow.timelines import timeline
    from windrow.verifying import Finding, Verification, verify
    from windrow.watching import BatchProgress, Status, logBatches, publishMetrics, status, watch

#: The extras with their public names. An extra is loaded when one of its names is first used.
_EXTRAS = {
    "accelerating": ("Acceleration", "OperatorAcceleration", "explainAcceleration"),
    "advising": ("Advice", "LatenessEffect", "advise"),
    "diagnosing": ("Cause", "Diagnosis", "whyNoOutput"),
    "testing": (),
    "timelines": ("timeline",),
    "verifying": ("Finding", "Verification", "verify"),
    "watching": ("BatchProgress", "Status", "logBatches", "publishMetrics", "status", "watch"),
}

__all__ = [
    "ACCUMULATING",
    "ACCUMULATING_AND_RETRACTING",
    "DISCARDING",
    "KAFKA",
    "Acceleration",
    "AccumulationMode",
    "Advice",
    "AggregatedWindowOperator",
    "Answers",
    "AnyOf",
    "BackpressureError",
    "BatchProgress",
    "ByCount",
    "ByDelta",
    "ByPunctuation",
    "ByTime",
    "Cause",
    "CheckpointError",
    "CoGroupSpec",
    "CompositeOperator",
    "Count",
    "DedupOutput",
    "Diagnosis",
    "EachBatch",
    "EachMessage",
    "EventTimeWatermark",
    "Every",
    "Files",
    "Finding",
    "FullStateWindowOperator",
    "Global",
    "Hopping",
    "Inherit",
    "JarNotFoundError",
    "Jdbc",
    "JoinOutput",
    "JoinSpec",
    "JoinStream",
    "KafkaTable",
    "KeyLimits",
    "LatenessEffect",
    "MatchOutput",
    "MergedWindowOperator",
    "MessageError",
    "Never",
    "OffsetRange",
    "OffsetSession",
    "OperatorAcceleration",
    "OperatorError",
    "Output",
    "Over",
    "PaneTrigger",
    "Picture",
    "Policy",
    "PolicyWindowOperator",
    "ProcessingTimeWatermark",
    "Report",
    "Retention",
    "RowId",
    "Session",
    "Sliding",
    "SpecError",
    "SpecProblem",
    "State",
    "Status",
    "Stream",
    "StreamStreamJoinOperator",
    "Tumbling",
    "UnboundedJoinError",
    "Upsert",
    "Verification",
    "WindowEvent",
    "WindowKind",
    "WindowListener",
    "WindowOperatorSpec",
    "Windowed",
    "WindrowError",
    "__version__",
    "advise",
    "asofJoin",
    "attach",
    "cogroup",
    "configure",
    "doctor",
    "explainAcceleration",
    "increase",
    "join",
    "logBatches",
    "publishMetrics",
    "state",
    "status",
    "stream",
    "testing",
    "timeInState",
    "timeWeightedAverage",
    "timeline",
    "topN",
    "verify",
    "watch",
    "whyNoOutput",
]


def __dir__() -> list[str]:
    """Return all names, including those of extras that are not loaded yet."""
    return sorted({*globals(), *__all__})


if not TYPE_CHECKING:  # a type checker reads the imports, and reports every other name

    def __getattr__(name: str) -> object:
        """Load the extra that has the name."""
        for extra, names in _EXTRAS.items():
            if name == extra or name in names:
                module = import_module(f"{__name__}.{extra}")
                return module if name == extra else getattr(module, name)
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
