"""A checkpoint as text that can be restored anywhere: the path and the contents of each file."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from pathlib import Path

#: Replaces the folder of the run, because Spark writes absolute paths into its logs.
FOLDER = "file:///FOLDER"

#: Texts as they are; other contents as ``{"deflated": base64}``.
Files = Mapping[str, str | Mapping[str, str]]


def folded(checkpoint: Path) -> Files:
    """Return all files except Hadoop's checksums, which would be wrong after a change of path."""
    files = (file for file in sorted(checkpoint.rglob("*")) if file.is_file())
    return {
        str(file.relative_to(checkpoint)): _content(file.read_bytes(), checkpoint.parent)
        for file in files
        if not (file.name.startswith(".") and file.suffix == ".crc")
    }


def unfold(files: Files, checkpoint: Path) -> None:
    """Write the files as if the run had been in this folder."""
    for name, content in files.items():
        file = checkpoint / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            text = content.replace(FOLDER, checkpoint.parent.as_uri())
            file.write_text(text, newline="")
        else:
            file.write_bytes(zlib.decompress(base64.b64decode(content["deflated"])))


def _content(value: bytes, folder: Path) -> str | Mapping[str, str]:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        text = "\0"
    if not text.replace("\n", "").isprintable():
        assert str(folder).encode() not in value, "a path that cannot be another one"
        return {"deflated": base64.b64encode(zlib.compress(value, 9)).decode()}
    text = text.replace(folder.as_uri(), FOLDER).replace(f"file:{folder}", FOLDER)
    assert str(folder) not in text, "a path in an unknown form"
    return text
