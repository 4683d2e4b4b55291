"""A query whose checkpoint and files are in an object store equals one on a local disk."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import pytest

from feed import add_files, disordered
from programs import printed, start
from sinks.storage import BUCKET, served

pytestmark = [pytest.mark.spark, pytest.mark.full]

PLACE = f"s3a://{BUCKET}/query"
KILLS = 10


def test_kills_on_an_object_store(tmp_path: Path) -> None:
    """After SIGKILLs at any time no row is lost, doubled or changed (SEMANTICS B1)."""
    rng = random.Random(1)  # noqa: S311  no secret
    batches, kills, here = disordered(seed=5, batches=5 * KILLS), 0, tmp_path / "here"
    with served(tmp_path / "server.log") as url:
        for first in range(0, len(batches), 5):
            add_files(here / "orders", *batches[first : first + 5])
            deadly = (str(rng.randrange(5)), str(round(rng.uniform(0, 2), 2)))
            ran = start("sinks/object_store.py", str(here), PLACE, url, *deadly, new_session=True)
            assert ran.returncode in (0, -signal.SIGKILL), ran.stderr
            kills += ran.returncode != 0
        found = printed("sinks/object_store.py", str(here), PLACE, url, "none", "0")
    assert kills >= KILLS // 2
    local = (tmp_path / "local").as_uri()
    assert found == printed("sinks/object_store.py", str(here), local, "none", "none", "0")
    assert found[-1] == "complete True"
    assert all(len(line) > 500 for line in found[:3])
