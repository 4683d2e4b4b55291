"""Every program in ``examples/`` prints what its first lines state."""

from __future__ import annotations

import os
import re
import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from docs.scala_pages import compiled_in, loaded
from programs import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

EXAMPLES = ROOT / "examples"


def tables(text: str) -> list[str]:
    """Return the lines of all tables in a text, without the mark of a comment."""
    return re.findall(r"^(?:-- |// )?([+|][^\n]*[+|])$", text, re.MULTILINE)


def stated(path: Path) -> list[str]:
    """Return the tables in the comment or docstring at the top of a program."""
    text = path.read_text(encoding="utf-8")
    head = re.match(r'"""(.*?)"""|((?:(?://|--)[^\n]*\n)+)', text, re.DOTALL)
    assert head, path
    return tables(head.group(0))


def compare(path: Path, out: list[str]) -> None:
    """Demand the tables that a program states. ``WINDROW_WRITE=1`` writes them into it."""
    if os.environ.get("WINDROW_WRITE"):
        text, mark = path.read_text(encoding="utf-8"), {".sql": "-- ", ".scala": "// "}
        lines = [line for line in text.splitlines() if not tables(line)]
        at = (
            next(
                n
                for n, line in enumerate(lines)
                if line.rstrip(":.").endswith(("return", "prints"))
            )
            + 2
        )
        lines[at:at] = [mark.get(path.suffix, "") + line for line in out]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert out == stated(path)


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_python(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    """A Python program, run in the session of the tests, prints its table."""
    runpy.run_path(str(path))
    out = tables(capsys.readouterr().out)
    compare(path, out)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.sql")), ids=lambda path: path.name)
def test_sql(spark: SparkSession, capsys: pytest.CaptureFixture[str], path: Path) -> None:
    """The last statement of a SQL file returns the rows that the file states."""
    code = re.sub(r"^--.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    *before, last = [statement for statement in code.split(";") if statement.strip()]
    for statement in before:
        spark.sql(statement)
    spark.sql(last).show()
    out = tables(capsys.readouterr().out)
    compare(path, out)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.scala")), ids=lambda path: path.name)
def test_scala(spark: SparkSession, tmp_path: Path, path: Path) -> None:
    """A script for spark-shell, compiled and run in the JVM of the session, prints its table.

    The default mode only compiles it.
    """
    imports, script = _imports_first(path.read_text(encoding="utf-8"))
    source = f"""{imports}
class Example(spark: org.apache.spark.sql.SparkSession) {{
  def printed(): String = {{
    val out = new java.io.ByteArrayOutputStream
    Console.withOut(out) {{
{script}
    }}
    out.toString
  }}
}}
"""
    assert compiled_in(tmp_path, source) == ""
    if os.environ.get("WINDROW_MODE") != "full":
        return
    example: Any = loaded(spark, tmp_path, "Example").getConstructors()[0]
    gateway: Any = spark.sparkContext._gateway
    arguments = gateway.new_array(gateway.jvm.java.lang.Object, 1)
    arguments[0] = spark._jsparkSession
    out = tables(example.newInstance(arguments).printed())
    compare(path, out)


def _imports_first(text: str) -> tuple[str, str]:
    lines = text.splitlines()
    imports = [line for line in lines if line.startswith("import ")]
    return "\n".join(imports), "\n".join(line for line in lines if line not in imports)
