"""The catalog of errors matches the errors that the code raises, and its sentences are complete."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import windrow as wr
from windrow import _conditions, errors

ROOT = Path(__file__).parents[3]
CATALOGUE = ROOT / "python" / "windrow" / "error-conditions.json"
CLASSES = {name for name in dir(errors) if name.endswith("Error")}

Uses = Iterator[tuple[str, set[str], str]]

#: Conditions with a name as prefix: fields of windows, and numbers that are too small.
OF_NAMES = {
    f"{name}_NOT_STATED" for name in ("N", "SIZE", "STEP", "UNIT", "ZONE")
} | {
    f"{name}_NOT_POSITIVE"
    for name in ("GAP", "GRANULARITY", "IDLE", "MAXKEYS", "MAXROWS", "MESSAGES", "N", "PERIOD",
                 "ROWS", "STEP", "WINDOWS")
} | {f"DURATION_WITHOUT_UNIT.{name}" for name in ("PERIOD", "RANGE", "SIZE")} | {
    f"{name}_DIFFERS" for name in ("INVALID", "LATENESS", "MAXFUTURE", "RETENTION")
}  # fmt: skip

#: Codes that only a bug of Windrow raises.
OF_BUGS = ["ROW_NOT_CARRIED"]

#: Parameters that an intermediate function adds to conditions.
ADDED = {
    condition: names
    for conditions, names in (
        ("DURATION_NOT_UNDERSTOOD.TEXT DURATION_NOT_UNDERSTOOD.UNIT", {"value"}),
        ("DURATION_WITHOUT_UNIT.DURATION", {"value"}),
        ("DRAIN_NOT_STARTED DRAIN_LEFT_OUT", {"checkpoint"}),
        (
            "NO_WINDOWS.JOIN NO_WINDOWS.KEYS NO_MESSAGE_STORE.KEYS NO_MESSAGE_STORE.CHECKPOINT",
            {"operator", "path"},
        ),
        (
            "UPSERT_ROW_UNCLEAR.OVER UPSERT_ROW_UNCLEAR.LIMITS UPSERT_ROW_UNCLEAR.TOPIC "
            "UPSERT_OF_PARTS NAME_TAKEN.UPSERT",
            {"sink"},
        ),
        (
            "TOO_MANY_WINDOWS TOO_MANY_MESSAGES TOO_MANY_KEYS TOO_MUCH_OUTPUT",
            {"name", "found", "setting", "limit"},
        ),
        ("KEY_TYPES_DIFFER.STREAMS TIME_TYPES_DIFFER", {"key", "types"}),
        ("VALUE_UNKNOWN", {"name", "value", "allowed"}),
        ("CALENDAR_UNIT_NOT_UNDERSTOOD.WORD", {"name", "value", "allowed"}),
    )
    for condition in conditions.split()
}


def sentences() -> dict[str, str]:
    """Return the sentence of each condition."""
    found = {}
    for code, entry in json.loads(CATALOGUE.read_text()).items():
        parts: Mapping[str, Any] = entry.get("subClass", {"": entry})
        for part, one in parts.items():
            found[f"{code}.{part}".rstrip(".")] = one["message"]
    return found


def of_scala() -> Uses:
    """Yield the conditions in the Scala sources with the parameters passed to them."""
    literal = re.compile(
        r'(?<!")"((?:STATE_NOT_SAFE\.)?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:\.[A-Z_]+)?)"(?!")'
    )
    for part in ("core", "spark"):
        for file in sorted((ROOT / "jvm" / part / "src" / "main").rglob("*.scala")):
            text = file.read_text()
            for found in literal.finditer(text):
                if text[: found.start()].endswith("== "):  # compared here, raised elsewhere
                    continue
                end, depth = found.end(), 0
                while depth >= 0 and end < len(text):
                    depth += {"(": 1, ")": -1}.get(text[end], 0)
                    end += 1
                names = re.findall(r'"(\w+)"\s*->', text[found.end() : end])
                yield found[1], set(names), file.name


def of_python() -> Uses:
    """Yield the conditions in the Python sources with the parameters passed to them."""
    for file in sorted((ROOT / "python" / "windrow").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                condition = node.args[0].value
                if name in ("problem", "failure", "refuse") and isinstance(condition, str):
                    yield condition, {str(one.arg) for one in node.keywords}, file.name


def named(sentence: str) -> set[str]:
    """Return the parameters of a sentence."""
    return set(re.findall(r"<(\w+)>", sentence))


def test_every_condition_is_raised_as_it_is_written() -> None:
    """Every raised condition is in the catalog, and gets exactly its sentence's parameters."""
    known = sentences()
    for condition, given, file in of_python():
        assert condition in known, f"{file}: {condition}"
        assert given == named(known[condition]), f"{file}: {condition}"
    for condition, given, file in of_scala():
        if condition in known:
            wanted = named(known[condition])
            assert wanted - given <= ADDED.get(condition, set()), f"{file}: {condition}"
            assert given <= wanted, f"{file}: {condition}"


