"""Mutation testing: each mutant of tests/mutants*.toml must make some test fail.

A JVM that stays alive compiles the one changed file and runs the tests on it, each mutant in
classes of its own. On the core: random cases of all kinds in turn, then all suites of core and
testkit with few cases, then many random cases. Of Spark and Python: the tests that are named with
the mutant, then all short ones. The first failure ends them; what fails must hold without a mutant.
"""

import sys
from collections.abc import Iterable, Sequence
from itertools import chain

from mutant_jvm import CORE, ROOT, SPARK, WORK
from mutant_sides import SIDES, Mutant, Side, emptied

PAGE = ROOT / "docs" / "mutants.md"
TOGETHER = 20  # mutants whose tests are run once without any, before the page has them


def tried(side: Side, mutant: Mutant, *, named: bool) -> str | None:
    """Give what noticed a mutant, or nothing; None: it is no code."""
    made = emptied(WORK / "made")
    text = (side.sources / mutant.file).read_text().replace(mutant.old, mutant.new)
    if wrong := side.make(mutant.file, text, made):
        print(f"does not compile: {mutant.row}\n{wrong}", flush=True)
        return None
    runs: list[Sequence[str]] = [some for some in (mutant.tests, side.first) if some]
    if not named:  # of what no test can notice not all need try
        runs.append(side.control if mutant.survives else ())
    noticed = next(filter(None, (side.noticed(some, made) for some in runs)), "")
    SPARK.rest()
    return noticed


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
        if any(words in text for text in (side.title, one.file, one.breaks))
        and one.row not in without
    ]
    return sorted(found, key=lambda each: (bool(each[1].survives), list(each[1].tests)))


def unsound(side: Side, noticed: Iterable[str]) -> set[str]:
    """Give what noticed mutants of a side, but fails without one as well."""
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
                    text = f"{mutant.row} {verdict(mutant, noticed)}"
                    print(f"{number}/{len(todo)} {text}", flush=True)
                    found.append((side, mutant, noticed))
            for side in SIDES:
                failing = unsound(side, [said for of, _, said in found if of is side and said])
                for of, mutant, said in found:
                    if said in failing and of is side:
                        print(f"without a mutant, too, this fails: {said}", flush=True)
                        survivors += 1
                    elif of is side and (said or not named):
                        results[mutant.row] = verdict(mutant, said)
            PAGE.write_text(page(results))
    finally:
        CORE.close()
        SPARK.close()
    print(f"{survivors} survived unexplained")
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
