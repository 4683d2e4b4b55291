"""Writes the missing checkpoints of this version, from which later versions will restart."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

import windrow as wr
from conftest import session_builder
from kept.queries import QUERIES
from kept.run import fingerprint, made, programs, reading, run, session_of, write
from kept.text import folded

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"


def main() -> None:
    """Write the checkpoints of the named queries, by default of all queries without one."""
    parser = argparse.ArgumentParser(prog="scripts/checkpoints")
    parser.add_argument("query", nargs="*", choices=[*QUERIES, []], help="write them anew")
    version = CHECKPOINTS / wr.__version__
    version.mkdir(parents=True, exist_ok=True)
    names = parser.parse_args().query or [
        name for name in QUERIES if not (version / f"{name}.json").exists()
    ]
    source = version / "input" / "input.json"
    if not source.exists():
        source.parent.mkdir()
        _write(source, made())
    before = json.loads(source.read_text())["before"]
    with tempfile.TemporaryDirectory() as folder:
        spark = wr.configure(session_builder(Path(folder))).getOrCreate()

        def keep(name: str) -> None:
            _keep(session_of(spark), name, before, (Path(folder) / name).resolve(), version)

        with ThreadPoolExecutor(3) as at_once:
            list(at_once.map(keep, names))
        spark.stop()


def _keep(
    session: SparkSession, name: str, before: Mapping[str, str], home: Path, version: Path
) -> None:
    write(before, home)
    run(session, name, home)
    query = QUERIES[name](reading(session, home))
    content = {
        "windrow": wr.__version__,
        "spark": pyspark.__version__,
        "fingerprints": [fingerprint(one) for one in programs(session, query)],
        "checkpoint": folded(home / "checkpoint"),
    }
    _write(version / f"{name}.json", content)


def _write(file: Path, content: object) -> None:
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
