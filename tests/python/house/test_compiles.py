"""The product compiles with the Scala compiler and the Spark of PySpark, as for the demo.

sbt compiles against the lowest supported Spark, so only this test and the demo notice a class that
has other fields in the newest one.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pyspark
import pytest

from programs import ROOT


@pytest.mark.full
def test_on_the_newest_spark(tmp_path: Path) -> None:
    """The types of all sources are correct; nothing is written."""
    spark = f"{Path(pyspark.__file__).parent}/jars/*"
    sources = [
        str(file)
        for module in ("core", "spark")
        for file in (ROOT / "jvm" / module / "src" / "main" / "scala").rglob("*.scala")
    ]
    (tmp_path / "sources").write_text("\n".join(sources))
    compiler = [
        "java",
        "-Xss8m",
        "-Xmx2g",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",  # two fifths of the CPU time
        "-cp",
        spark,
        "scala.tools.nsc.Main",
    ]
    options = ["-nowarn", "-Ystop-after:refchecks", "-d", str(tmp_path), "-cp", spark]
    ran = subprocess.run(
        [*compiler, *options, f"@{tmp_path / 'sources'}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
