"""Finds phrases that CONTRIBUTING asks to avoid, in everything that a person reads.

``python tests/python/docs/prose.py`` prints for each part how many there are per 1,000 words;
``python tests/python/docs/prose.py PART`` prints each place in a part.
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]

#: A match is a candidate for a better sentence, not always a fault.
AVOIDED = {
    "say or tell, for set, print, report": r"\b(?:say|says|said|saying|tell|tells|told|telling)\b",
    "what, for a noun": (
        r"\b[Ww]hat (?:is|are|was|were|has|had|have|comes?|came|no|it|its|they|each|of|goes|cannot"
        r"|can|may|must|does|do|did|all|only|holds?|leaves?|makes?|takes?)\b(?![^.!?]*\?)"
    ),
    "a preposition or what at the head": r"(?:^|[.:] )(?:Of|What|Whoever|Whichever|Besides?) ",
    "is no, for is not": r"\b(?:is|are|was|were) no (?:more |longer )?\b",
    "words of no manual": (
        r"\b(?:mend(?:s|ed|ing)?|anew|begun|beside|therein|thereof|wherein|hand(?:s|ed)? back"
        r"|let(?:s)? go|for good|as ever|goes by|went by|turned back|such a one|nobody|whoever)\b"
    ),
    "come, for arrive or is emitted": r"\b(?:comes?|came|coming)\b",
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in AVOIDED.items()}

#: Written by programs from texts that are counted where they are written.
_GENERATED = {"benchmarks-run.md", "coverage.md", "mutants.md", "errors.md", "CHANGELOG.md"}

Place = tuple[str, int, str]


def pages() -> Iterator[Place]:
    """Give the running text of Markdown: no code, tables, headings, or links."""
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob(".github/**/*.md")]:
        if path.name in _GENERATED:
            continue
        is_code = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            is_code ^= line.lstrip().startswith("```")
            if not is_code and not line.lstrip().startswith(("|", "#", "<!--", "```", ":::")):
                yield _name(path), number, re.sub(r"`[^`]*`|\[[^\]]*\]\([^)]*\)", "X", line)


def scala() -> Iterator[Place]:
    """Give the comments of Scala."""
    for path in [*ROOT.glob("jvm/**/*.scala"), *ROOT.glob("project/*.scala")]:
        is_comment = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            opened = is_comment or "/*" in line
            text = line.split("/*", 1)[-1] if opened else line.partition(" // ")[2]
            is_comment = opened and "*/" not in line
            yield _name(path), number, re.sub(r"`[^`]*`|\[\[[^\]]*\]\]", "X", text.strip(" */"))


def python() -> Iterator[Place]:
    """Give the comments and docstrings of Python."""
    for folder in ("python", "tests", "scripts", "examples", "docs"):
        for path in ROOT.glob(f"{folder}/**/*.py"):
            source = path.read_text(encoding="utf-8")
            for token in tokenize.generate_tokens(io.StringIO(source).readline):
                if token.type == tokenize.COMMENT:
                    yield _name(path), token.start[0], token.string
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                    text = ast.get_docstring(node) or ""
                    first = node.body[0].lineno if node.body else 1
                    for number, line in enumerate(text.splitlines(), first):
                        yield _name(path), number, re.sub(r"`[^`]*`", "X", line)


def errors() -> Iterator[Place]:
    """Give the sentences of errors."""
    path = ROOT / "python/windrow/error-conditions.json"

    def texts(value: object) -> Iterator[str]:
        if isinstance(value, dict):
            for name, part in value.items():
                if name in ("message", "remedy") and isinstance(part, str):
                    yield part
                else:
                    yield from texts(part)

    for text in texts(json.loads(path.read_text(encoding="utf-8"))):
        yield _name(path), 0, re.sub(r"`[^`]*`|<[^>]*>", "X", text)


PARTS = {"pages": pages, "scala": scala, "python": python, "errors": errors}


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def found(text: str) -> list[str]:
    """Give the names of what is avoided and found in a text, once for each place."""
    return [name for name, pattern in _PATTERNS.items() for _ in pattern.findall(text)]


def rate(places: Iterator[Place]) -> float:
    """Give the number of avoided phrases per 1,000 words, to one decimal."""
    words = count = 0
    for _, _, text in places:
        words += len(text.split())
        count += len(found(text))
    return round(1000 * count / max(words, 1), 1)


def main() -> None:
    """Print rates, or the places of one part."""
    if len(sys.argv) < 2:
        for name, part in PARTS.items():
            sys.stdout.write(f"{name:8} {rate(part()):5.1f}\n")
        return
    for path, number, text in PARTS[sys.argv[1]]():
        for name in found(text):
            sys.stdout.write(f"{path}:{number}: {name}: {text.strip()[:120]}\n")


if __name__ == "__main__":
    main()
