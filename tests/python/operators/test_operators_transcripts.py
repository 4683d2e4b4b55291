"""Runs the transcripts through the operators, and scripts/replay with every engine."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from replays import run
from replays.case import Case, NotRunError
from replays.script import replay

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

TRANSCRIPTS = Path(__file__).parents[2] / "transcripts"
GAPS = json.loads((TRANSCRIPTS / "known-gaps.json").read_text())

#: Run one of this many cases; full runs run all.
EVERY = {"quick": 30, "full": 1}.get(os.environ.get("WINDROW_MODE", ""), 24)


@pytest.mark.parametrize("file", sorted(TRANSCRIPTS.glob("*.jsonl")), ids=lambda file: file.stem)
def test_transcript(file: Path) -> None:
    """The output equals the expected one, and differs for cases that are listed as gaps."""
    ran, differing = 0, {}
    for case in list(run.cases(file))[::EVERY]:
        name = str(case.json["id"])
        try:
            found = run.run(case)
        except NotRunError:
            continue
        ran += 1
        is_gap = "python" in GAPS.get(name, {}).get("engines", ())
        if bool(found) != is_gap:
            differing[name] = found
    assert not differing
    assert ran


def _case(expect: object) -> Case:
    spec = {
        "window": {"kind": "tumbling", "size": 10},
        "lateness": 0,
        "aggregates": {"n": "count"},
    }
    step = {
        "messages": [{"key": "a", "time": 1, "value": 5}],
        "watermark": 10,
        "expect": {"panes": expect},
    }
    return Case({"id": "made-up", "time_unit": "s", "spec": spec, "steps": [step]})


PANE = {
    "key": "a",
    "window": [0, 10],
    "timing": "ON_TIME",
    "index": 0,
    "is_last": True,
    "is_retraction": False,
    "values": {"n": 1},
}


@pytest.mark.parametrize(
    ("expect", "differs"),
    [
        ([PANE], False),
        ([], True),
        ([PANE, PANE], True),
        ([{**PANE, "values": {"n": 2}}], True),
        ([{**PANE, "values": {"n": 1 + 1e-12}}], False),
        ([{**PANE, "index": 1}], True),
        ([{**PANE, "window": [0, 11]}], True),
    ],
)
def test_differences_are_seen(expect: object, *, differs: bool) -> None:
    """A wrong expectation is detected as a difference."""
    assert bool(run.run(_case(expect))) == differs


def _file(tmp_path: Path, *expects: object) -> Path:
    file = tmp_path / "cases.jsonl"
    cases = [
        json.dumps({**_case(expect).json, "id": f"case-{number}"})
        for number, expect in enumerate(expects)
    ]
    file.write_text("\n".join(cases))
    return file


def test_report(tmp_path: Path) -> None:
    """The report of ``--engine python`` names the case that differs, and counts the cases."""
    report = run.report(_file(tmp_path, [PANE], [{**PANE, "index": 1}]))
    assert not report.ok
    assert "case-1" in str(report)
    assert "case-0" not in str(report)
    assert "2 cases on python: 1 different, 1 equal" in str(report)
    assert run.report(_file(tmp_path, [PANE])).ok


@pytest.mark.slow
@pytest.mark.parametrize(
    "engine",
    [
        "core",
        pytest.param("reference", marks=pytest.mark.full),
        pytest.param("spark", marks=pytest.mark.full),  # `NotFedSuite` finds it by its name
        pytest.param("python", marks=pytest.mark.full),  # `test_report` is its short form
    ],
)
def test_replay(engine: str, tmp_path: Path) -> None:
    """``scripts/replay`` names the cases that differ, and how they differ."""
    status, printed = replay(_file(tmp_path, [PANE], [{**PANE, "index": 1}]), engine)
    assert status == 1
    assert "case-1" in printed
    assert "step 1" in printed
    assert "case-0" not in printed
    assert f"2 cases on {engine}: 1 different, 1 equal" in printed
    if engine in ("reference", "python"):  # one program sets the status for all other engines
        assert replay(_file(tmp_path, [PANE]), engine)[0] == 0
