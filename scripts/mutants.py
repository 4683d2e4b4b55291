"""Mutation testing of the core: each mutant of tests/mutants.toml must make some test fail.

A copy of the checkout is kept in .build/mutants, with an sbt that stays alive, so that a mutant
costs the compilation of one file and the tests. First come few random cases and the transcripts,
then, if these notice nothing, all tests of core and testkit with the cases of the quick run.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / ".build" / "mutants"
RESULTS = COPY / "results.json"
PAGE = ROOT / "docs" / "mutants.md"
CORE = "jvm/core/src/main/scala/windrow"
CLASSES = [f"jvm/{module}/target/scala-2.13/test-classes" for module in ("core", "testkit")]
FAST = "FiringPolicySuite FiringRuleLaws PolicyShardSpec MessageKeySuite CalendarGridSuite"
FIRST = f"CoreVersusReference StoresVersusReference SpecDefaultsSuite {FAST}".split()


@dataclass(frozen=True)
class Mutant:
    """A change that must be noticed."""

    file: str
    old: str
    new: str
    breaks: str
    survives: str = ""

    @property
    def name(self) -> str:
        """Give what tells it from all others."""
        return f"{self.file}: {self.old} -> {self.new}"


class Sbt:
    """One sbt, which takes commands until it is closed."""

    def __init__(self) -> None:
        """Start it in the copy."""
        launcher = next((ROOT / ".build").glob("sbt-launch-*.jar"))
        (COPY / ".build" / "tmp").mkdir(parents=True, exist_ok=True)
        options = ["-Xmx2g", "-Xss8m", "-Dsbt.server.autostart=false", "-Dsbt.supershell=false"]
        temporary = f"-Djava.io.tmpdir={COPY / '.build' / 'tmp'}"
        self.process = subprocess.Popen(
            [os.environ["JAVA"], *options, temporary, "-Dsbt.log.noformat=true", "-jar", launcher],
            cwd=COPY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, command: str) -> tuple[bool, list[str]]:
        """Run a command; give whether it succeeded, and what it said."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        said = []
        for line in self.process.stdout:
            said.append(line.rstrip())
            if ended := re.search(r"\[(success|error)\] Total time", line):
                return ended[1] == "success", said
        raise SystemExit("sbt has ended:\n" + "\n".join(said[-20:]))

    def close(self) -> None:
        """End it."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait(timeout=60)


def mutants(words: str) -> list[Mutant]:
    """Read those in whose file or rule the words stand; each must fit the core as it is."""
    with (ROOT / "tests" / "mutants.toml").open("rb") as file:
        found = [Mutant(**fields) for fields in tomllib.load(file)["mutant"]]
    stale = [one for one in found if (ROOT / CORE / one.file).read_text().count(one.old) != 1]
    if stale:
        raise SystemExit("\n".join(f"{one.file} has not once: {one.old}" for one in stale))
    return [one for one in found if words in one.file or words in one.breaks]


def copy_checkout() -> None:
    """Bring the copy to the state of the checkout; what is equal stays untouched."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    files = {name for name in listed.stdout.decode().split("\0") if (ROOT / name).is_file()}
    for name in files:
        content = (ROOT / name).read_bytes()
        if name == "build.sbt":  # a mutant may leave something unused
            content = content.replace(b', "-Werror"', b"")
        if not (COPY / name).exists() or (COPY / name).read_bytes() != content:
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            (COPY / name).write_bytes(content)
    for old in COPY.glob("jvm/**/*.scala"):
        if str(old.relative_to(COPY)) not in files:
            old.unlink()


