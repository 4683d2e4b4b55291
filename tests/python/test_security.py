"""What a query opens, writes, runs and tells (docs/security.md, SEMANTICS B7)."""

from __future__ import annotations

import json
import struct
import zipfile
from typing import TYPE_CHECKING

import pytest

import windrow as wr
from planted import SECRETS, forms
from programs import start
from windrow._bridge import _jar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

#: Classes and methods by which bytes or texts become code, processes or connections.
FORBIDDEN = {
    "java/io/ObjectInputStream",
    "java/lang/ClassLoader",
    "java/lang/ProcessBuilder",
    "java/lang/Runtime",
    "java/net/ServerSocket",
    "java/net/Socket",
    "java/net/URLClassLoader",
    "java/nio/channels/ServerSocketChannel",
    "java/nio/channels/SocketChannel",
    "javax/naming/InitialContext",
    "javax/script/ScriptEngineManager",
    "com/fasterxml/jackson/annotation/JsonTypeInfo",
    "com/fasterxml/jackson/databind/jsontype/PolymorphicTypeValidator",
    "org/apache/spark/serializer/JavaSerializer",
    "org/apache/spark/serializer/KryoSerializer",
    "org/apache/spark/util/Utils$",
    "forName",
    "loadClass",
    "defineClass",
    "readObject",
    "enableDefaultTyping",
    "activateDefaultTyping",
}
#: What stands behind each tag of a pool of constants, see the Java virtual machine's book, 4.4.
SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2} | {
    17: 4,
    18: 4,
    19: 2,
    20: 2,
}
TEXT = 1
LONG = {5, 6}  # take two places


def constants(code: bytes) -> Iterator[str]:
    """Give the names and texts in a class file."""
    (count,) = struct.unpack(">H", code[8:10])
    place, at = 1, 10
    while place < count:
        tag = code[at]
        if tag == TEXT:
            (size,) = struct.unpack(">H", code[at + 1 : at + 3])
            yield code[at + 3 : at + 3 + size].decode("utf-8", "replace")
            at += 3 + size
        else:
            at += 1 + SIZES[tag]
        place += 2 if tag in LONG else 1


def test_nothing_in_the_jar_makes_code_of_data() -> None:
    """No Java serialisation is read, no class is sought by a name, no process or socket opened."""
    found: dict[str, set[str]] = {}
    with zipfile.ZipFile(_jar.path()) as jar:
        names = [name for name in jar.namelist() if name.endswith(".class")]
        for name in names:
            for text in FORBIDDEN & set(constants(jar.read(name))):
                found.setdefault(text, set()).add(name)
    assert len(names) > 500
    # RocksDB, if it is there; drivers of databases, of a list of its own
    known = {"windrow/operators/RocksStore$.class", "windrow/spark/jdbc/DefaultSource$.class"}
    assert found == {"forName": known}


@pytest.mark.spark
@pytest.mark.parametrize(
    "more",
    [
        {"@class": "java.lang.ProcessBuilder"},
        {"@type": "java.lang.Runtime"},
        {"class": "javax.script.ScriptEngineManager"},
    ],
)
def test_a_spec_names_no_class(spark: SparkSession, more: dict[str, str]) -> None:
    """A field that could is refused by name, at the top and inside."""
    plain = json.loads(
        wr.WindowOperatorSpec(window=wr.Tumbling("1 hour"), lateness="0 seconds").toJson()
    )
    (field,) = more
    for spec in ({**plain, **more}, {**plain, "window": {**plain["window"], **more}}):
        said = json.dumps(spec)
        rows = spark.sql(f"SELECT * FROM _windrow_check(spec => '{said}')").collect()  # noqa: S608
        assert [row.code for row in rows] == ["FIELD_UNKNOWN"]
        assert f"'{field}'" in rows[0].text


@pytest.mark.slow
def test_a_query_is_quiet(tmp_path: Path) -> None:
    """Beyond Spark's: no port, no file outside its folders; no value in an error or in the log."""
    home, here, temporary = (tmp_path / name for name in ("home", "here", "tmp"))
    for folder in (home, here, temporary):
        folder.mkdir()
    ran = start("quiet.py", cwd=here, FOLDER=str(tmp_path), HOME=str(home), TMPDIR=str(temporary))
    assert ran.returncode == 0, ran.stderr[-4000:]
    lines = ran.stdout.splitlines()
    assert "opened []" in lines
    assert "rejected ['INVALID_TIME', 'TOO_FAR_AHEAD', 'TOO_LATE']" in lines
    failed = [line.partition(" failed: ")[0] for line in lines if " failed: " in line]
    assert failed == ["another spec", "no column", "sql", "other types", "state", "damaged"]
    for value in SECRETS.values():
        for text in forms(value):
            assert text not in ran.stdout, (text, [line for line in lines if text in line])
            assert text not in ran.stderr
    assert list(home.iterdir()) == list(here.iterdir()) == list(temporary.iterdir()) == []
    windrow = {"checkpoint", "panes", "rejected"}
    others = {"home", "here", "tmp", "warehouse", "in", "plain", "copy"}
    assert {one.name for one in tmp_path.iterdir()} - others == windrow
