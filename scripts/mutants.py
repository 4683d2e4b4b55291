"""Mutation testing: each mutant of tests/mutants*.toml must make a test fail.

A JVM that stays alive compiles the changed file and runs the tests on it, with separate classes for
each mutant. For the core: random cases of all kinds in turn, then all suites of core and testkit
with few cases, then many random cases. For Spark and Python: the tests that the mutant names, then
all short tests. The first failure ends the run, and the failed test must pass without a mutant.
"""

import sys
from collections.abc import Iterable, Sequence
from itertools import chain

from mutant_jvm import CORE, ROOT, SPARK, WORK
from mutant_sides import SIDES, Mutant, Side, emptied

#: The test that detected each mutant, by the digest of the mutant.
RESULTS = ROOT / "tests" / "mutants-caught.txt"
_SURVIVED = "survived"
#: The number of mutants after which failed tests run without a mutant and results are written.
TOGETHER = 20


def tried(side: Side, mutant: Mutant, *, named: bool) -> str | None:
    """Return the test that detected a mutant, or ""; None if the mutant does not compile."""
    made = emptied(WORK / "made")
    text = (side.sources / mutant.file).read_text().replace(mutant.old, mutant.new)
    if wrong := side.make(mutant.file, text, made):
        print(f"does not compile: {mutant.row}\n{wrong}", flush=True)
        return None
    runs: list[Sequence[str]] = [some for some in (mutant.tests, side.first) if some]
    if not named:  # a mutant that no test can detect runs only the control tests
        runs.append(side.control if mutant.survives else ())
    noticed = next(filter(None, (side.noticed(some, made) for some in runs)), "")
    SPARK.rest()
    return noticed


def known() -> dict[str, str]:
    """Return the test that detected each mutant, or that it survived, by the mutant's digest."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    return dict(line.split(" ", 1) for line in lines)


def note(results: dict[str, str]) -> None:
    """Write the results of the mutants that exist."""
    there = {one.digest for side in SIDES for one in side.mutants}
    lines = (f"{digest} {noticed}\n" for digest, noticed in sorted(results.items()))
    RESULTS.write_text("".join(line for line in lines if line.split(" ", 1)[0] in there))


def verdict(mutant: Mutant, noticed: str) -> str:
    """Return the result of a mutant as the page shows it."""
    if noticed == _SURVIVED:
        return f"**survived**: {mutant.survives or 'not explained'}"
    return noticed.replace("|", "\\|")


def tables() -> str:
    """Return the sections of the page: the counts and the mutants of each side."""
    results = known()
    lines = []
    for side in SIDES:
        every = side.mutants
        tried = [one for one in every if one.digest in results]
        survived = [one for one in tried if results[one.digest] == _SURVIVED]
        explained = [one for one in survived if one.survives]
        lines += [
            *(f"## {side.title}", ""),
            (
                f"{len(tried)} of {len(every)} tried: {len(tried) - len(survived)} caught, "
                f"{len(explained)} that no test can detect, "
                f"{len(survived) - len(explained)} survived."
            ),
            *("", "| file | original | mutant | breaks | caught by |", "|---|---|---|---|---|"),
            *(f"{one.row[:-1]}| {verdict(one, results[one.digest])} |" for one in tried),
            "",
        ]
    return "\n".join(lines)


def chosen(words: str, without: Iterable[str]) -> list[tuple[Side, Mutant]]:
    """Return the mutants whose title, file, or rule contains the words, the slowest last."""
    found = [
        (side, one)
        for side in SIDES
        for one in side.mutants
        if any(words in text for text in (side.title, one.file, one.breaks))
        and one.digest not in without
    ]
    return sorted(found, key=lambda each: (bool(each[1].survives), list(each[1].tests)))


def unsound(side: Side, noticed: Iterable[str]) -> set[str]:
    """Return the tests that detected mutants of a side, but also fail without one."""
    none = emptied(WORK / "none")
    tests = {
        said: side.control or ["::".join(said.split(": ", 1))]
        for said in noticed
        if not said.startswith("no end")
    }
    if not tests or not side.noticed(list(dict.fromkeys(chain(*tests.values()))), none):
        return set()
    return {said for said, control in tests.items() if side.noticed(control, none)}


def main(arguments: list[str]) -> int:
    """Run the program; return the exit status."""
    stale = [line for side in SIDES for line in side.stale]
    if stale or arguments == ["--check"]:
        print("\n".join(stale))
        return int(bool(stale))
    more, named = "--more" in arguments, "--named" in arguments
    words = " ".join(word for word in arguments if not word.startswith("--"))
    results = known()
    survivors = 0
    todo = chosen(words, results if more else ())
    try:
        for first in range(0, len(todo), TOGETHER):
            found: list[tuple[Side, Mutant, str]] = []
            for number, (side, mutant) in enumerate(todo[first : first + TOGETHER], first + 1):
                noticed = tried(side, mutant, named=named)
                survivors += noticed is None or not (noticed or mutant.survives)
                if noticed is not None:
                    text = f"{mutant.row} {verdict(mutant, noticed or _SURVIVED)}"
                    print(f"{number}/{len(todo)} {text}", flush=True)
                    found.append((side, mutant, noticed))
            for side in SIDES:
                failing = unsound(side, [said for of, _, said in found if of is side and said])
                for of, mutant, said in found:
                    if said in failing and of is side:
                        print(f"this test also fails without a mutant: {said}", flush=True)
                        survivors += 1
                    elif of is side and (said or not named):
                        results[mutant.digest] = said or _SURVIVED
            note(results)
    finally:
        CORE.close()
        SPARK.close()
    print(f"{survivors} survived without an explanation")
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
