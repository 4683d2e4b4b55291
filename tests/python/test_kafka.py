"""Queries on a real Kafka broker, started from its JARs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from programs import printed
from torture.broker import broker

pytestmark = [pytest.mark.spark, pytest.mark.full]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a broker that ends with the tests."""
    with broker(tmp_path_factory.mktemp("kafka")) as found:
        yield found


def test_restarts_rewinds_and_transactions(address: str, tmp_path: Path) -> None:
    """The panes are those of what was committed, each message once (SEMANTICS R13, S3)."""
    refused = printed("kafka.py", str(tmp_path), address)[-1].split()
    assert 0 < int(refused[-3]) < int(refused[-1])
