"""The commands; each returns whether everything is fine."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from windrow._bridge._doctor import Check, Report
from windrow._bridge._doctor import examine as examined
from windrow._command import _text
from windrow._specs import _zones
from windrow._specs._frames import HasFrames
from windrow.errors import failure
from windrow.operators._session import session


def doctor(options: argparse.Namespace, out: TextIO) -> bool:
    """Check the set-up."""
    from windrow.setup import doctor as examine

    report = examined(None) if options.start else examine()
    if options.start and report.ok:
        report = _started(report)
    _text.put(out, str(report))
    return report.ok


def _started(report: Report) -> Report:
    """Start a session and check it, too; a failed start is a problem of the set-up."""
    try:
        return examined(session())
    except Exception as failed:  # noqa: BLE001  Java, the network, or a setting
        why = _text.plain(str(failed))
        checks = [check for check in report.checks if check.name != "session"]
        return Report((*checks, Check("session", "cannot be started", why)))


def verify(options: argparse.Namespace, out: TextIO) -> bool:
    """Verify a checkpoint."""
    from windrow.verifying import verify as verified

    found = verified(options.checkpoint, outputs=options.output, deep=options.deep)
    _text.put(out, str(found))
    return found.ok


def state(options: argparse.Namespace, out: TextIO) -> bool:
    """Show the state of a checkpoint."""
    from windrow.stores import state as opened

    _must_be(options.checkpoint)
    kept = opened(options.checkpoint, operator=options.operator)._kept(options.what)
    rows = kept.limit(options.limit + 1).toArrow().to_pylist()
    zone = str(kept.sparkSession.conf.get("spark.sql.session.timeZone"))
    shown = _text.table(kept.columns, rows[: options.limit], _zones.tzinfo_of(zone))
    _text.put(out, shown)
    if len(rows) > options.limit:
        _text.put(out, f"There are more rows: --limit {options.limit * 10} shows more of them.")
    return True


def _must_be(checkpoint: str) -> None:
    """Reject a missing local folder before Spark is started for it."""
    if ":" not in checkpoint and not Path(checkpoint).is_dir():
        raise failure("CHECKPOINT_NOT_FOUND", path=checkpoint)


def advise(options: argparse.Namespace, out: TextIO) -> bool:
    """Recommend an allowed lateness."""
    from windrow.advising import advise as advised

    _must_be(options.checkpoint)
    advice = advised(options.checkpoint, options.catch, operator=options.operator)
    _text.put(out, str(advice))
    if options.html:
        Path(options.html).write_text(advice._repr_html_(), encoding="utf-8")
    return True


def explain(options: argparse.Namespace, out: TextIO) -> bool:
    """Describe a pipeline in words."""
    schemas = _schemas(options.schema)
    with (
        _current_folder_on_path(),
        tempfile.TemporaryDirectory(prefix="windrow-") as folder,
    ):
        make = _function(options.pipeline)
        spark = session()
        frames = {
            name: spark.readStream.schema(schema).json(folder) for name, schema in schemas.items()
        }
        made = make(frames[""]) if list(frames) == [""] else make(**frames)
        if not isinstance(made, HasFrames) or not hasattr(made, "explain"):
            raise failure("PIPELINE_NOT_UNDERSTOOD.RESULT", pipeline=options.pipeline)
        made.explain()
    out.flush()
    return True


def _schemas(texts: Sequence[str]) -> Mapping[str, str]:
    """Read the schema of each stream, by its name."""
    found: dict[str, str] = {}
    for name, schema in map(_schema, texts):
        if name in found:
            raise failure(
                "PIPELINE_NOT_UNDERSTOOD.SCHEMA", stream=name or "a stream without a name"
            )
        found[name] = schema
    return found


def _schema(text: str) -> tuple[str, str]:
    """Read the name of a stream ('' if there is only one) and its schema."""
    name, sign, schema = text.partition("=")
    return (name.strip(), schema) if sign and name.strip().isidentifier() else ("", text)


def _function(text: str) -> Any:  # noqa: ANN401  a function of the user
    """Import the function ``module:function``."""
    module, _, name = text.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as wrong:
        raise failure("PIPELINE_NOT_UNDERSTOOD.NAME", pipeline=text, why=wrong) from None


@contextmanager
def _current_folder_on_path() -> Iterator[None]:
    """Allow imports from the current folder, also by the function when it is called."""
    folder = str(Path.cwd())
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        with suppress(ValueError):  # the user's code may have removed it
            sys.path.remove(folder)
