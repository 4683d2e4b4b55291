"""What each window waits for, in words, for every spec there is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

import windrow as wr
from conftest import PARITY
from strategies import specs
from windrow import _explain, _explain_join
from windrow.operators import JoinSpec

_ZERO = "0 seconds"
EXPLAINED = json.loads((PARITY / "explained.json").read_text())


@given(specs())
def test_every_spec_can_be_told(spec: wr.WindowOperatorSpec) -> None:
    """One line for each question."""
    said = _explain.text(spec, "a stream", {}).splitlines()
    assert said[0] == f"{spec.window!r} over a stream"
    assert len(said) == 10


@pytest.mark.parametrize("case", EXPLAINED["windows"], ids=lambda case: case["lines"][0])
def test_scala_says_the_same(case: dict[str, Any]) -> None:
    """Both read tests/parity."""
    spec = wr.WindowOperatorSpec.fromJson(json.dumps(case["json"]))
    said = _explain.text(spec, "a stream", {"watermark": 60_000_000})
    assert said.splitlines() == case["lines"]


@pytest.mark.parametrize("case", EXPLAINED["joins"], ids=lambda case: case["lines"][3])
def test_scala_says_the_same_of_joins(case: dict[str, Any]) -> None:
    """The first stream has a watermark of the builder, the others of their DataFrames."""
    spec = JoinSpec.fromJson(json.dumps(case["json"]))
    first, *others = spec.inputStreams
    said = _explain_join.text(spec, {first: 60_000_000} | dict.fromkeys(others))
    assert said.splitlines() == case["lines"]


@pytest.mark.parametrize(
    ("spec", "lines"),
    [
        (
            wr.WindowOperatorSpec(
                window=wr.Sliding("1 hour"), lateness="1 hour", accumulation=wr.DISCARDING
            ),
            [
                "on time    one pane when the watermark has passed last",
                "late       one pane for each micro-batch that changes the window, until the "
                "watermark has passed last + 1 hour",
                "panes      what came since the window's last one",
                "state      a window leaves it when the watermark has passed last + 1 hour",
            ],
        ),
        (
            wr.WindowOperatorSpec(
                window=wr.Tumbling("1 hour"),
                lateness=_ZERO,
                early=wr.AnyOf(wr.Every("10 seconds"), wr.Every(messages=1000)),
                onTime=False,
                accumulation=wr.ACCUMULATING_AND_RETRACTING,
                fireOnlyUpdated=True,
            ),
            [
                "early      one pane every 10 seconds of processing time, if anything came; or "
                "one pane for every 1000 messages",
                "on time    no pane",
                "panes      the whole window so far; each but the first retracts the one before; "
                "none with the value of the last one",
            ],
        ),
        (
            wr.WindowOperatorSpec(
                window=wr.Hopping("1 hour", step="1 minute"),
                lateness=None,
                late=wr.Never(),
                complete="first_message_beyond",
                retention=wr.Retention(windows=10),
                accumulation=wr.ACCUMULATING,
            ),
            [
                "on time    one pane when its key has a message past its end, or the watermark "
                "reaches end",
                "late       one pane at the end, if anything came, until the retention says so",
                "state      a window leaves it when the retention says so",
            ],
        ),
        (
            wr.WindowOperatorSpec(
                window=wr.Global(),
                lateness=None,
                early=wr.EachMessage(),
                accumulation=wr.ACCUMULATING,
                retention=wr.Retention(time="1 day", messages=5),
            ),
            [
                "rejected   INVALID_TIME (no event time), "
                "OUT_OF_RETENTION (more than 1 day behind the watermark)",
            ],
        ),
        (
            wr.WindowOperatorSpec(window=wr.Offsets(3), lateness=2, accumulation=wr.ACCUMULATING),
            [
                "on time    one pane when its last position is in",
                "state      a window leaves it when 2 offsets past its last are in",
            ],
        ),
        (
            wr.WindowOperatorSpec(window=wr.Count(3)),
            ["late       no panes; nothing is late", "rejected   INVALID_TIME (no event time)"],
        ),
    ],
)
def test_words(spec: wr.WindowOperatorSpec, lines: list[str]) -> None:
    """What fires, when a window leaves the state, and what is rejected."""
    said = [line.strip() for line in _explain.text(spec, "a stream", {"watermark": 0}).splitlines()]
    assert set(lines) <= set(said)
