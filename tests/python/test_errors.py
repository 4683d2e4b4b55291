"""Texts of errors, and errors that come from the JVM as text."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

import windrow as wr
from windrow import _sql, errors


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: wr.Tumbling(600),  # type: ignore[arg-type]
            "[DURATION_WITHOUT_UNIT] Tumbling(size=600): 600 has no unit. "
            "Say '600 seconds', or Count(600) for messages.",
        ),
        (
            lambda: wr.WindowOperatorSpec(window=wr.Tumbling("1 minute")),
            "[LATENESS_NOT_STATED] Tumbling('1 minute'): say lateness('0 seconds') or longer.",
        ),
        (
            lambda: wr.WindowOperatorSpec(
                window=wr.Session("60 s"), lateness="5 minutes", maxFuture="-1 second"
            ),
            "2 problems in Session('1 minute'): [ACCUMULATION_NOT_STATED] lateness '5 minutes' "
            "fires a window again: accumulate(ACCUMULATING). [MAX_FUTURE_NEGATIVE] maxFuture is "
            "'-1 seconds'; it must be '0 seconds' or longer.",
        ),
        (
            lambda: wr.Hopping(5, step="0 s", offset="x"),  # type: ignore[arg-type]
            "3 problems in Hopping(size=5, step='0 s', offset='x'): [DURATION_WITHOUT_UNIT] 5 has "
            "no unit. Say '5 seconds', or Count(5) for messages. [DURATION_NOT_UNDERSTOOD] 'x' is "
            "no duration. Say for example '90 seconds' or '1 hour 30 minutes'. "
            "[SIZE_NOT_POSITIVE] step is '0 seconds'; it must be longer than 0 microseconds.",
        ),
        (
            lambda: wr.Session("0 s"),
            "[GAP_NOT_POSITIVE] Session('0 seconds'): gap is '0 seconds'; "
            "it must be longer than 0 microseconds.",
        ),
        (
            lambda: wr.Every(messages=0),
            "[COUNT_NOT_POSITIVE] Every(messages=0): it must be a whole number, 1 or more.",
        ),
    ],
)
def test_texts(make: Callable[[], object], text: str) -> None:
    """Each mistake has its code, its call and its remedy, all of them at once."""
    with pytest.raises(wr.SpecError) as refused:
        make()
    assert str(refused.value) == text


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (
            "[NO_WATERMARK] stream 'messages': 'time' has no watermark, no window could complete. "
            "Say stream(watermark='1 minute'), or withWatermark before.",
            ["NO_WATERMARK"],
        ),
        (
            "[GUARD_TOO_LATE] stream 'messages': maxFuture cannot guard a watermark set before. "
            "Replace withWatermark by stream(watermark=...).",
            ["GUARD_TOO_LATE"],
        ),
        (
            "2 problems in Tumbling('1 minute'): [LATENESS_NOT_STATED] say lateness('0 seconds') "
            "or longer. [ACCUMULATION_NOT_STATED] say [it].",
            ["LATENESS_NOT_STATED", "ACCUMULATION_NOT_STATED"],
        ),
    ],
)
def test_jvm_texts_become_spec_errors(text: str, codes: list[str]) -> None:
    """Same text, one problem for each code; pickling keeps both."""
    error = errors.from_text(text)
    assert isinstance(error, wr.SpecError)
    assert str(error) == text
    assert [problem.code for problem in error.problems] == codes
    assert str(wr.SpecError.of("x", error.problems)).endswith(str(error.problems[-1].text))
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  our own bytes
    assert (str(again), again.problems) == (text, error.problems)


def test_jvm_texts_of_other_classes() -> None:
    """A changed spec is an error of the checkpoint; other texts are not ours."""
    assert isinstance(errors.from_text("[SPEC_CHANGED] the checkpoint has ..."), wr.CheckpointError)
    assert errors.from_text("requirement failed") is None
    assert errors.from_text("[not a code] x") is None


def test_missing_jar_says_what_to_do() -> None:
    """It names the calls that load it."""
    assert _sql.NOT_LOADED == (
        "[JAR_NOT_LOADED] this session lacks the windrow JAR. "
        "Call wr.attach(), or wr.configure(builder) before; see wr.doctor()."
    )


def test_wrong_types_are_type_errors() -> None:
    """What a type checker refuses is refused at run time too, in plain words."""
    with pytest.raises(TypeError, match=r"stream\(\) takes a DataFrame, not int"):
        wr.stream(42, time="time")  # type: ignore[arg-type]
