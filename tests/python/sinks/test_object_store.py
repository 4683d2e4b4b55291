"""Queries whose files are in an object store, and that are killed, equal others on a local disk."""

from __future__ import annotations

import json
import random
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from feed import Order, add_files, disordered
from programs import printed, start
from sinks.storage import BUCKET, served

pytestmark = [pytest.mark.spark, pytest.mark.full]

PLACE = f"s3a://{BUCKET}/query"


def killed(
    program: str, folder: Path, batches: Sequence[Sequence[Order]], times: int, *where: str
) -> list[str]:
    """Run a program to which orders are added, kill it at random times, and return its output.

    ``where`` is the place of its files, and the address of the store or "none".
    """
    rng, kills, size = random.Random(1), 0, len(batches) // times  # noqa: S311  no secret
    for first in range(0, len(batches), size):
        add_files(folder / "orders", *batches[first : first + size])
        deadly = (str(rng.randrange(size)), str(round(rng.uniform(0, 2), 2)))
        ran = start(program, str(folder), *where, *deadly, new_session=True)
        assert ran.returncode in (0, -signal.SIGKILL), ran.stderr
        kills += ran.returncode != 0
    assert kills >= times // 2
    print(f"{kills} kills")  # noqa: T201
    return printed(program, str(folder), *where, "none", "0")


def test_kills_on_an_object_store(tmp_path: Path) -> None:
    """After SIGKILLs at any time no row is lost, doubled or changed (SEMANTICS B1)."""
    batches, here, program = disordered(5, 20), tmp_path / "here", "sinks/object_store.py"
    with served(tmp_path / "server.log") as url:
        found = killed(program, here, batches, 10, PLACE, url)
    local = (tmp_path / "local").as_uri()
    assert found == printed(program, str(here), local, "none", "none", "0")
    assert found[-1] == "complete True"
    assert all(len(line) > 500 for line in found[:3])


@pytest.mark.parametrize("store", ["object store", "disk"])
def test_rejected_rows_of_an_unchanged_query(store: str, tmp_path: Path) -> None:
    """After SIGKILLs each late row is in the folder once, and no other (SEMANTICS R155)."""
    batches, here, program = disordered(6, 12), tmp_path / "here", "sinks/rejected_store.py"
    with ExitStack() as stack:
        url = stack.enter_context(served(tmp_path / "server.log")) if store != "disk" else "none"
        place = PLACE if store != "disk" else (tmp_path / "there").as_uri()
        rejected, panes = killed(program, here, batches, 4, place, url)
    assert len(expected := late(batches)) > 100
    assert rejected == f"rejected {expected}"
    local = (tmp_path / "local").as_uri()
    assert [rejected, panes] == printed(program, str(here), local, "none", "none", "0")


def late(batches: Sequence[Sequence[Order]]) -> list[str]:
    """Return the rows whose window of 5 minutes ends by the watermark, as text.

    Rows are late by the watermark that the batch before theirs has used, as in Spark.
    """
    found, used, watermark = [], *[datetime(2025, 1, 1)] * 2  # noqa: DTZ001  times without a zone
    for batch in batches:
        times = [datetime.fromisoformat(row["time"]) for row in batch]
        for at, row in zip(times, batch, strict=True):
            end = at.replace(minute=at.minute // 5 * 5, second=0) + timedelta(minutes=5)
            if end <= used:
                fields = {"time": f"{at.isoformat()}.000Z", "product": row["product"]}
                shown = {**fields, "amount": row["amount"]}
                kept = {name: value for name, value in shown.items() if value is not None}
                found.append(json.dumps(kept, separators=(",", ":")))
        used, watermark = watermark, max(watermark, max(times) - timedelta(minutes=1))
    return sorted(found)
