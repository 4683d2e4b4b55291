"""Running transcripts: cases of what goes into an operator and what must come out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from windrow._bridge import _gateway
from windrow._bridge._doctor import Check, Report

Engine = Literal["reference", "core", "spark", "python"]

_CASE = re.compile(r"case (\S+?): ?(.*)", re.DOTALL)


def replay(transcript: str, *, engine: Engine = "reference") -> Report:
    """Run the cases of a transcript, and report those that give something else than they expect.

    transcript: a file of JSON lines. engine: the slow reference, the core, streaming queries of
    Spark, or the operators of this package. The report has a line for each case that differs, with
    the differences as its remedy, for each that was not run, with the reason, and one for all.
    """
    file = Path(transcript)
    if not file.is_file():
        msg = f"there is no file {transcript!r}"
        raise FileNotFoundError(msg)
    if engine == "python":
        from windrow._replay import _python

        return _python.report(file)
    from windrow.operators import _session

    arguments = [str(file), "--engine", engine, "--check"]
    status, printed = _gateway.replay(_session.session(), arguments)
    return _read(status, printed)


def _read(status: int, printed: str) -> Report:
    """Make a report of what the JVM prints: lines that begin a case, and a summary."""
    paragraphs = re.split(r"\n(?=\S)", printed)
    checks = []
    for paragraph in paragraphs[:-1]:
        case = _CASE.fullmatch(paragraph)
        name, text = (case[1], case[2]) if case else ("a case", paragraph)
        right = text.startswith(("not run", "known gap"))
        checks.append(Check(name, text if right else "differs", "" if right else text.strip()))
    remedy = "" if status == 0 else "see the cases above"
    return Report((*checks, Check("transcript", paragraphs[-1], remedy)))
