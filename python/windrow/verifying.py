"""Whether a checkpoint is as it was written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath

from windrow._bridge import _jar, _sql
from windrow.stores import _session

__all__ = ["Finding", "Verification", "verify"]

Folder = str | PathLike[str]


@dataclass(frozen=True)
class Finding:
    """What is wrong with a file.

    ``file`` is its path below the checkpoint, of an output its whole path; ``batch`` the one of the
    query that it belongs to, None: all. Without damage the query goes on as if all were whole.
    """

    file: str
    batch: int | None
    what: str
    remedy: str
    isDamage: bool

    def __str__(self) -> str:
        """Show in two lines."""
        batch = "" if self.batch is None else f" (batch {self.batch})"
        weight = "DAMAGE" if self.isDamage else "note  "
        return f"{weight} {self.file}{batch}: {self.what}\n       -> {self.remedy}"


@dataclass(frozen=True)
class Verification:
    """What was read, and what of it is wrong, the worst first; prints as a list."""

    checkpoint: str
    files: int
    bytes: int
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether a query can go on from here."""
        return not any(finding.isDamage for finding in self.findings)

    def __str__(self) -> str:
        """Give the sum in a line, then each finding."""
        whole = "whole" if self.ok else "DAMAGED"
        head = f"{whole}: {self.checkpoint}, {self.files:,} files, {self.bytes:,} bytes"
        return "\n".join([head, *map(str, self.findings)])


def verify(
    checkpoint: Folder, *, outputs: Sequence[Folder] = (), deep: bool = False
) -> Verification:
    """Read a whole checkpoint and say which of its files are not as they were written.

    Spark's own logs and state are read with it, which Spark in some cases reads wrong without a
    word. Nothing is changed; the query may run. outputs: folders that Spark's file sink writes for
    the query (``format("parquet")``, not ``wr.Files``), whose log is read too. deep: every value
    of windrow's state as well, by its own checksum.

    Errors: CheckpointError if there is no checkpoint, or with ``deep`` its path is one that Spark's
    reader of state does not take.
    """
    spark = _session()
    _jar.check(spark)
    path = fspath(checkpoint)
    folders = ", ".join(_sql.text(fspath(output)) for output in outputs)
    more = f", outputs => array({folders})" if outputs else ""
    call = f"windrow_verify({_sql.text(path)}, deep => {str(deep).lower()}{more})"
    with _sql.plain_errors():
        (found,) = spark.sql(f"SELECT * FROM {call}").collect()  # noqa: S608
    findings = tuple(Finding(*row) for row in found.findings)
    return Verification(path, found.files, found.bytes, findings)
