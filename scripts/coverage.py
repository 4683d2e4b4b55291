"""Check docs/project/coverage.txt, from which the site makes the page about coverage.

The file lists the rules and the tests for each requirement of the sources. Everything that it names
must exist: rules in SEMANTICS.md, transcripts, Scala tests, and Python tests. Every rule must be
cited by its number in a test or a transcript.
"""

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "docs" / "project" / "coverage.txt"
SIZES = {
    "S": 178,
    "P": 38,
    "K": 27,
    "A": 50,
    "I": 40,
    "E": 25,
}  # the number of items of each source
NUMBER = r"[A-Z]\d+"
CITATION = re.compile(rf"SEMANTICS(?:\.md)?((?:,? (?:and )?{NUMBER}(?:(?:-| to ){NUMBER})?)+)")
NAMED = re.compile(r"\bR\d+\b")  # other letters are citations only after the word SEMANTICS


@dataclass(frozen=True)
class Item:
    """One requirement of a source."""

    number: str
    what: str
    rules: tuple[str, ...]
    state: str  # shown, open or query
    shown: tuple[str, ...]
    missing: str  # what is missing for an open item

    def line(self) -> str:
        """Return the line of the file."""
        state = () if self.state == "shown" else (self.words(),)
        return " | ".join(
            (self.number, self.what, " ".join(self.rules), "; ".join(state + self.shown))
        )

    def words(self) -> str:
        """Return the state as it is written in the file."""
        return f"{self.state} - {self.missing}" if self.missing else self.state


def read(line: str) -> Item:
    """Parse a line of the file."""
    fields = [field.strip() for field in line.split("|")]
    if len(fields) != 4:
        raise SystemExit(f"{DATA.name}: this line does not have four fields: {line}")
    number, what, rules, shown = fields
    parts = [part.strip() for part in shown.split(";") if part.strip()]
    state, missing = "shown", ""
    if parts and (said := re.fullmatch(r"(open|query)(?: - (.+))?", parts[0])):
        state, missing = said[1], said[2] or ""
        parts = parts[1:]
    return Item(number, what, tuple(rules.split()), state, tuple(parts), missing)


def items() -> list[Item]:
    """Return all items of the file."""
    lines = DATA.read_text().splitlines()
    return [read(line) for line in lines if line.strip() and not line.startswith("#")]


@cache
def said() -> list[str]:
    """Return the rule numbers of SEMANTICS.md in order, with repetitions."""
    return re.findall(rf"\*\*({NUMBER})\*\*", (ROOT / "SEMANTICS.md").read_text())


def rules() -> set[str]:
    """Return the rule numbers of SEMANTICS.md."""
    return set(said())


@cache
def transcripts() -> dict[str, str]:
    """Return the sources of all transcripts by id, and the file names as additional keys."""
    files = sorted((ROOT / "tests" / "transcripts").glob("*.jsonl"))
    cases = [json.loads(line) for file in files for line in file.read_text().splitlines() if line]
    return {case["id"]: case.get("source", "") for case in cases} | {
        file.name: "" for file in files
    }


@cache
def test_sources() -> dict[str, str]:
    """Return the test sources: Scala by the name of the suite, Python by the name of the file."""
    scala = {file.stem: file.read_text() for file in ROOT.glob("jvm/*/src/test/scala/**/*.scala")}
    return scala | {file.name: file.read_text() for file in ROOT.glob("tests/python/**/test_*.py")}


def exists(shown: str) -> bool:
    """Return whether a transcript or a test exists."""
    if shown in transcripts():
        return True
    if "::" in shown:
        file, name = shown.split("::", 1)
        return f"def {name}(" in test_sources().get(file, "")
    suite, _, words = shown.partition(": ")
    return bool(words) and words in test_sources().get(suite, "")


def absent(item: Item) -> list[str]:
    """Return a message for each name in an item that does not exist."""
    return [
        f"{item.number}: rule {rule} does not exist" for rule in item.rules if rule not in rules()
    ] + [
        f"{item.number}: this is neither a transcript nor a test: {shown}"
        for shown in item.shown
        if not exists(shown)
    ]


