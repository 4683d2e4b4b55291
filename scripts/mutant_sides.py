"""The modules that have mutants: how a mutant is built, and which tests can detect it."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from mutant_jvm import CORE, ROOT, SPARK, WORK, Jvm

LONGEST = {
    True: 300,
    False: 1800,
}  # timeout of Python tests in seconds, by whether only named tests run
_FAILED = re.compile(r"^(?:FAILED|ERROR) tests/python/(?:\w+/)*(\w+\.py)(?:::(\w+))?", re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    """A change that a test must detect. `tests` are the tests that probably do."""

    file: str
    old: str
    new: str
    breaks: str
    survives: str = ""
    tests: Sequence[str] = ()

    @property
    def digest(self) -> str:
        """A name for the change, which another change does not have."""
        change = f"{self.file}\0{self.old}\0{self.new}"
        return sha256(change.encode()).hexdigest()[:10]

    @property
    def row(self) -> str:
        """The line of the page, without the test that detected the mutant."""
        cells = (self.file, code(self.old), code(self.new), self.breaks)
        return f"| {' | '.join(cells)} |"


@dataclass(frozen=True)
class Side:
    """A module and its mutants.

    make: builds a changed file, given by name and text, into an empty folder. Returns the reason if
        it fails, else an empty string.
    noticed: runs tests (all if none are given) on such a folder. Returns the first that failed, or
        an empty string.
    first: the tests that run after those that a mutant names, and before all others.
    control: the tests that must pass without a mutant. Empty for the test that detected the mutant.
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
        """The mutants of the TOML file."""
        with self.toml.open("rb") as file:
            return [Mutant(**fields) for fields in tomllib.load(file)["mutant"]]

    @property
    def stale(self) -> list[str]:
        """A message for each mutant that does not fit the current sources."""
        return [
            f"{self.toml.name}: {one.file} must contain exactly once: {one.old}"
            for one in self.mutants
            if not (self.sources / one.file).exists()
            or (self.sources / one.file).read_text().count(one.old) != 1
        ]


def code(text: str) -> str:
    """Return a piece of code as the cell of a table."""
    flat = " ".join(text.split())
    return f"`{flat}`".replace("|", "\\|") if flat else "nothing"


def compiled(jvm: Jvm) -> Callable[[str, str, Path], str]:
    """Return a function that compiles the changed file in a JVM."""

    def make(file: str, text: str, into: Path) -> str:
        source = WORK / Path(file).name
        source.write_text(text)
        said = jvm.ask("compile", source, into)
        return "" if said == "compiled" else said

    return make


def copied(file: str, text: str, into: Path) -> str:
    """Copy the Python package with the changed file into a folder."""
    package = ROOT / "python" / "windrow"
    shutil.copytree(package, into / "windrow", ignore=shutil.ignore_patterns("jars", "__pycache__"))
    (into / "windrow" / "jars").symlink_to(package / "jars")
    (into / "windrow" / file).write_text(text)
    return ""


def of_core(some: Sequence[str], classes: Path) -> str:
    """Run tests of core and testkit on changed classes: all, `few`, `random` cases, or suites."""
    what = "test" if not some or some[0] in ("few", "random") else "suites"
    return failed(CORE.ask(what, classes, *some))


def failed(said: str) -> str:
    """Return the failed test from the answer of a JVM, or an empty string."""
    if said.startswith("java.util.NoSuchElementException: a "):
        raise SystemExit(f"The JVM does not find a test: {said}")
    return "" if said == "nothing" else said


def of_spark(tests: Sequence[str], classes: Path) -> str:
    """Run suites of the Spark module, then Python tests, on changed classes."""
    suites = [test for test in tests if ".py" not in test]
    if (suites or not tests) and (noticed := failed(SPARK.ask("suites", classes, *suites))):
        return noticed
    others = [test for test in tests if ".py" in test]
    return pytest(others, classes, ROOT / "python") if others or not tests else ""


def of_python(tests: Sequence[str], folder: Path) -> str:
    """Run Python tests on a changed package, with the unchanged classes of the JVM."""
    package = folder if (folder / "windrow").exists() else ROOT / "python"
    return pytest(tests, emptied(WORK / "none"), package)


def path_of(test: str) -> str:
    """Return the path of a Python test, which the lists name without its folder."""
    file, *name = test.split("::")
    return "::".join([str(next(ROOT.glob(f"tests/python/**/{file}")).relative_to(ROOT)), *name])


def pytest(tests: Sequence[str], classes: Path, package: Path) -> str:
    """Run Python tests in a warm JVM with changed classes. Return the first that failed, or ""."""
    port, secret = SPARK.ask("gateway", classes).split()
    paths = f"pythonpath={package} tests/python docs"
    short = ["-m", "not slow and not full", "tests"]
    # A test that is named runs even if it is marked `full`, in the size of the mode `quick`.
    marks = [] if all("::" in test for test in tests) else ["-m", "not full"]
    named = [*marks, *map(path_of, tests)] if tests else short
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
    """Return the folder after deleting its contents."""
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
