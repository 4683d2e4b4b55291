"""Durations: the same texts, numbers and problems as in Scala (tests/parity)."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import PARITY
from windrow._specs import _duration
from windrow.errors import SpecProblem

CASES = json.loads((PARITY / "durations.json").read_text())
micros = st.integers(min_value=-(2**62) + 1, max_value=2**62 - 1)


@pytest.mark.parametrize("case", CASES["read"], ids=lambda case: repr(case["text"]))
def test_reads(case: dict[str, object]) -> None:
    """A text is read as one value, which is shown as the shortest text."""
    read = _duration.read(case["text"])
    assert read == case["micros"]
    assert isinstance(read, int)
    assert _duration.show(read) == case["shown"]


@pytest.mark.parametrize("case", CASES["refused"], ids=lambda case: repr(case["text"]))
def test_refuses(case: dict[str, str]) -> None:
    """An invalid text is refused with one code and one sentence."""
    assert _duration.read(case["text"]) == SpecProblem(case["code"], case["problem"])


@given(micros)
def test_shown_text_is_read_back(value: int) -> None:
    """A shown duration is read back as the same value."""
    assert _duration.read(_duration.show(value)) == value


@given(st.timedeltas())
def test_timedelta_is_exact(value: timedelta) -> None:
    """A timedelta is read exactly in microseconds, or refused as too long."""
    read = _duration.read(value)
    exact = (value.days * 86400 + value.seconds) * 1_000_000 + value.microseconds
    if abs(exact) < 2**62:
        assert read == exact
    else:
        assert isinstance(read, SpecProblem)
        assert read.code == "DURATION_TOO_LONG"


@given(st.text(alphabet="0123456789 +-.hmsudayinterlwkINTERVAL\t", max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Every text is read or refused; a read value is less than 2^62 microseconds."""
    read = _duration.read(text)
    assert isinstance(read, SpecProblem) or -(2**62) < read < 2**62


@pytest.mark.parametrize("value", [600, -1, 1.5, True])
def test_numbers_have_no_unit(value: object) -> None:
    """A number is refused as a duration because it lacks a unit."""
    read = _duration.read(value)
    assert isinstance(read, SpecProblem)
    assert read.code == "DURATION_WITHOUT_UNIT"


@pytest.mark.parametrize("value", [None, [], b"1 second"])
def test_other_types_are_refused(value: object) -> None:
    """Values of other types are refused."""
    read = _duration.read(value)
    assert isinstance(read, SpecProblem)
    assert read.code == "DURATION_NOT_UNDERSTOOD"
