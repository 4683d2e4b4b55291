"""Users can install the package and the library, as the pages show, from an empty environment."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as ET

import pytest

import windrow as wr
from docs.test_pages import blocks
from feed import add_files
from programs import FRESH, ROOT

pytestmark = pytest.mark.full

CORRECTED = "[(3.0, 'ON_TIME'), (6.0, 'ON_TIME'), (5.0, 'LATE')]"
MAVEN = ROOT / "dist" / "maven"
LIBRARY = MAVEN / "io" / "windrow" / "windrow_2.13" / wr.__version__
PAGE = "docs/packaging.md"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.windrow.shards": "1",
    "spark.sql.session.timeZone": "UTC",
}


def shell(command: str, folder: Path, env: Mapping[str, str]) -> str:
    """Run a command and return its output; it must succeed."""
    ran = subprocess.run(
        ["/bin/bash", "-ec", command], cwd=folder, env=env, capture_output=True, check=False
    )
    said = ran.stdout.decode()
    assert ran.returncode == 0, said[-4000:] + ran.stderr.decode()[-4000:]
    return said


@pytest.fixture(scope="module", params=["4.3.0", "4.0.2"])
def spark_version(request: pytest.FixtureRequest) -> str:
    """Return the Spark that an empty environment receives."""
    return str(request.param)


@pytest.fixture(scope="module")
def empty(spark_version: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment with nothing but a new virtual environment on the path."""
    folder = tmp_path_factory.mktemp(f"empty-{spark_version}")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    (folder / "conf").mkdir()
    lines = "".join(f"{name} {value}\n" for name, value in SETTINGS.items())
    (folder / "conf" / "spark-defaults.conf").write_text(lines)
    kept = {name: value for name, value in os.environ.items() if "PYTHON" not in name}
    return {
        **{name: value for name, value in kept.items() if not name.startswith("SPARK_")},
        "SPARK_CONF_DIR": str(folder / "conf"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PATH": f"{folder / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PIP_FIND_LINKS": str(ROOT / "dist"),  # for pages that install from a registry
        "VENV": str(folder / "venv"),
    }


@pytest.fixture(scope="module")
def installed(spark_version: str, empty: dict[str, str]) -> dict[str, str]:
    """Install Windrow with the line of README, or with that of the page for an older Spark."""
    (line,) = (block for block in blocks("README.md", "sh") if "pip install" in block)
    assert line in blocks("docs/start.md", "sh")
    if spark_version != "4.3.0":
        (older,) = (block for block in blocks(PAGE, "sh") if f"pyspark=={spark_version}" in block)
        assert older == f"{line.rstrip()} pyspark=={spark_version}\n"
        line = older
    if "scripts/build" not in line:
        shell("scripts/build wheel", ROOT, empty)
    shell(line, ROOT, empty)
    program = "import pyspark; print(pyspark.__version__)"
    assert shell(f"python -c '{program}'", ROOT, empty).strip() == spark_version
    return empty


@pytest.fixture(scope="module")
def library() -> Path:
    """Build the library as a Maven repository."""
    subprocess.run([ROOT / "scripts" / "build", "maven"], check=True)
    return LIBRARY


def test_the_line_of_readme(installed: dict[str, str], tmp_path: Path) -> None:
    """The line installs the package with PySpark, and ``windrow demo`` prints the corrected pane.

    The wheel names its license and its authors, and contains one JAR.
    """
    rows = [line.split() for line in shell("windrow demo", tmp_path, installed).splitlines()]
    assert ["tea", "09:00", "to", "09:01", "5.0", "LATE", "1"] in rows
    assert "WRONG" not in shell("windrow doctor --start", tmp_path, installed)
    (wheel,) = (ROOT / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        (metadata,) = (opened.read(n).decode() for n in names if n.endswith("/METADATA"))
    head = metadata.partition("\n\n")[0].splitlines()
    for line in ("License-Expression: Apache-2.0", "License-File: LICENSE"):
        assert line in head
    assert any(line.startswith("Author: ") for line in head)
    assert [n for n in names if n.endswith(".jar")] == [
        f"windrow/jars/windrow-{wr.__version__}.jar"
    ]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Return a folder with the orders of README and the job."""
    shutil.copy(FRESH / "installed.py", tmp_path / "job.py")
    times = (("09:00:10", 2.0), ("09:00:40", 4.0)), (("09:01:30", 6.0),), (("09:02:30", 5.0),)
    late = (("09:00:50", 9.0), ("07:00:00", 1.0))
    rows = [
        [{"time": f"2025-01-01 {at}", "product": "tea", "price": price} for at, price in batch]
        for batch in (*times, late)
    ]
    add_files(tmp_path / "orders", *rows)
    return tmp_path


@pytest.mark.parametrize("by", ["--jars", "--packages"])
def test_spark_submit(installed: dict[str, str], library: Path, work: Path, by: str) -> None:
    """A JAR that ``spark-submit`` adds is enough for SQL, without the Python package."""
    (line,) = (line for line in blocks(PAGE, "sh") if by in line)
    shell("pip uninstall --yes --quiet windrow", work, installed)
    dist = library.parents[4]
    (work / "dist").symlink_to(dist)
    (jar,) = dist.glob("*.jar")
    (work / jar.name).symlink_to(jar)
    own = (
        f"spark-submit --conf spark.jars.ivy={work / 'ivy'} "  # not the caches of this machine
        f"--conf spark.jars.repositories=file:{MAVEN} "
    )
    command = line.replace("spark-submit ", own).replace("job.py", "job.py .")
    assert shell(command, work, installed).splitlines() == ["None", CORRECTED]
    assert (work / "ivy").exists() == (by == "--packages")


def test_the_library_is_complete(library: Path) -> None:
    """The repository has what Maven Central requires, except signatures and addresses."""
    stem = f"windrow_2.13-{wr.__version__}"
    ends = [".jar", ".pom", "-sources.jar", "-javadoc.jar"]
    files = {f"{stem}{end}{digest}" for end in ends for digest in ("", ".md5", ".sha1")}
    assert {file.name for file in library.iterdir()} == files
    pom = ET.parse(library / f"{stem}.pom").getroot()  # noqa: S314
    at = {"m": "http://maven.apache.org/POM/4.0.0"}
    for tag in ("name", "description", "licenses/m:license/m:name"):
        assert pom.findtext(f"m:{tag}", namespaces=at)
    (needs,) = pom.findall("m:dependencies/m:dependency", at)
    assert needs.findtext("m:scope", namespaces=at) == "provided"
    jar = ROOT / "python" / "windrow" / "jars" / f"windrow-{wr.__version__}.jar"
    assert (library / f"{stem}.jar").read_bytes() == jar.read_bytes()
    with zipfile.ZipFile(library / f"{stem}-sources.jar") as opened:
        assert "windrow/spark/Windrow.scala" in opened.namelist()
    with zipfile.ZipFile(library / f"{stem}-javadoc.jar") as opened:
        assert "spark/windrow/spark/index.html" in opened.namelist()


SCALA = """import org.apache.spark.sql.SparkSession
import windrow.api._
object Main { val day = Tumbling("1 day"); def builder = Windrow.configure(SparkSession.builder()) }
"""
JAVA = """import org.apache.spark.sql.SparkSession;
class Main { Object builder = windrow.spark.Windrow.configure(SparkSession.builder(), false); }
"""


@pytest.mark.usefixtures("library")
def test_sbt_and_maven() -> None:
    """A project with the coordinates of the page compiles with sbt, and one with Maven."""
    page = (ROOT / "docs/reference/scala.md").read_text(encoding="utf-8")
    (build,) = re.findall(
        r"```text\n((?:resolvers .*?\n)?libraryDependencies .*?)```", page, re.DOTALL
    )
    (needs,) = re.findall(r"```xml\n(.*?)```", page, re.DOTALL)
    here = (f'"file:{MAVEN}"', f"<url>file:{MAVEN}</url>")
    build = re.sub(r'"file:[^"]+"', here[0], build)
    needs = re.sub(r"<url>file:[^<]+</url>", here[1], needs)
    if "resolvers" not in build:
        build = f'resolvers += "windrow" at {here[0]}\n{build}'
        repository = f"<repository><id>windrow</id>{here[1]}</repository>"
        needs = f"<repositories>{repository}</repositories>\n{needs}"
    with TemporaryDirectory(dir="/tmp") as folder:  # sbt's socket needs a short path
        sbt, maven = Path(folder) / "sbt", Path(folder) / "maven"
        (sbt / "project").mkdir(parents=True)
        shutil.copy(ROOT / "project" / "build.properties", sbt / "project")
        (sbt / "build.sbt").write_text(f'scalaVersion := "2.13.18"\n{build}')
        (sbt / "Main.scala").write_text(SCALA)
        launchers = [*(ROOT / ".build").glob("sbt-launch-*.jar")]  # none if sbt is installed
        program = f"java -jar {launchers[0]}" if launchers else "sbt"
        shell(f"{program} -Dsbt.server.autostart=false compile < /dev/null", sbt, os.environ)
        (maven / "src/main/java").mkdir(parents=True)
        (maven / "src/main/java/Main.java").write_text(JAVA)
        (maven / "pom.xml").write_text(POM.format(needs=needs))
        if shutil.which("mvn"):
            shell(f"mvn -q -Dmaven.repo.local={folder}/m2 compile", maven, os.environ)
            assert (maven / "target/classes/Main.class").exists()


POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion>
<groupId>example</groupId><artifactId>example</artifactId><version>1</version>
<properties>
<maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
</properties>
{needs}</project>
"""


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Create a key for signatures that exists only in the test."""
    if shutil.which("gpg") is None:
        pytest.skip("needs gpg")
    with TemporaryDirectory(dir="/tmp") as home:  # the agent's socket needs a short path
        monkeypatch.setenv("GNUPGHOME", home)
        made = ["gpg", "--batch", "--passphrase", "", "--quick-generate-key", "test@example.org"]
        subprocess.run(made, check=True, capture_output=True)
        yield home
        subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=True)  # noqa: S607


@pytest.mark.usefixtures("key", "library")
def test_signed_bundle() -> None:
    """The command of RELEASE signs each file, and sbt puts all of them into its bundle."""
    (line,) = (block for block in blocks("RELEASE.md", "sh") if "sonaRelease" in block)
    command = line.replace("sonaRelease", "sonaBundle")
    assert command != line
    shell(command, ROOT, os.environ)
    with zipfile.ZipFile(ROOT / "target/sona-bundle/bundle.zip") as opened:
        names = [name for name in opened.namelist() if not name.endswith("/")]
    signed = [name for name in names if name.endswith((".jar", ".pom"))]
    assert len(signed) == 4
    for name in signed:
        assert {f"{name}.asc", f"{name}.md5", f"{name}.sha1"} <= set(names)
        checked = ["gpg", "--verify", f"{MAVEN / name}.asc", str(MAVEN / name)]
        subprocess.run(checked, check=True, capture_output=True)
