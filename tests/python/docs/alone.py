"""Pages that run in a session of their own, with a database, a broker, or a table format."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from programs import ROOT, build, printed

#: Settings of a session that can write Delta tables.
DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


def delta_jars() -> list[str]:
    """Return the JARs of Delta, which the build downloads."""
    build("delta")
    return [str(jar) for jar in sorted((ROOT / ".build/delta").glob("*.jar"))]


def compare(
    page: str,
    folder: Path,
    jars: Sequence[str],
    *,
    places: Mapping[str, str],
    settings: Mapping[str, str] | None = None,
    **program: Any,
) -> None:
    """Demand that a page shows the output of its code. ``WINDROW_WRITE=1`` writes the page.

    ``places`` maps texts of the page, such as addresses, to those that replace them in its code.
    """
    path = ROOT / "docs" / page
    folder.mkdir(exist_ok=True)
    said = json.dumps(settings or {}), json.dumps(places)
    made = printed("page.py", str(path), str(folder), ",".join(jars), *said, **program)
    text = "\n".join(made)
    if os.environ.get("WINDROW_WRITE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