def problems(found: list[Item]) -> Iterator[str]:
    """Yield a message for each error in the items."""
    counts = Counter(item.number for item in found)
    wanted = [f"{letter}{n}" for letter, size in SIZES.items() for n in range(1, size + 1)]
    yield from (f"{number} is missing" for number in wanted if number not in counts)
    yield from (
        f"{number} is listed {count} times" for number, count in counts.items() if count > 1
    )
    yield from (
        f"{number} is not an item of a source" for number in counts if number not in set(wanted)
    )
    for item in found:
        if item.state == "shown":
            yield from absent(item)
            if not item.rules or not item.shown:
                yield f"{item.number} is not open, but lacks a rule or a test"
        else:
            # The rule of an open item may be missing, but the tests that it names must exist.
            yield from (wrong for wrong in absent(item) if not wrong.endswith("does not exist"))


def numbers(cited: str) -> Iterator[str]:
    """Yield the numbers of a citation such as "R25-R31, R40 and T3"."""
    for first, last in re.findall(rf"({NUMBER})(?:(?:-| to )({NUMBER}))?", cited):
        yield from (f"{first[0]}{n}" for n in range(int(first[1:]), int((last or first)[1:]) + 1))


@cache
def citations() -> dict[str, list[str]]:
    """Return the rule numbers that tests and transcripts cite, each with their names in order."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, text in (*test_sources().items(), *transcripts().items()):
        for cited in CITATION.findall(text):
            for number in numbers(cited):
                found[number].add(name)
    for name, text in test_sources().items():
        for number in NAMED.findall(text):
            found[number].add(name)
    return {number: sorted(names) for number, names in found.items()}


def place(number: str) -> tuple[str, int]:
    """Return the place of a number in the order of rules."""
    return number[0], int(number[1:])


def wrong_rules() -> Iterator[str]:
    """Yield a message for each rule that is defined twice or that no test cites."""
    yield from (
        f"rule {rule} is defined more than once" for rule, n in Counter(said()).items() if n > 1
    )
    for rule in sorted(rules() - citations().keys(), key=place):
        yield f"rule {rule} of SEMANTICS.md is cited by no test and no transcript"


def tables() -> str:
    """Return the page's number of items, and a table for each source."""
    found = items()
    titles = re.findall(r"^## (\w): (.+)$", DATA.read_text(), re.MULTILINE)
    states = Counter(item.state for item in found)
    out = [
        f"{len(found)} items: {states['shown']} are shown, {states['query']} can only be shown by",
        f"a Spark query, {states['open']} are open.",
        "",
    ]
    for letter, title in titles:
        out += [
            f"## {letter}: {title}",
            "",
            "| item | requirement | rules | shown by |",
            "|---|---|---|---|",
        ]
        for item in found:
            if item.number[0] == letter:
                state = [] if item.state == "shown" else [f"**{item.words()}**"]
                shown = "; ".join(state + [f"`{name}`" for name in item.shown])
                out.append(f"| {item.number} | {item.what} | {' '.join(item.rules)} | {shown} |")
        out.append("")
    return "\n".join([*out, *other_rules(found)])


def other_rules(found: list[Item]) -> list[str]:
    """Return the table of the rules that no requirement names, with the tests that cite them."""
    others = rules() - {rule for item in found for rule in item.rules}
    return [
        "## Rules that no source requires",
        "",
        "| rule | cited by |",
        "|---|---|",
        *(
            f"| {rule} | {'; '.join(f'`{name}`' for name in citations()[rule])} |"
            for rule in sorted(others, key=place)
        ),
    ]


def close(found: list[Item]) -> None:
    """Remove `open` from the items whose rules and tests all exist."""
    closed = {
        item.number: replace(item, state="shown").line()
        for item in found
        if item.state == "open"
        and not item.missing
        and item.rules
        and item.shown
        and not absent(item)
    }
    lines = [closed.get(line.split(" | ")[0], line) for line in DATA.read_text().splitlines()]
    DATA.write_text("\n".join(lines) + "\n")
    print(f"closed: {' '.join(closed) or 'none'}")


def main(arguments: list[str]) -> int:
    """Run the program; return the exit status."""
    if arguments == ["--close"]:
        close(items())
    elif arguments != ["--check"]:
        print("usage: scripts/coverage --check | --close")
        return 2
    found = items()
    wrong = [*problems(found), *wrong_rules()]
    print(
        "\n".join(wrong)
        if wrong
        else f"{len(found)} items, {len(rules())} rules: everything that is named exists"
    )
    to_come = sorted({rule for item in found for rule in item.rules} - rules())
    if to_come:
        print(f"rules that are not written yet: {' '.join(to_come)}")
    print(f"open: {sum(item.state == 'open' for item in found)}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