def failures(classpath: str, arguments: list[str], cases: int, seconds: int) -> set[str]:
    """Run suites; give the tests that fail."""
    runner = ["org.scalatest.tools.Runner", "-R", " ".join(CLASSES), "-oW", *arguments]
    options = ["-Xmx1g", "-Xss8m", "-Duser.timezone=UTC", "-XX:TieredStopAtLevel=1"]
    command = [os.environ["JAVA"], *options, f"-Dwindrow.cases={cases}", "-cp", classpath, *runner]
    process = subprocess.Popen(
        command,
        cwd=COPY,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return {f"no end within {seconds} s"}
    failed = re.findall(r"^- (.+?) \*\*\* FAILED \*\*\*", said, re.MULTILINE)
    aborted = re.findall(r"^(\S+) \*\*\* ABORTED \*\*\*", said, re.MULTILINE)
    if not failed and not aborted and process.returncode:
        raise SystemExit(f"no test has failed, but the runner has:\n{said[-2000:]}")
    return {*failed, *(f"{name} aborted" for name in aborted)}


def suites(names: list[str]) -> list[str]:
    """Find the full names of suites."""
    found = []
    for name in names:
        (file,) = COPY.glob(f"jvm/*/src/test/scala/**/{name}.scala")
        package = re.match(r"package (\S+)", file.read_text())
        assert package is not None
        found += ["-s", f"{package[1]}.{name}"]
    return found


def caught_by(classpath: str, known: set[str]) -> str:
    """Run the tests; give the first that fails only now, or nothing."""
    transcripts = [*suites(["TranscriptSuite"]), "-z", "core: "]
    everything = ["-w", "windrow"]
    for arguments, cases, seconds in (
        (suites(FIRST), 100, 400),
        (transcripts, 100, 300),
        (everything, 2000, 1500),
    ):
        if new := failures(classpath, arguments, cases, seconds) - known:
            return min(new)
    return ""


def result(sbt: Sbt, mutant: Mutant, classpath: str, known: set[str]) -> str:
    """Try one mutant; give what caught it, or nothing."""
    file = COPY / CORE / mutant.file
    right = file.read_text()
    file.write_text(right.replace(mutant.old, mutant.new))
    try:
        compiled, said = sbt.run("all core/Test/compile testkit/Test/compile")
        if not compiled:
            raise SystemExit(f"does not compile: {mutant.name}\n" + "\n".join(said[-20:]))
        return caught_by(classpath, known)
    finally:
        file.write_text(right)


def code(text: str) -> str:
    """Write a piece of code into a table."""
    flat = " ".join(text.split())
    return f"`{flat}`".replace("|", "\\|") if flat else "nothing"


def page(results: dict[str, str]) -> str:
    """Write the page."""
    every = mutants("")
    tried = [one for one in every if one.name in results]
    caught = [one for one in tried if results[one.name]]
    explained = [one for one in tried if not results[one.name] and one.survives]
    unexplained = len(tried) - len(caught) - len(explained)
    lines = [
        "# Mutants",
        "",
        "Changes to the core's decisions, one at a time, and the test that notices each. Made by",
        "`scripts/mutants` of `tests/mutants.toml`.",
        "",
        f"{len(tried)} of {len(every)} tried: {len(caught)} caught, {len(explained)} that no test",
        f"can notice, {unexplained} survived.",
        "",
        "| file | instead of | stands | breaks | caught by |",
        "|---|---|---|---|---|",
    ]
    for one in tried:
        found = results[one.name]
        verdict = found.replace("|", "\\|") or f"**survived**: {one.survives or 'not explained'}"
        lines.append(
            f"| {one.file} | {code(one.old)} | {code(one.new)} | {one.breaks} | {verdict} |",
        )
    return "\n".join([*lines, ""])


def main(arguments: list[str]) -> int:
    """Run the program; return the exit status."""
    more = arguments[:1] == ["--more"]
    chosen = mutants(" ".join(arguments[more:]))
    COPY.mkdir(parents=True, exist_ok=True)
    copy_checkout()
    results: dict[str, str] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    chosen = [one for one in chosen if not (more and one.name in results)]
    sbt = Sbt()
    try:
        compiled, said = sbt.run("all core/Test/compile testkit/Test/compile")
        if not compiled:
            raise SystemExit("\n".join(said[-20:]))
        paths = (f"export {module}/Test/fullClasspath" for module in ("testkit", "core"))
        _, said = sbt.run("; ".join([*paths, "testkit/Test/compile"]))
        exported = filter(None, (re.search(r"/.*/test-classes:.*", line) for line in said))
        classpath = ":".join(found[0] for found in exported)
        known = failures(classpath, ["-w", "windrow"], 100, 1500)
        print(f"without a mutant {len(known)} tests fail", flush=True)
        for number, mutant in enumerate(chosen, 1):
            results[mutant.name] = result(sbt, mutant, classpath, known)
            verdict = results[mutant.name] or "SURVIVED"
            print(f"{number}/{len(chosen)} {mutant.name}: {verdict}", flush=True)
            RESULTS.write_text(json.dumps(results, indent=1))
            PAGE.write_text(page(results))
    finally:
        sbt.close()
    survivors = [one for one in chosen if not results.get(one.name) and not one.survives]
    print(f"{len(survivors)} survived unexplained")
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
