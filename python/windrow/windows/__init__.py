"""What the windows are: ranges of event time, or of positions.

The kinds are values: they compare, hash, print as their call and go through JSON and back.
Durations are text ("90 seconds") or ``timedelta`` and are kept in their shortest exact text;
whole numbers count messages or offsets.
"""

from windrow.windows._aligned import Hopping, Tumbling
from windrow.windows._global import Global
from windrow.windows._inherit import Inherit
from windrow.windows._kind import WindowKind
from windrow.windows._over import Over
from windrow.windows._session import Session
from windrow.windows._sliding import Sliding
from windrow.windows._tuples import Count, OffsetRange, OffsetSession

__all__ = [
    "Count",
    "Global",
    "Hopping",
    "Inherit",
    "OffsetRange",
    "OffsetSession",
    "Over",
    "Session",
    "Sliding",
    "Tumbling",
    "WindowKind",
]
