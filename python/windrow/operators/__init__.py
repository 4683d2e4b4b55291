"""The operators: their specs, and the classes that run them without a query."""

from windrow.operators._cogroup import CoGroupSpec, MergedWindowOperator
from windrow.operators._composite import CompositeOperator
from windrow.operators._join import JoinSpec, JoinStream
from windrow.operators._joins import StreamStreamJoinOperator
from windrow.operators._operator import StandaloneOperator
from windrow.operators._policy import PolicyWindowOperator, WindowEvent, WindowListener
from windrow.operators._spec import CloseOn, WindowOperatorSpec
from windrow.operators._windows import (
    AggregatedWindowOperator,
    FullStateWindowOperator,
    WindowOperator,
)

__all__ = [
    "AggregatedWindowOperator",
    "CloseOn",
    "CoGroupSpec",
    "CompositeOperator",
    "FullStateWindowOperator",
    "JoinSpec",
    "JoinStream",
    "MergedWindowOperator",
    "PolicyWindowOperator",
    "StandaloneOperator",
    "StreamStreamJoinOperator",
    "WindowEvent",
    "WindowListener",
    "WindowOperator",
    "WindowOperatorSpec",
]
