"""Check that the files of a checkpoint are as they were written: ``verify(...)``."""

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
    """A problem with one file of a checkpoint.

    Attributes:
        file: The path below the checkpoint; for an output its full path.
        batch: The micro-batch of the query to which the file belongs, or None for all of them.
        what: The problem.
        remedy: The action that solves it.
        isDamage: Whether the query cannot continue correctly. False is a note only.

    Example:
        >>> print(wr.Finding("offsets/7", 7, "the file is empty", "Restore the checkpoint.", True))
        DAMAGE offsets/7 (batch 7): the file is empty
               -> Restore the checkpoint.

    """

    file: str
    batch: int | None
    what: str
    remedy: str
    isDamage: bool

    def __str__(self) -> str:
        """Show the finding and its remedy in two lines."""
        batch = "" if self.batch is None else f" (batch {self.batch})"
        weight = "DAMAGE" if self.isDamage else "note  "
        return f"{weight} {self.file}{batch}: {self.what}\n       -> {self.remedy}"


@dataclass(frozen=True)
class Verification:
    """The result of ``wr.verify``: the files that were read, and the findings.

    ``print`` shows it as a list, the worst finding first.

    Attributes:
        checkpoint: The folder of the checkpoint.
        files: The number of files that were read.
        bytes: Their size.
        findings: The problems, the worst first.

    Example:
        >>> result = wr.Verification("checkpoint", 12, 3456, ())
        >>> result.ok
        True

    """

    checkpoint: str
    files: int
    bytes: int
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Return whether the query can continue from this checkpoint.

        Returns:
            True if no finding is damage. Findings that are only notes do not matter here.

        """
        return not any(finding.isDamage for finding in self.findings)

    def __str__(self) -> str:
        """Show the totals in one line, and then each finding."""
        verdict = "complete" if self.ok else "DAMAGED"
        head = f"{verdict}: {self.checkpoint}, {self.files:,} files, {self.bytes:,} bytes"
        return "\n".join([head, *map(str, self.findings)])


def verify(
    checkpoint: Folder, *, outputs: Folder | Sequence[Folder] = (), deep: bool = False
) -> Verification:
    """Read every file of a checkpoint, and report those that are not as they were written.

    Spark does not notice every missing or damaged file of a checkpoint, so verify a checkpoint
    before you rely on a restored or copied one. Spark's own logs and state are read too. Nothing is
    changed, and the query may run meanwhile.

    Args:
        checkpoint: The folder of the checkpoint.
        outputs: One or more folders that Spark's file sink writes for the query
            (``format("parquet")``, not ``wr.Files``). Their logs are read too.
        deep: Whether to check every value of Windrow's state by its checksum, which takes longer.
            The default is False.

    Returns:
        The findings. ``ok`` is True if none of them is damage.

    Raises:
        CheckpointError: The folder is not a checkpoint (``CHECKPOINT_NOT_FOUND``), or with ``deep``
            Spark's reader of state does not support its path (``CHECKPOINT_PATH_NOT_READABLE``).
        JarNotFoundError: The session does not have Windrow's JAR (``JAR_NOT_LOADED``).

    Example:
        ::

            result = wr.verify("checkpoint", deep=True)
            print(result)
            assert result.ok

    """
    spark = _session()
    _jar.check(spark)
    path = fspath(checkpoint)
    given = [outputs] if isinstance(outputs, str | PathLike) else outputs
    folders = ", ".join(_sql.text(fspath(output)) for output in given)
    more = f", outputs => array({folders})" if folders else ""
    call = f"windrow_verify({_sql.text(path)}, deep => {str(deep).lower()}{more})"
    with _sql.plain_errors():
        (found,) = spark.sql(f"SELECT * FROM {call}").collect()  # noqa: S608
    findings = tuple(Finding(*row) for row in found.findings)
    return Verification(path, found.files, found.bytes, findings)
