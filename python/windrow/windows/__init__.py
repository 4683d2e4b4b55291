"""The kinds of windows: ranges of event time, or of positions.

A kind is a value: it compares, hashes, prints as its call, and can be written as JSON and read
back. A duration is a string ("90 seconds") or a ``timedelta`` and is stored as its shortest exact
text. Integers count rows or offsets.
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
