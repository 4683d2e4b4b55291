"""``verify`` detects a damaged or incomplete checkpoint before its query continues.

SEMANTICS S13.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from feed import SCHEMA, add_files, disordered
from restarts.damage import Damage, damages
from windrow._command import main

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = [pytest.mark.spark, pytest.mark.slow]

FULL = os.environ.get("WINDROW_MODE") == "full"
SEED = 1501
SETTINGS = {
    "spark.sql.streaming.fileSource.log.compactInterval": "4",
    "spark.sql.streaming.fileSink.log.compactInterval": "5",
}
#: The first run's batches write complete state; those of a second run write changes.
CHANGES = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"


@dataclass(frozen=True)
class Kept:
    """A query with a file source and Spark's file sink, after several batches."""

    spark: SparkSession
    folder: Path

    @property
    def checkpoint(self) -> Path:
        """Return the path of the checkpoint, which contains a blank."""
        return self.folder / "kept" / "check point"

    @property
    def output(self) -> Path:
        """Return the path of the panes."""
        return self.folder / "kept" / "panes"

    def start(self, **settings: str) -> StreamingQuery:
        """Run the query over the available input."""
        session = self.spark.newSession()
        for name, value in {**SETTINGS, **settings}.items():
            session.conf.set(name, value)
        reader = session.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        stream = wr.stream(
            reader.json(str(self.folder / "orders")),
            time="time",
            key="product",
            watermark="1 minute",
        )
        windows = stream.lateness("10 minutes").window(wr.Hopping("5 minutes", step="2 minutes"))
        fired = windows.trigger(early=wr.EachBatch()).accumulationMode(wr.ACCUMULATING)
        panes = fired.aggregate(F.sum("amount").alias("total")).panes
        writer = panes.writeStream.option("checkpointLocation", str(self.checkpoint))
        return writer.trigger(availableNow=True).format("parquet").start(str(self.output))

    def panes(self) -> list[str]:
        """Return the panes that a reader of the output sees."""
        panes = self.spark.read.parquet(str(self.output)).drop("processing_time")
        return sorted(map(repr, panes.collect()))

    def resumed(self) -> list[str]:
        """Return the panes after the query continues, and restore its folder."""
        before = self.folder / "before"
        shutil.copytree(self.folder / "kept", before)
        try:
            self.start().awaitTermination()
            return self.panes()
        finally:
            shutil.rmtree(self.folder / "kept")
            before.rename(self.folder / "kept")

    def verified(self) -> wr.Verification:
        """Verify checkpoint and output."""
        return wr.verify(self.checkpoint, outputs=[self.output])


