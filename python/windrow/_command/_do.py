"""The commands; each returns whether everything is fine."""

from __future__ import annotations

import argparse
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from windrow._command import _text
from windrow.errors import failure
from windrow.operators._session import session

if TYPE_CHECKING:
    from windrow.stores import State


def doctor(said: argparse.Namespace, out: TextIO) -> bool:
    """Check the set-up."""
    from windrow.setup import doctor as examine

    report = examine(session() if said.start else None)
    _text.put(out, str(report))
    return report.ok


def verify(said: argparse.Namespace, out: TextIO) -> bool:
    """Verify a checkpoint."""
    from windrow.verifying import verify as verified

    found = verified(said.checkpoint, outputs=said.output, deep=said.deep)
    _text.put(out, str(found))
    return found.ok


def state(said: argparse.Namespace, out: TextIO) -> bool:
    """Show the state of a checkpoint."""
    from windrow.stores import state as opened

    _must_be(said.checkpoint)
    kept = _kept(opened(said.checkpoint, operator=said.operator), said.what)
    rows = [row.asDict(recursive=True) for row in kept.limit(said.limit + 1).collect()]
    _text.put(out, _text.table(kept.columns, rows[: said.limit]))
    if len(rows) > said.limit:
        _text.put(out, f"There are more rows: --limit {said.limit * 10} shows more of them.")
    return True


def _must_be(checkpoint: str) -> None:
    """Reject a missing local folder before Spark is started for it."""
    if ":" not in checkpoint and not Path(checkpoint).is_dir():
        raise failure("CHECKPOINT_NOT_FOUND", path=checkpoint)


def _kept(state: State, what: str) -> Any:  # noqa: ANN401  a DataFrame
    if what == "windows":
        return state.getWindows(None, None)
    return state.getMessages(None, None) if what == "messages" else state.pending()


def advise(said: argparse.Namespace, out: TextIO) -> bool:
    """Recommend an allowed lateness."""
    from windrow.advising import advise as advised

    _must_be(said.checkpoint)
    advice = advised(said.checkpoint, said.catch, operator=said.operator)
    _text.put(out, str(advice))
    if said.html:
        Path(said.html).write_text(advice._repr_html_(), encoding="utf-8")
    return True


def explain(said: argparse.Namespace, out: TextIO) -> bool:
    """Describe a pipeline in words."""
    make = _function(said.pipeline)
    spark = session()
    schemas = dict(_schema(one) for one in said.schema)
    with tempfile.TemporaryDirectory(prefix="windrow-") as folder:
        frames = {
            name: spark.readStream.schema(schema).json(folder) for name, schema in schemas.items()
        }
        made = make(frames[""]) if list(frames) == [""] else make(**frames)
        if not hasattr(made, "explain") or not hasattr(made, "spec"):
            raise failure("PIPELINE_NOT_UNDERSTOOD.RESULT", pipeline=said.pipeline)
        made.explain()
    out.flush()
    return True


def _schema(said: str) -> tuple[str, str]:
    """Read the name of a stream ('' if there is only one) and its schema."""
    name, sign, schema = said.partition("=")
    return (name.strip(), schema) if sign and name.strip().isidentifier() else ("", said)


def _function(said: str) -> Any:  # noqa: ANN401  a function of the user
    """Import the function ``module:function``."""
    module, _, name = said.partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as wrong:
        raise failure("PIPELINE_NOT_UNDERSTOOD.NAME", pipeline=said, why=wrong) from None
    finally:
        sys.path.pop(0)
    return found
