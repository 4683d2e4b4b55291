"""The connections, files, processes and texts of a query (docs/security.md, SEMANTICS B7)."""

from __future__ import annotations

import json
import struct
import traceback
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

import windrow as wr
from house.addresses import ADDRESSES, OPTIONS, PASSWORD
from house.planted import SECRETS, forms
from programs import start
from sinks.writing import make
from windrow._bridge import _jar
from windrow._running._address import shown
from windrow._running._sinks import problems_of_sinks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

#: Classes and methods that turn bytes or texts into code, processes or connections.
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
#: The size of each constant after its tag, see the Java Virtual Machine Specification, 4.4.
SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2} | {
    17: 4,
    18: 4,
    19: 2,
    20: 2,
}
TEXT = 1
LONG = {5, 6}  # long and double, which use two entries


def constants(code: bytes) -> Iterator[str]:
    """Yield the names and texts in a class file."""
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
    """The JAR uses no Java serialization, class lookup, processes or sockets."""
    found: dict[str, set[str]] = {}
    with zipfile.ZipFile(_jar.path()) as jar:
        names = [name for name in jar.namelist() if name.endswith(".class")]
        for name in names:
            for text in FORBIDDEN & set(constants(jar.read(name))):
                found.setdefault(text, set()).add(name)
    assert len(names) > 500
    # RocksDB, if it is present, database drivers from a fixed list, and constant names of classes
    # that differ between versions of Spark
    versions = {
        f"windrow/spark/version/{name}$.class" for name in ("SparkVersion", "TimePlusInterval")
    }
    known = {
        "windrow/operators/RocksStore$.class",
        "windrow/spark/jdbc/JdbcAccess$.class",
    } | versions
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
    """A spec with a field for a class name is refused, at the top level and in nested objects."""
    plain = json.loads(
        wr.WindowOperatorSpec(window=wr.Tumbling("1 hour"), lateness="0 seconds").toJson()
    )
    (field,) = more
    for spec in ({**plain, **more}, {**plain, "window": {**plain["window"], **more}}):
        said = json.dumps(spec)
        rows = spark.sql(f"SELECT * FROM _windrow_check(spec => '{said}')").collect()  # noqa: S608
        assert [row.code for row in rows] == ["FIELD_UNKNOWN"]
        assert f"'{field}'" in rows[0].text


@pytest.mark.full
@pytest.mark.slow
def test_a_query_is_quiet(tmp_path: Path) -> None:
    """A query opens no additional port and writes no file outside its folders.

    No value appears in an error or in the log.
    """
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


def test_no_password_is_shown(spark: SparkSession) -> None:
    """Sinks show no password in repr, texts, errors and driver messages, in Python and Scala."""
    jvm: Any = spark._jvm
    none = jvm.PythonUtils.toSeq(jvm.java.util.ArrayList())
    options = {name: value.format(PASSWORD) for name, value in OPTIONS.items()}
    java = jvm.PythonUtils.toScalaMap(options)
    no_letters = jvm.scala.Option.empty()
    for address, expected in ADDRESSES.items():
        url = address.format(PASSWORD)
        sink = wr.Jdbc(url, "t", options=options)
        assert shown(url) == expected
        assert repr(expected) in repr(sink)
        scala = jvm.windrow.spark.sinks.Jdbc(url, "t", False, none, java, no_letters).toString()
        assert scala == f"Jdbc({expected}, t)"
        redacting = jvm.windrow.spark.jdbc.JdbcAddress(url, java)
        told = [repr(sink), str(sink), f"{sink!r}", scala]
        texts = url, f"no driver for {url}", f"user 'me', {PASSWORD!r}", f"at x/{PASSWORD}@y"
        told += [redacting.redacted(text) for text in texts]
        cause = jvm.java.sql.SQLException(f"bad {url}", jvm.java.lang.RuntimeException(PASSWORD))
        redacted = redacting.redacted(cause)
        told += [redacted.toString(), redacted.getCause().toString()]
        assert not [text for text in told if PASSWORD in text], address
    for url in [a.format(PASSWORD) for a in ADDRESSES if "derby" not in a and "sqlite" not in a]:
        with pytest.raises(wr.WindrowError, match="JDBC_REFUSED") as refused:
            make(spark, wr.Jdbc(url, "t", options=options), spark.range(0).schema)
        assert PASSWORD not in "".join(traceback.format_exception(refused.value))
    told = [
        repr(wr.KafkaTable("broker:9092", "t", options=options)),
        repr(wr.KafkaTable(f"me:{PASSWORD}@broker:9092", "t")),
        repr(wr.Files(f"s3a://key:{PASSWORD}@bucket/x")),
        repr(wr.Files(f"https://x/y?sig={PASSWORD}")),
    ]
    mistakes: list[Any] = [
        lambda: wr.Jdbc("t", f"jdbc:mysql://me:{PASSWORD}@db/x"),
        lambda: list(problems_of_sinks({"panes": f"jdbc:mysql://me:{PASSWORD}@db/x"})),
        lambda: list(problems_of_sinks({"panes": {"url": "x", "password": PASSWORD}})),
    ]
    for mistake in mistakes:
        try:
            told.append(repr(mistake()))
        except wr.SpecError as refused:
            told.append(str(refused))
    assert not [text for text in told if PASSWORD in text]
    assert any("JDBC_ADDRESS_MISSING" in text for text in told)
    assert (
        repr(wr.Files("s3a://bucket/a b/c", "orc")) == "Files('s3a://bucket/a b/c', format='orc')"
    )
    assert repr(wr.Files("abfss://box@host.net/x")) == "Files('abfss://box@host.net/x')"


@pytest.mark.full
def test_no_password_is_logged_or_kept(tmp_path: Path) -> None:
    """No password is logged or stored by a query that succeeds, one that fails, or one refused."""
    ran = start("passwords.py", str(tmp_path))
    assert ran.returncode == 0, ran.stderr[-4000:]
    assert ran.stdout.splitlines()[-1] == "wrote, failed, refused"
    assert "SaveIntoDataSourceCommand" in ran.stdout
    assert PASSWORD not in ran.stdout + ran.stderr
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert written
    assert not [file for file in written if PASSWORD.encode() in file.read_bytes()]
