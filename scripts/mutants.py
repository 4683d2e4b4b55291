"""Mutation testing: each mutant of tests/mutants.toml must make some test fail.

A JVM that stays alive compiles the one changed file and runs the tests on it, each mutant in
classes of its own: random cases of all kinds in turn, then all suites of core and testkit with few
cases, then many random cases. The first failure ends them.
"""

import os
import queue
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / ".build" / "mutants"
PAGE = ROOT / "docs" / "mutants.md"
SILENCE = 14400  # seconds


@dataclass(frozen=True)
class Mutant:
    """A change that must be noticed."""

    file: str
    old: str
    new: str
    breaks: str
    survives: str = ""

    @property
    def row(self) -> str:
        """Give its line of the page, but for what noticed it."""
        cells = (self.file, code(self.old), code(self.new), self.breaks)
        return f"| {' | '.join(cells)} |"


@dataclass(frozen=True)
class Side:
    """A module and its mutants."""

    title: str
    toml: Path
    sources: Path
    noticed: Callable[["Jvm", Path], str]

    @property
    def mutants(self) -> list[Mutant]:
        """Read them."""
        if not self.toml.exists():
            return []
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


class Jvm:
    """A warm compiler and tests: `MutantServer`."""

    def __init__(self, classpath: str) -> None:
        """Take the class path of its tests."""
        WORK.mkdir(parents=True, exist_ok=True)
        self.classpath = WORK / "classpath"
        self.classpath.write_text(classpath)
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> subprocess.Popen[str]:
        """Start it, if it is not there."""
        if self.process is None:
            memory = ["-Xmx1500m", "-Xss8m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
            settings = ["-Duser.timezone=UTC", "-Dwindrow.cases=100", "-Dwindrow.mode=quick"]
            path = ["-cp", self.classpath.read_text()]
            program = ["windrow.testkit.mutants.MutantServer", str(self.classpath)]
            with (WORK / "server.log").open("w") as log:
                self.process = subprocess.Popen(
                    [os.environ["JAVA"], *memory, *settings, *path, *program],
                    cwd=ROOT,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                )
        return self.process

    def ask(self, *words: object) -> str:
        """Ask it something, and wait for the answer."""
        process = self.start()
        assert process.stdin is not None
        process.stdin.write("\t".join(map(str, words)) + "\n")
        process.stdin.flush()
        answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=lambda: answers.put(self.answer(process)), daemon=True).start()
        try:
            said = answers.get(timeout=SILENCE)
        except queue.Empty:
            said = f"no end within {SILENCE} s"
        if said.startswith("no end") or "OutOfMemory" in said:
            self.close()
        return said

    @staticmethod
    def answer(process: subprocess.Popen[str]) -> str:
        """Read up to the answer."""
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("=> "):
                return line.removeprefix("=> ").strip()
        return "no end: the JVM went away"

    def close(self) -> None:
        """End it."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def of_core(jvm: Jvm, classes: Path) -> str:
    """Run the tests of core and testkit on changed classes; give what failed, or nothing."""
    said = jvm.ask("test", classes)
    return "" if said == "nothing" else said


SIDES = [
    Side(
        "The core",
        ROOT / "tests" / "mutants.toml",
        ROOT / "jvm/core/src/main/scala/windrow",
        of_core,
    ),
]


def emptied(folder: Path) -> Path:
    """Make a folder with nothing in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def try_one(jvm: Jvm, side: Side, mutant: Mutant) -> str | None:
    """Give what noticed a mutant, or nothing; None: it is no code."""
    classes = emptied(WORK / "classes")
    source = WORK / Path(mutant.file).name
    source.write_text((side.sources / mutant.file).read_text().replace(mutant.old, mutant.new))
    if (said := jvm.ask("compile", source, classes)) != "compiled":
        print(f"does not compile: {mutant.row}\n{said}", flush=True)
        return None
    return side.noticed(jvm, classes)


def code(text: str) -> str:
    """Write a piece of code into a table."""
    flat = " ".join(text.split())
    return f"`{flat}`".replace("|", "\\|") if flat else "nothing"


def known() -> dict[str, str]:
    """Read from the page what noticed which mutant, by its row."""
    if not PAGE.exists():
        return {}
    rows = (line.rpartition(" | ") for line in PAGE.read_text().splitlines())
    return {f"{row} |": verdict.removesuffix(" |") for row, _, verdict in rows if row[:2] == "| "}


def verdict(mutant: Mutant, noticed: str) -> str:
    """Say what became of a mutant."""
    escaped = noticed.replace("|", "\\|")
    return escaped or f"**survived**: {mutant.survives or 'not explained'}"


def page(results: dict[str, str]) -> str:
    """Write the page."""
    lines = [
        "# Mutants",
        "",
        "Changes to decisions in the code, one at a time, and the test that notices each first.",
        "Made by `scripts/mutants` of `tests/mutants*.toml`.",
    ]
    for side in SIDES:
        every = side.mutants
        tried = [one for one in every if one.row in results]
        survived = [one for one in tried if results[one.row].startswith("**survived**")]
        explained = [one for one in survived if one.survives]
        lines += [
            *("", f"## {side.title}", ""),
            (
                f"{len(tried)} of {len(every)} tried: {len(tried) - len(survived)} caught, "
                f"{len(explained)} that no test can notice, "
                f"{len(survived) - len(explained)} survived."
            ),
            *("", "| file | instead of | stands | breaks | caught by |", "|---|---|---|---|---|"),
            *(f"{one.row[:-1]}| {results[one.row]} |" for one in tried),
        ]
    return "\n".join([*lines, ""])


def chosen(words: str, without: Iterable[str]) -> list[tuple[Side, Mutant]]:
    """Find those in whose file or rule the words stand; those that cost all tests come last."""
    found = [
        (side, one)
        for side in SIDES
        for one in side.mutants
        if (words in one.file or words in one.breaks) and one.row not in without
    ]
    return sorted(found, key=lambda each: bool(each[1].survives))


def main(arguments: list[str]) -> int:
    """Run the program; return the exit status."""
    stale = [line for side in SIDES for line in side.stale]
    if stale or arguments == ["--check"]:
        print("\n".join(stale))
        return int(bool(stale))
    more = arguments[:1] == ["--more"]
    results = known()
    jvm = Jvm(os.environ["CLASSES"])
    survivors = 0
    todo = chosen(" ".join(arguments[more:]), results if more else ())
    try:
        for side in {side.title: side for side, _ in todo}.values():
            if failing := side.noticed(jvm, emptied(WORK / "classes")):
                raise SystemExit(f"{side.title}: without a mutant, too, something fails: {failing}")
        for number, (side, mutant) in enumerate(todo, 1):
            noticed = try_one(jvm, side, mutant)
            if noticed is None:
                survivors += 1
                continue
            results[mutant.row] = verdict(mutant, noticed)
            survivors += not (noticed or mutant.survives)
            print(f"{number}/{len(todo)} {mutant.row} {results[mutant.row]}", flush=True)
            PAGE.write_text(page(results))
    finally:
        jvm.close()
    print(f"{survivors} survived unexplained")
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
