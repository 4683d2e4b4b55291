"""The modules of which mutants are made: how one is made, and which tests may notice it."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mutant_jvm import CORE, ROOT, SPARK, WORK, Jvm

LONGEST = {True: 300, False: 1800}  # seconds for Python tests: those that are named, and all
_FAILED = re.compile(r"^(?:FAILED|ERROR) tests/python/(?:\w+/)*(\w+\.py)(?:::(\w+))?", re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    """A change that must be noticed; `tests` are those that are likely to."""

    file: str
    old: str
    new: str
    breaks: str
    survives: str = ""
    tests: Sequence[str] = ()

    @property
    def row(self) -> str:
        """Give its line of the page, but for what noticed it."""
        cells = (self.file, code(self.old), code(self.new), self.breaks)
        return f"| {' | '.join(cells)} |"


@dataclass(frozen=True)
class Side:
    """A module and its mutants.

    make: puts a changed file, by its name and text, into an emptied folder; gives why it cannot.
    noticed: gives what of these tests failed on such a folder, or nothing; without tests of all.
    first: what is tried of each after the tests that are named with it, and before all others.
    control: what must hold without a mutant; else the test that noticed one.
    """

    title: str
    toml: Path
    sources: Path
    make: Callable[[str, str, Path], str]
    noticed: Callable[[Sequence[str], Path], str]
    first: Sequence[str] = ()
    control: Sequence[str] = ()

    @property
    def mutants(self) -> list[Mutant]:
        """Read them."""
        with self.toml.open("rb") as file:
            return [Mutant(**fields) for fields in tomllib.load(file)["mutant"]]

    @property
    def stale(self) -> list[str]:
        """Say which do not fit the sources as they are."""
        return [
            f"{self.toml.name}: {one.file} has not once: {one.old}"
            for one in self.mutants
            if not (self.sources / one.file).exists()
            or (self.sources / one.file).read_text().count(one.old) != 1
        ]


def code(text: str) -> str:
    """Write a piece of code into a table."""
    flat = " ".join(text.split())
    return f"`{flat}`".replace("|", "\\|") if flat else "nothing"


def compiled(jvm: Jvm) -> Callable[[str, str, Path], str]:
    """Have a JVM compile the one changed file."""

    def make(file: str, text: str, into: Path) -> str:
        source = WORK / Path(file).name
        source.write_text(text)
        said = jvm.ask("compile", source, into)
        return "" if said == "compiled" else said

    return make


def copied(file: str, text: str, into: Path) -> str:
    """Put the Python package with the one changed file into a folder."""
    package = ROOT / "python" / "windrow"
    shutil.copytree(package, into / "windrow", ignore=shutil.ignore_patterns("jars", "__pycache__"))
    (into / "windrow" / "jars").symlink_to(package / "jars")
    (into / "windrow" / file).write_text(text)
    return ""


def of_core(some: Sequence[str], classes: Path) -> str:
    """Run all tests of core and testkit on changed classes, or `few`, `random` cases or suites."""
    what = "test" if not some or some[0] in ("few", "random") else "suites"
    return failed(CORE.ask(what, classes, *some))


def failed(said: str) -> str:
    """Read what a JVM said of tests."""
    if said.startswith("java.util.NoSuchElementException: a "):
        raise SystemExit(f"there is not {said}")
    return "" if said == "nothing" else said


def of_spark(tests: Sequence[str], classes: Path) -> str:
    """Run suites of the Spark module, then Python tests, on changed classes."""
    suites = [test for test in tests if ".py" not in test]
    if (suites or not tests) and (noticed := failed(SPARK.ask("suites", classes, *suites))):
        return noticed
    others = [test for test in tests if ".py" in test]
    return pytest(others, classes, ROOT / "python") if others or not tests else ""


def of_python(tests: Sequence[str], folder: Path) -> str:
    """Run Python tests on a changed package, with the JVM as it is."""
    package = folder if (folder / "windrow").exists() else ROOT / "python"
    return pytest(tests, emptied(WORK / "none"), package)


def path_of(test: str) -> str:
    """Find a test of Python by the name of its file alone, as the lists name it."""
    file, *name = test.split("::")
    return "::".join([str(next(ROOT.glob(f"tests/python/**/{file}")).relative_to(ROOT)), *name])


def pytest(tests: Sequence[str], classes: Path, package: Path) -> str:
    """Run Python tests in a warm JVM with changed classes; give the first that failed."""
    port, secret = SPARK.ask("gateway", classes).split()
    paths = f"pythonpath={package} tests/python docs"
    short = ["-m", "not slow and not full", "tests"]
    named = ["-m", "not full", *map(path_of, tests)] if tests else short
    run = [
        sys.executable,
        "-m",
        "pytest",
        "-xq",
        "--tb=short",
        "-p",
        "no:cacheprovider",
        "-o",
        paths,
    ]
    gateway = {"PYSPARK_GATEWAY_PORT": port, "PYSPARK_GATEWAY_SECRET": secret}
    try:
        ran = subprocess.run(
            [*run, *named],
            cwd=ROOT,
            env={**os.environ, **gateway, "WINDROW_MODE": "quick", "WINDROW_CASES": "100"},
            capture_output=True,
            text=True,
            timeout=LONGEST[bool(tests)],
            check=False,
        )
    except subprocess.TimeoutExpired:
        SPARK.close()
        return f"no end within {LONGEST[bool(tests)]} s of {', '.join(tests)}"
    SPARK.ask("over")
    (WORK / "pytest.log").write_text(ran.stdout + ran.stderr)
    if ran.returncode == 0:
        return ""
    if ran.returncode > 1:
        raise SystemExit(ran.stdout + ran.stderr)
    found = _FAILED.search(ran.stdout)
    if found is None:
        raise SystemExit(ran.stdout + ran.stderr)
    return ": ".join(part for part in found.groups() if part)


def emptied(folder: Path) -> Path:
    """Make a folder with nothing in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


SIDES = [
    Side(
        "The core",
        ROOT / "tests" / "mutants.toml",
        ROOT / "jvm/core/src/main/scala/windrow",
        compiled(CORE),
        of_core,
        first=("random",),
        control=("few",),
    ),
    Side(
        "Spark",
        ROOT / "tests" / "mutants-spark.toml",
        ROOT / "jvm/spark/src/main/scala",
        compiled(SPARK),
        of_spark,
    ),
    Side(
        "Python",
        ROOT / "tests" / "mutants-python.toml",
        ROOT / "python/windrow",
        copied,
        of_python,
    ),
]
