"""Specs are values: they compare, hash, print as their call, go through JSON and back."""

from __future__ import annotations

import json
import pickle
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from conftest import PARITY

CASES = json.loads((PARITY / "specs.json").read_text())

spans = st.integers(min_value=1, max_value=2**62).map(lambda us: f"{us} microseconds")
offsets = st.integers(min_value=-(2**62), max_value=2**62).map(lambda us: f"{us} us")
kinds: st.SearchStrategy[wr.WindowKind] = st.one_of(
    st.builds(wr.Tumbling, spans, offset=offsets),
    st.builds(wr.Hopping, spans, step=spans, offset=offsets),
    st.builds(wr.Session, spans),
)
triggers: st.SearchStrategy[wr.PaneTrigger] = st.one_of(
    st.sampled_from([wr.Never(), wr.EachStep(), wr.EachMessage()]),
    st.builds(wr.Every, messages=st.integers(min_value=1, max_value=2**62)),
)
specs = st.builds(
    wr.WindowOperatorSpec,
    window=kinds,
    lateness=spans,
    late=triggers,
    accumulation=st.just(wr.ACCUMULATING),
    maxFuture=st.none() | spans,
)


@given(kinds)
def test_kind_prints_as_its_call(kind: wr.WindowKind) -> None:
    """The printed call makes an equal value with an equal hash."""
    again = eval(repr(kind), vars(wr))  # noqa: S307  our own text
    assert again == kind
    assert hash(again) == hash(kind)
    assert type(kind).fromJson(kind.toJson()) == kind
    assert wr.WindowKind.fromJson(kind.toJson()) == kind


@given(specs)
def test_spec_goes_through_json(spec: wr.WindowOperatorSpec) -> None:
    """JSON, pickle and printing keep everything."""
    assert wr.WindowOperatorSpec.fromJson(spec.toJson()) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec  # noqa: S301  our own bytes
    assert eval(repr(spec), vars(wr)) == spec  # noqa: S307  our own text


@pytest.mark.parametrize("case", CASES["written"], ids=lambda case: case["window"])
def test_json_is_scalas(case: dict[str, object]) -> None:
    """Python reads what Scala writes, and writes the same."""
    spec = wr.WindowOperatorSpec.fromJson(json.dumps(case["json"]))
    assert repr(spec.window) == case["window"]
    assert json.loads(spec.toJson()) == case["json"]


@pytest.mark.parametrize("case", CASES["read"], ids=lambda case: case["why"])
def test_other_ways_to_write_json(case: dict[str, object]) -> None:
    """Units, texts and fields with only one value so far."""
    spec = wr.WindowOperatorSpec.fromJson(json.dumps(case["json"]))
    assert json.loads(spec.toJson()) == case["means"]


@pytest.mark.parametrize("case", CASES["refused"], ids=lambda case: json.dumps(case["json"]))
def test_broken_json_is_refused(case: dict[str, list[str]]) -> None:
    """Every problem has the code that Scala gives it."""
    with pytest.raises(wr.SpecError) as refused:
        wr.WindowOperatorSpec.fromJson(json.dumps(case["json"]))
    assert sorted({problem.code for problem in refused.value.problems}) == case["codes"]
    if "problems" in case:
        assert [str(problem) for problem in refused.value.problems] == case["problems"]


@pytest.mark.parametrize("text", ["", "[]", "{", "null"])
def test_no_json(text: str) -> None:
    """What is no JSON object is refused as such."""
    with pytest.raises(wr.SpecError, match=r"SPEC_NOT_JSON"):
        wr.Tumbling.fromJson(text)


def test_kind_of_another_class_is_refused() -> None:
    """A class reads only its own."""
    with pytest.raises(wr.SpecError, match=r"WINDOW_UNKNOWN.*Session\('1 minute'\)"):
        wr.Tumbling.fromJson(wr.Session("1 minute").toJson())


def test_durations_are_equal_however_written() -> None:
    """Text and timedelta, long and short units."""
    assert wr.Tumbling("60 minutes") == wr.Tumbling(timedelta(hours=1), offset="0 days")
    assert repr(wr.Tumbling("3600 s")) == "Tumbling('1 hour')"
    kinds: set[wr.WindowKind] = {wr.Tumbling("1 hour"), wr.Hopping("1 hour", step="1 hour")}
    assert len(kinds) == 2


def test_specs_are_frozen() -> None:
    """No field changes."""
    for value, field in ((wr.Tumbling("1 hour"), "size"), (wr.Every(messages=2), "messages")):
        with pytest.raises(AttributeError):
            setattr(value, field, "2 hours")


def test_every_message_is_each_message() -> None:
    """Two ways to say one thing are equal in a spec."""
    one, other = (
        wr.WindowOperatorSpec(window=wr.Session("1 s"), lateness="0 s", late=late)
        for late in (wr.Every(messages=1), wr.EachMessage())
    )
    assert one == other


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (wr.Tumbling("1 hour"), "Every message is in one."),
        (wr.Hopping("1 hour", step="20 minutes"), "A message is in 3 of them."),
        (wr.Hopping("1 hour", step="7 minutes"), "A message is in 8 or 9 of them."),
        (wr.Hopping("5 minutes", step="1 hour"), "Between two lie 55 minutes in no window"),
        (wr.Hopping("1 hour", step="1 hour", offset="5 minutes"), "5 minutes after 1970-01-01"),
        (wr.Session("30 minutes"), "30 minutes after the last"),
    ],
)
def test_describes(kind: wr.WindowKind, said: str) -> None:
    """The words say which windows hold a message."""
    assert said in kind.describe()