@pytest.fixture(scope="module")
def kept(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Return a query whose input has one more file than it has read."""
    made = Kept(spark, tmp_path_factory.mktemp("verify"))
    batches = disordered(seed=SEED, batches=8, size=30)
    add_files(made.folder / "orders", *batches[:2])
    made.start(**{CHANGES: "false"}).awaitTermination()
    add_files(made.folder / "orders", *batches[2:7])
    made.start(**{CHANGES: "true"}).awaitTermination()
    add_files(made.folder / "orders", *batches[7:])
    return made


def is_found(damage: Damage, found: wr.Verification) -> bool:
    """Return whether a finding names the damaged file."""
    name = damage.file.name
    return any(Path(one.file).name == name or name in one.what for one in found.findings)


def test_single_damages(kept: Kept) -> None:
    """A deleted, cut or emptied file is always found, and a changed byte nearly always."""
    assert kept.verified().findings == ()
    tries: Counter[tuple[str, str]] = Counter()
    missed: list[Damage] = []
    for damage in damages(
        [kept.checkpoint, kept.output / "_spark_metadata"], 1000 if FULL else 40, SEED
    ):
        with damage.done():
            found = kept.verified()
        tries[damage.kind, damage.how] += 1
        if not is_found(damage, found):
            missed.append(damage)
    for (kind, how), count in sorted(tries.items()):
        print(f"{how:8} {count:4} {kind}")  # noqa: T201
    print(len(missed), "missed:", missed)  # noqa: T201
    assert not [damage for damage in missed if damage.how != "flipped"]
    flips = sum(count for (_, how), count in tries.items() if how == "flipped")
    assert len(missed) <= 0.05 * flips, missed
    assert kept.verified().findings == ()


@pytest.mark.full
def test_changes_without_damage(kept: Kept) -> None:
    """If ``verify`` reports no damage, the query continues as if all files were intact."""
    whole = kept.resumed()
    assert len(whole) > len(kept.panes()) > 100
    harmless = 0
    for damage in damages([kept.checkpoint], 100 if FULL else 20, SEED + 1):
        with damage.done():
            if kept.verified().ok and (FULL or not harmless):
                harmless += 1
                assert kept.resumed() == whole, damage
    assert harmless
    print(harmless, "without weight")  # noqa: T201


def test_a_source_log_that_lost_its_last_entry(kept: Kept) -> None:
    """A source log without its last entry is reported with its batch and a remedy.

    Spark would skip the files of that entry silently.
    """
    last = max((kept.checkpoint / "sources/0").glob("[0-9]*"), key=lambda file: int(file.stem))
    with Damage(last, "deleted").done():
        (found,) = kept.verified().findings
    assert (found.file, found.isDamage) == (f"sources/0/{last.name}", True)
    assert found.batch == max(int(file.name) for file in last.parents[2].glob("offsets/[0-9]*")) - 1
    assert "silently skips its files" in found.what
    assert "copy of the checkpoint" in found.remedy


def test_verify_during_a_running_query(kept: Kept) -> None:
    """``verify`` reports no damage while a query runs, and writes nothing."""
    looks = 0
    before = kept.folder / "before"
    shutil.copytree(kept.folder / "kept", before)
    add_files(kept.folder / "orders", *disordered(seed=SEED + 2, batches=6, size=10))
    try:
        query = kept.start(**{"spark.sql.streaming.minBatchesToRetain": "2"})
        while query.isActive:
            assert kept.verified().findings == ()
            looks += 1
        query.awaitTermination()
    finally:
        shutil.rmtree(kept.folder / "kept")
        before.rename(kept.folder / "kept")
    assert looks


@pytest.mark.anywhere
def test_the_command_line(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    """``python -m windrow verify`` prints the findings and returns an exit status."""
    command = ["verify", str(kept.checkpoint), "--output", str(kept.output)]
    assert main(command) == 0
    assert capsys.readouterr().out.startswith("complete: ")
    with Damage(kept.checkpoint / "offsets" / "3", "emptied").done():
        assert main(command) == 0  # the damaged file belongs to an old batch
        assert "note   offsets/3 (batch 3)" in capsys.readouterr().out
    with Damage(kept.checkpoint / "metadata", "emptied").done():
        assert main(command) == 1
        assert "DAMAGE metadata: " in capsys.readouterr().out
    assert main(["verify", str(kept.folder)]) == 2
    assert capsys.readouterr().err.startswith("[CHECKPOINT_NOT_FOUND]")


def test_a_query_that_ended_before_its_first_plan(kept: Kept, tmp_path: Path) -> None:
    """The checkpoint of a query that ended before its first plan is intact (SEMANTICS S13).

    State without a plan is damage.
    """
    begun = tmp_path / "begun"
    (begun / "sources" / "0").mkdir(parents=True)
    for name in ("metadata", ".metadata.crc", "sources/0/0", "sources/0/.0.crc"):
        shutil.copy(kept.checkpoint / name, begun / name)
    assert wr.verify(begun).findings == ()
    with Damage(begun / "metadata", "emptied").done():
        (found,) = wr.verify(begun).findings
        assert found.isDamage
        assert found.file == "metadata"
    shutil.copytree(kept.checkpoint / "state", begun / "state")
    with pytest.raises(wr.CheckpointError, match="CHECKPOINT_NOT_FOUND"):
        wr.verify(begun)


def test_values(kept: Kept, tmp_path: Path) -> None:
    """``deep`` finds a value that differs from its checksum in an otherwise valid file."""
    with pytest.raises(wr.CheckpointError, match="CHECKPOINT_PATH_NOT_READABLE"):
        wr.verify(kept.checkpoint, deep=True)
    checkpoint = tmp_path / "plain"
    shutil.copytree(kept.checkpoint, checkpoint)
    assert wr.verify(checkpoint, deep=True).findings == ()
    changed = max(checkpoint.glob("state/0/0/*.changelog"), key=lambda file: int(file.stem))
    rewritten(kept.spark, changed)
    assert wr.verify(checkpoint).ok
    (found,) = (one for one in wr.verify(checkpoint, deep=True).findings if one.isDamage)
    assert "[STATE_DAMAGED]" in found.what
    assert "in shard" in found.what


def rewritten(spark: SparkSession, file: Path) -> None:
    """Change a byte within the longest value of a changelog file, which stays readable."""
    jvm: Any = spark._jvm
    codec = jvm.org.apache.spark.io.LZ4CompressionCodec(jvm.org.apache.spark.SparkConf())
    whole = codec.compressedInputStream(jvm.java.io.FileInputStream(str(file)))
    changes = bytearray(whole.readAllBytes())
    whole.close()
    begin, end = max(values(changes), key=lambda value: value[1] - value[0])
    changes[(begin + end) // 2] ^= 1
    out = codec.compressedOutputStream(jvm.java.io.FileOutputStream(str(file)))
    out.write(bytes(changes))
    out.close()
    (file.parent / f".{file.name}.crc").unlink()


def values(changes: bytearray) -> Iterator[tuple[int, int]]:
    """Yield the positions of the values in a changelog of Spark's version 2, after its header."""
    at = 4
    while changes[at]:
        is_put = changes[at] == 1
        at += 1
        for is_value in (False, True):
            length = int.from_bytes(changes[at : at + 4], signed=True)
            at += 4
            if is_value and is_put:
                yield at, at + length
            at += max(length, 0)
