"""Database servers for tests: on loopback, with a data folder of their own, not as root."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from programs import ROOT, answers, awaited, build, free_ports, running

#: The package of each server, and the location of its programs.
_PROGRAMS = {
    "postgresql": ("postgresql", "/usr/lib/postgresql", "*/bin/postgres"),
    "mariadb": ("mariadb-server", "/usr/sbin", "mariadbd"),
}


def jars(database: str) -> str:
    """Return the driver's JAR, which the build downloads."""
    build(database)
    return ",".join(str(jar) for jar in (ROOT / ".build" / database).glob("*.jar"))


@contextmanager
def served(database: str, log: Path) -> Iterator[str]:
    """Run a server with an empty database within the context, and return its address."""
    if database == "sqlite":
        with TemporaryDirectory() as folder:
            yield f"jdbc:sqlite:{folder}/test.db"
        return
    server = _program(database)
    is_root = os.geteuid() == 0
    user = (
        {"postgresql": "postgres", "mariadb": "mysql"}[database] if is_root else getpass.getuser()
    )
    as_user = ["setpriv", f"--reuid={user}", "--clear-groups"] if is_root else []
    (port,) = free_ports(1)
    # the folders above those of tests may be inaccessible to the server
    with TemporaryDirectory(dir="/tmp") as data:
        shutil.chown(data, user)
        if database == "postgresql":
            made = [str(server.parent / "initdb"), "-D", data, "-U", "test", "-A", "trust"]
            command = [str(server), "-D", data, "-p", str(port), "-k", "", "-h", "127.0.0.1"]
            url = f"jdbc:postgresql://127.0.0.1:{port}/postgres?user=test"
        else:
            made = [
                "mariadb-install-db",
                "--no-defaults",
                f"--datadir={data}/data",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
            ]
            first = Path(data, "first.sql")
            first.write_text(
                "CREATE DATABASE shop CHARACTER SET utf8mb4;\n"
                "CREATE USER test@'127.0.0.1' IDENTIFIED BY '';\n"
                "GRANT ALL ON *.* TO test@'127.0.0.1';\n"
            )
            command = [
                str(server),
                "--no-defaults",
                f"--datadir={data}/data",
                f"--socket={data}/socket",
                f"--pid-file={data}/pid",
                f"--port={port}",
                "--bind-address=127.0.0.1",
                "--skip-name-resolve",
                f"--init-file={first}",
                "--default-time-zone=+00:00",
            ]
            url = f"jdbc:mariadb://127.0.0.1:{port}/shop?user=test"
        own = {**os.environ, "TMPDIR": data}  # other folders may be inaccessible to the user
        subprocess.run([*as_user, *made], check=True, capture_output=True, cwd=data, env=own)
        with running([*as_user, *command], log, TMPDIR=data):
            awaited(lambda: answers(port), database)
            yield url


def _program(database: str) -> Path:
    """Return the path of the server, which is installed if it is missing and that is possible."""
    package, folder, pattern = _PROGRAMS[database]
    for _ in range(2):
        found = sorted(Path(folder).glob(pattern))
        if found:
            return found[-1]
        if os.geteuid() == 0 and shutil.which("apt-get"):
            quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            apt = str(shutil.which("apt-get"))
            subprocess.run([apt, "update"], check=False, env=quiet)
            install = [apt, "install", "-y", "--no-install-recommends", package]
            subprocess.run(install, check=False, env=quiet)
    pytest.fail(f"{database} is not installed: apt-get install {package}")