def test_every_condition_is_raised() -> None:
    """Every condition of the catalog is raised."""
    texts = [
        file.read_text()
        for folder, end in (("jvm/core", "scala"), ("jvm/spark", "scala"), ("python", "py"))
        for file in (ROOT / folder).rglob(f"*.{end}")
        if "/test/" not in str(file)
    ]
    whole = "\n".join(texts)
    parts = {f"STATE_NOT_SAFE.{one}" for one in re.findall(r'refuse\("([A-Z_]+)"', whole)}
    unused = [one for one in sentences() if f'"{one}"' not in whole and one not in OF_NAMES | parts]
    assert unused == []


def unnamed(codes: Iterable[str], texts: Iterable[str]) -> list[str]:
    """Return the codes that no text names."""
    words = {word for text in texts for word in re.findall(r"[A-Z][A-Z0-9_]+", text)}
    return [code for code in codes if code not in words]


def test_every_code_is_named_by_a_test() -> None:
    """Every code is named by a test or a table of cases, except those that only a bug raises."""
    folders = [ROOT / "tests", *ROOT.glob("jvm/*/src/test")]
    files = {
        file
        for folder in folders
        for end in ("py", "scala", "json")
        for file in folder.rglob(f"*.{end}")
        if "checkpoints" not in file.parts and file != Path(__file__)
    }
    catalogue = json.loads(CATALOGUE.read_text())
    assert unnamed(catalogue, (file.read_text() for file in files)) == OF_BUGS
    # shows that the check can fail
    assert unnamed(["SIZE_NEGATIVE", "SIZE"], ["match='SIZE_NEGATIVE'", "SIZES"]) == ["SIZE"]


def test_code_contains_no_sentences() -> None:
    """No code is followed or preceded by a literal text in the sources."""
    beside = re.compile(r'[pP]roblem\(\s*"[A-Z_.]+",\s*s?"(?!\w+"\s*->)|"\[[A-Z]+(_[A-Z]+)+\] ')
    for part in ("jvm/core/src/main", "jvm/spark/src/main", "python/windrow"):
        for file in (ROOT / part).rglob("*.*"):
            if file.suffix in (".scala", ".py"):
                assert not beside.search(file.read_text()), file


def test_the_catalogue_reads_well() -> None:
    """The catalog is sorted, its classes exist, and its sentences end properly."""
    catalogue = json.loads(CATALOGUE.read_text())
    assert list(catalogue) == sorted(catalogue)
    for code, entry in catalogue.items():
        assert entry["class"] in CLASSES, code
        assert ("message" in entry) != ("subClass" in entry), code
        assert list(entry.get("subClass", ())) == sorted(entry.get("subClass", ())), code
    for condition, sentence in sentences().items():
        assert sentence.rstrip("…").endswith((".", "<why>", "<found>", "<remedy>")), condition
        assert "  " not in sentence, condition


def test_a_wrong_condition_fails_loudly() -> None:
    """An unknown condition, or one with missing or extra values, raises an error."""
    with pytest.raises(KeyError):
        errors.problem("NO_SUCH_CODE")
    with pytest.raises(ValueError, match="zone"):
        errors.problem("ZONE_UNKNOWN")
    with pytest.raises(ValueError, match="more"):
        errors.problem("ZONE_UNKNOWN", zone="Mars", more=1)
    assert str(errors.problem("ZONE_UNKNOWN", zone="Mars")).startswith(
        "[ZONE_UNKNOWN] zone is 'Mars'"
    )
    assert isinstance(errors.failure("NOT_OPEN.CLOSED", operator="it"), wr.OperatorError)
    assert errors.class_of("UNBOUNDED_JOIN") is wr.UnboundedJoinError
    assert set(_conditions.catalogue()) == set(json.loads(CATALOGUE.read_text()))


def test_an_error_ends_with_its_remedy_and_a_pointer() -> None:
    """The remedy of the condition or of its code, and the section of the page of errors."""
    assert errors.problem("NOT_KEYED", operator="'o'").text == (
        "The only partition of 'o' cannot be evicted, because it does not have a key. "
        "Give the operator a key. See docs/errors.md#not_keyed."
    )
    drawn = errors.problem("ROWS_NOT_DRAWABLE.STREAMING", name="panes").text
    assert "Start the query, and draw the table or the files that it writes. See " in drawn
    why = errors.problem("VALUE_NOT_UNDERSTOOD", why="It is a file.").text
    assert why == "It is a file. See docs/errors.md#value_not_understood."


def test_the_page_is_made_of_the_catalogue() -> None:
    """``docs/errors.md`` matches the catalog."""
    made = subprocess.run(
        [sys.executable, ROOT / "scripts" / "errors.py", "--check"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stdout
