"""The bytes of a checkpoint of an operator without a query."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from windrow.errors import failure
from windrow.operators import _tables

if TYPE_CHECKING:
    import pyarrow as pa

_MAGIC = b"windrow1"


def packed(state: bytes, waiting: pa.Table, extra: pa.Table) -> bytes:
    """Write the state, the waiting outputs, and the further parts of an operator."""
    parts = (state, _tables.write(waiting), _tables.write(extra))
    body = b"".join(struct.pack(">Q", len(part)) + part for part in parts)
    return _MAGIC + struct.pack(">I", zlib.crc32(body)) + body


def unpacked(checkpoint: bytes) -> tuple[bytes, pa.Table, pa.Table]:
    """Read the bytes of ``packed``.

    Raises:
        CheckpointError: The bytes are damaged (``STATE_DAMAGED``).

    """
    body = checkpoint[12:]
    if checkpoint[:8] != _MAGIC or checkpoint[8:12] != struct.pack(">I", zlib.crc32(body)):
        raise failure("STATE_DAMAGED.BYTES", count=len(checkpoint))
    parts = []
    while body:
        (length,) = struct.unpack(">Q", body[:8])
        parts.append(body[8 : 8 + length])
        body = body[8 + length :]
    state, waiting, extra = parts
    return state, _tables.read(waiting), _tables.read(extra)
