"""Folders and files stay small, and imports short, so that a reader can survey them."""

from __future__ import annotations

from pathlib import Path

from house.sizes import crowded, long, scattered, sources

ROOT = Path(__file__).parents[3]
MOST_FILES, MOST_LINES = 25, 400

#: Files that may be longer, with the reason.
REASONS: dict[str, str] = {}


def test_no_folder_has_many_files() -> None:
    """A folder has at most 25 source files."""
    assert len(list(sources(ROOT))) > 1000
    assert crowded(ROOT, MOST_FILES) == {}


def test_no_file_is_long() -> None:
    """A file has at most 400 lines, except for a stated reason; no reason is out of date."""
    assert long(ROOT, MOST_LINES).keys() == REASONS.keys()


def test_a_package_is_imported_once() -> None:
    """A Scala file imports the names of one package in one statement."""
    assert scattered(ROOT) == {}


def test_violations_are_found(tmp_path: Path) -> None:
    """A folder, a file, and imports that break a rule are found; one less is accepted."""
    folder = tmp_path / "jvm/a"
    (folder / "target").mkdir(parents=True)
    for number in range(3):
        (folder / f"F{number}.scala").write_text("package a\n" * number)
        (folder / "target" / f"T{number}.scala").write_text("import b.C\nimport b.D\n")
    assert crowded(tmp_path, 2) == {"jvm/a": 3}
    assert crowded(tmp_path, 3) == {}
    assert long(tmp_path, 1) == {"jvm/a/F2.scala": 2}
    assert long(tmp_path, 2) == {}
    (folder / "F0.scala").write_text("import b.{C, D}\nimport b.c.E\n\nclass F { import b.G }\n")
    assert scattered(tmp_path) == {}
    (folder / "F0.scala").write_text("import b.C\nimport b.{D, E}\n")
    assert scattered(tmp_path) == {"jvm/a/F0.scala": ["b"]}
