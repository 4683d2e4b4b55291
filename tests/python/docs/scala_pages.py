"""Scala code of the pages: compiled once, and run in the JVM of a session."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark

from page_parts import Part, beginning, parts
from programs import ROOT

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Pages whose code belongs to suites that run it: two ``GuideSuite`` and ``PagesSuite``.
OF_SUITES = ("operators.md", "testkit.md", "looking-into-a-query.md")

HEAD = """
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions._
import windrow.api._
"""


def pages() -> list[Path]:
    """Return the pages with Scala code."""
    every = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    shows = (path for path in every if "\n```scala\n" in path.read_text(encoding="utf-8"))
    return [path for path in shows if path.name not in OF_SUITES]


def compiled(folder: Path) -> str:
    """Compile a class for each page into a folder; return the compiler's errors, or ""."""
    made = [_class(path.read_text(encoding="utf-8"), _name(path)) for path in pages()]
    return compiled_in(folder, HEAD + "\n".join(made))


def compiled_in(folder: Path, code: str) -> str:
    """Compile code into a folder; return the compiler's messages, "" if there are none."""
    source = folder / "Source.scala"
    source.write_text(code, encoding="utf-8")
    spark = Path(pyspark.__file__).parent.glob("jars/*.jar")
    jars = os.pathsep.join(map(str, [*spark, *ROOT.glob("python/windrow/jars/*.jar")]))
    # Without the slower compiler of Java, this takes three fifths of the CPU time.
    java = ["java", "-Xss8m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", jars]
    scala = ["scala.tools.nsc.Main", "-nowarn", "-cp", jars, "-d", str(folder), str(source)]
    run = subprocess.run([*java, *scala], capture_output=True, text=True, check=False)
    return run.stdout + run.stderr + ("" if run.returncode == 0 else f"status {run.returncode}")


def given(
    spark: SparkSession, classes: Path, path: Path, streams: Mapping[str, DataFrame], block: int
) -> DataFrame:
    """Run a block of a page, and return the DataFrame that it describes."""
    from pyspark.sql.classic.dataframe import DataFrame as Classic

    page = loaded(spark, classes, _name(path))
    java: Any = spark._jvm
    gateway: Any = spark.sparkContext._gateway
    arguments = gateway.new_array(java.java.lang.Object, 1)
    arguments[0] = java.java.util.HashMap()
    for name, stream in streams.items():
        arguments[0].put(name, stream._jdf)
    output = getattr(page.getConstructors()[0].newInstance(arguments), f"block{block}")()
    kind = output.getClass().getSimpleName()
    rows = ("JoinOutput", "DedupOutput", "MatchOutput")
    frames = {"Output": "panes", **dict.fromkeys(rows, "rows")}
    return Classic(getattr(output, frames[kind])() if kind in frames else output, spark)


def loaded(spark: SparkSession, classes: Path, name: str) -> Any:
    """Load a class from a folder into the JVM of a session."""
    java: Any = spark._jvm
    gateway: Any = spark.sparkContext._gateway
    urls = gateway.new_array(java.java.net.URL, 1)
    urls[0] = java.java.io.File(str(classes)).toURI().toURL()
    above = java.java.lang.Thread.currentThread().getContextClassLoader()
    return java.java.net.URLClassLoader(urls, above).loadClass(name)


def _name(path: Path) -> str:
    """Return the name of a page's class."""
    return "".join(c if c.isalnum() else "_" for c in f"{path.parent.name}_{path.stem}_page")


def _class(page: str, name: str) -> str:
    """Return the class of a page: its streams, its other inputs, and a method for each block."""
    found = list(parts(page))
    lines = [f"class {name}(streams: java.util.Map[String, DataFrame]) {{"]
    for part in found:
        if part.word == "given":
            *tables, code = beginning((ROOT / part.said).read_text(encoding="utf-8"), "scala")
            lines += [*map(_stream, tables), f"lazy val minutes = {code.text}"]
    own = {part.said: part for part in found if part.word == "messages"}
    lines += map(_stream, own.values())
    blocks = [part.text for part in found if part.word == "scala"]
    lines += [f"def block{i}(): Any = {{\n{text}{_last(text)}}}" for i, text in enumerate(blocks)]
    return "\n".join([*lines, "}"])


def _last(code: str) -> str:
    """Return the name of the last value in a block, or "" if the block ends with an expression."""
    starts = [line for line in code.splitlines() if line and line[0] not in " )"]
    named = re.match(r"val (\w+) ", starts[-1])
    return f"{named[1]}\n" if named else ""


def _stream(table: Part) -> str:
    return f'def {table.said}: DataFrame = streams.get("{table.said}")'
