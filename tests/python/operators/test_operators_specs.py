"""Specs of operators without a query are values, and equal Scala's in JSON."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import windrow as wr
from conftest import PARITY
from operators.tables import prices
from replays import reading
from strategies import counts, kinds, retentions, spans, triggers

CASES = json.loads((PARITY / "specs.json").read_text())

MESSAGES = {"schema": "key string, time timestamp", "time": "time", "key": ["key"]}

names = st.text("abcxyz_é ", min_size=1, max_size=6).filter(lambda name: bool(name.strip()))
deltas = st.floats(min_value=0, allow_infinity=False, allow_nan=False)
bys = st.one_of(
    st.builds(wr.ByCount, counts),
    st.builds(wr.ByTime, spans),
    st.builds(wr.ByDelta, names, deltas),
)
limits = st.builds(
    wr.KeyLimits,
    idle=st.none() | spans,
    maxKeys=st.none() | counts,
    maxRows=st.none() | counts,
)
policies: st.SearchStrategy[wr.Policy] = st.one_of(
    st.builds(lambda by, limit: wr.Policy.tumbling(by, limit=limit), bys, limits),
    st.builds(wr.Policy.tumbling, st.builds(wr.ByPunctuation, names)),
    st.builds(
        lambda by, trigger, limit: wr.Policy.sliding(by, trigger=trigger, limit=limit),
        bys,
        bys,
        limits,
    ),
)
offsets = st.none() | st.builds(wr.RowId, source=names, partition=names, offset=names)


@st.composite
def specs(draw: st.DrawFn) -> wr.WindowOperatorSpec:
    """Draw specs of aggregates, full state and policies, and skip invalid ones."""
    window = draw(st.one_of(kinds, policies, st.just(wr.Session(None))))
    said: dict[str, Any] = {
        "schema": draw(names),
        "time": draw(names),
        "key": draw(st.lists(names, max_size=3, unique=True)),
        "rowId": draw(offsets),
        "aggregates": draw(st.lists(names, max_size=3)),
        "inputStreams": draw(st.just(()) | names),
        "outputStreams": draw(st.just(()) | names),
        "window": window,
    }
    if isinstance(window, wr.Session) and window.gap is None:
        said["gap"] = draw(names)
    if not isinstance(window, wr.Policy):
        said["lateness"] = draw(spans | st.none())
        said["accumulation"] = draw(st.sampled_from(list(wr.AccumulationMode)))
        said["early"] = draw(triggers)
        said["retention"] = draw(retentions)
    try:
        return wr.WindowOperatorSpec(**said)
    except wr.SpecError:
        assume(condition=False)
        raise


@given(policies)
def test_policy_is_a_value(policy: wr.Policy) -> None:
    """A policy prints as its call, and JSON and pickle preserve it."""
    again = eval(repr(policy), vars(wr))  # noqa: S307  our own text
    assert again == policy
    assert hash(again) == hash(policy)
    assert reading.kind(policy.toJson()) == policy
    assert pickle.loads(pickle.dumps(policy)) == policy  # noqa: S301  our own bytes
    assert policy.describe().startswith("For each key")
    assert "<svg" in str(policy.plot())


@given(specs())
def test_spec_is_a_value(spec: wr.WindowOperatorSpec) -> None:
    """JSON, pickle and printing preserve a spec, and equal specs have equal hashes."""
    again = reading.spec(spec.toJson())
    assert again == spec
    assert hash(again) == hash(spec)
    assert pickle.loads(pickle.dumps(spec)) == spec  # noqa: S301  our own bytes
    if not isinstance(spec.window, wr.Session) or spec.window.gap is not None:
        assert eval(repr(spec), vars(wr)) == spec  # noqa: S307  our own text


def _stream(name: str, **more: Any) -> wr.JoinStream:
    return wr.JoinStream(name=name, schema="key string, time timestamp", time="time", **more)


JOINS = [
    {"within": ("0 minutes", "5 minutes"), "how": "left"},
    {"within": {"b": ("-5 s", "5 s")}, "bounds": "()", "early": wr.Every("1 s")},
    {"within": ("0 s", "1 s"), "maxFuture": "1 h"},
    {"within": wr.Tumbling("1 minute"), "outputStreams": "pairs"},
    {"within": wr.Global(), "lateness": None, "retention": wr.Retention(messages=3)},
    {"streams": [_stream("a", window=wr.Over()), _stream("b", window=wr.Tumbling("1 s"))],
     "retention": wr.Retention(time="1 hour"), "expect": "small"},
    {"streams": [_stream("a", rowId=wr.KAFKA, startOffsets={1: 5}), _stream("b"), _stream("c")],
     "within": {"c": ("0 s", "1 s"), "b": ("0 s", "2 s")}},
]  # fmt: skip


@pytest.mark.parametrize("more", JOINS)
def test_join_is_a_value(more: dict[str, Any]) -> None:
    """JSON, pickle and printing preserve a join, and equal specs have equal hashes."""
    said = {"streams": [_stream("a"), _stream("b")], "on": "key", "lateness": "1 minute"}
    spec = wr.JoinSpec(**{**said, **more})
    for again in (
        reading.join(spec.toJson()),
        eval(repr(spec), vars(wr)),  # noqa: S307  our own text
        pickle.loads(pickle.dumps(spec)),  # noqa: S301  our own bytes
    ):
        assert again == spec
        assert hash(again) == hash(spec)
        assert again.toJson() == spec.toJson()
    with pytest.raises(AttributeError):
        spec.how = "right"  # type: ignore[misc]


def test_co_group_is_a_value() -> None:
    """JSON, pickle and printing preserve a co-group, and equal specs have equal hashes."""
    window = wr.WindowOperatorSpec(window=wr.Tumbling("1 minute"), lateness="0 seconds")
    streams = [_stream("a", rowId=wr.KAFKA), _stream("b")]
    spec = wr.CoGroupSpec(streams=streams, on="key", window=window, outputStreams="both")
    for again in (
        reading.cogroup(spec.toJson()),
        eval(repr(spec), vars(wr)),  # noqa: S307  our own text
        pickle.loads(pickle.dumps(spec)),  # noqa: S301  our own bytes
    ):
        assert again == spec
        assert hash(again) == hash(spec)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_co_groups_that_cannot_be() -> None:
    """A co-group with too few streams, own windows, or windows that do not merge is refused."""
    window = wr.WindowOperatorSpec(window=wr.Tumbling("1 minute"), lateness="0 seconds")
    spec = wr.CoGroupSpec(streams=[_stream("a", window=wr.Over())], window=window)
    with pytest.raises(wr.SpecError, match=r"2 problems in a co-group: .*VALUE_.*STREAMS_TOO_FEW"):
        wr.MergedWindowOperator(spec).init()
    over = wr.WindowOperatorSpec(window=wr.Over(), lateness="0 s")
    spec = wr.CoGroupSpec(streams=[_stream("a"), _stream("b")], window=over)
    with pytest.raises(wr.SpecError, match=r"WINDOW_NOT_SUPPORTED"):
        wr.MergedWindowOperator(spec).init()


@pytest.mark.parametrize("case", CASES["policies"], ids=lambda case: case["window"])
def test_policies_equal_those_of_scala(case: dict[str, Any]) -> None:
    """Python reads Scala's JSON of policies, and writes the same JSON."""
    policy = reading.kind(json.dumps(case["json"]))
    assert repr(policy) == case["window"]
    assert json.loads(policy.toJson()) == case["json"]


def _read(fields: dict[str, Any]) -> wr.WindowOperatorSpec | wr.JoinSpec | wr.CoGroupSpec:
    """Read a spec of Scala, with the schema of the rows added."""
    if fields["operator"] == "full_state":
        return reading.spec(json.dumps({**fields, "input": MESSAGES}))
    names = [stream["name"] for stream in fields["streams"]]
    said = {"schema": MESSAGES["schema"], "time": "time"}
    on = ["key"] if fields.get("on") else []
    given = {"on": on, "streams": dict.fromkeys(names, said)}
    read = reading.cogroup if fields["operator"] == "cogroup" else reading.join
    return read(json.dumps({**fields, "input": given}))


@pytest.mark.parametrize("case", CASES["operators"], ids=lambda case: case["why"])
def test_operators_are_scalas(case: dict[str, Any]) -> None:
    """Python reads Scala's JSON of operators, and writes the same JSON."""
    written = json.loads(_read(case["json"]).toJson())
    del written["input"]
    assert written == case["json"]


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_an_unbounded_join() -> None:
    """An unbounded join is refused with the documented text."""
    spec = wr.JoinSpec(streams=[_stream("o"), _stream("s")], on="key", lateness="0 seconds")
    with pytest.raises(wr.UnboundedJoinError) as refused:
        wr.StreamStreamJoinOperator(spec).init()
    assert str(refused.value) == (
        "[UNBOUNDED_JOIN] a join: The rows of 'o' and 's' would be kept forever. Bound the join "
        "with within=('0 minutes', '5 minutes'), with a window on each stream, or with "
        "retain(...) and within=Global(). See docs/errors.md#unbounded_join."
    )


@pytest.mark.parametrize(
    ("said", "codes"),
    [
        ({"schema": " "}, ["SCHEMA_NOT_STATED"]),
        ({"schema": None}, ["SCHEMA_NOT_STATED"]),
        ({"time": ""}, ["NAME_NOT_UNDERSTOOD"]),
        ({"key": ["a", 5]}, ["NAME_NOT_UNDERSTOOD"]),
        ({"inputStreams": ["a", "b"], "outputStreams": ["c", "d"]}, ["STREAMS_TOO_MANY"]),
        ({"aggregates": [""]}, ["NAME_NOT_UNDERSTOOD"]),
        ({"rowId": "offset"}, ["ROWID_NOT_UNDERSTOOD"]),
    ],
)
def test_messages_that_cannot_be_written(said: dict[str, Any], codes: list[str]) -> None:
    """Invalid arguments are all reported at once, without a session."""
    with pytest.raises(wr.SpecError) as refused:
        wr.WindowOperatorSpec(**{**prices(window=wr.Tumbling("1 minute")), **said})
    assert {problem.code for problem in refused.value.problems} >= set(codes)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("said", "codes"),
    [
        ({"window": wr.Over(rows=2)}, ["RETENTION_NOT_STATED"]),
        ({"window": wr.Inherit()}, ["INHERIT_WITHOUT_PANES", "RETENTION_NOT_STATED"]),
        ({"time": None, "lateness": "-1 s"}, ["LATENESS_NEGATIVE", "RETENTION_NOT_STATED",
                                              "TIME_NOT_STATED"]),
        ({"key": ["time", "time"]}, ["NAME_TWICE"]),
        ({"key": "no", "gap": "gap"}, ["COLUMN_NOT_FOUND", "VALUE_NOT_SUPPORTED"]),
        ({"window": wr.Session(None)}, ["GAP_NOT_STATED"]),
        ({"aggregates": "count(*)", "keepsMessages": True}, ["VALUE_NOT_SUPPORTED"]),
        ({"window": wr.Policy.tumbling(wr.ByCount(0)), "early": wr.EachBatch()},
         ["VALUE_NOT_SUPPORTED", "AGGREGATE_NOT_STATED", "NOT_POSITIVE"]),
        ({"window": wr.Policy.tumbling(wr.ByCount(1)), "late": wr.EachBatch(), "key": "no",
          "aggregates": "count(*)"}, ["VALUE_NOT_SUPPORTED", "COLUMN_NOT_FOUND"]),
        ({"accumulation": wr.ACCUMULATING}, ["VALUE_NOT_SUPPORTED"]),
    ],
)  # fmt: skip
def test_specs_that_make_no_sense(said: dict[str, Any], codes: list[str]) -> None:
    """The JVM reports all contradictions of a spec when the operator opens."""
    spec = wr.WindowOperatorSpec(**{**prices(window=wr.Tumbling("1 minute")), **said})
    kind = {
        "policy": wr.PolicyWindowOperator,
        "aggregate": wr.AggregatedWindowOperator,
        "full_state": wr.FullStateWindowOperator,
    }[spec._operator]
    with pytest.raises(wr.SpecError) as refused:
        kind(spec).init()
    assert {problem.code for problem in refused.value.problems} >= set(codes)


def test_defaults_depend_on_the_operator() -> None:
    """Default triggers differ between queries, operators without a query, and kept rows."""
    window = wr.Tumbling("1 minute")
    query = wr.WindowOperatorSpec(window=window, lateness="0 s")
    alone = wr.WindowOperatorSpec(**prices(window=window, aggregates="count(*)"))
    kept = wr.WindowOperatorSpec(**prices(window=window, retention=wr.Retention(messages=5)))
    assert (query.early, query.late) == (wr.Never(), wr.EachBatch())
    assert (alone.early, alone.late) == (wr.Never(), wr.Every("10 seconds"))
    assert (kept.early, kept.late) == (wr.EachMessage(), wr.EachMessage())
    assert kept.accumulation is wr.DISCARDING
    assert "late" not in repr(alone).replace("lateness", "")
    single = {**prices(window=window, aggregates="count(*)"), "inputStreams": "messages"}
    assert wr.WindowOperatorSpec(**single) == alone


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (wr.Policy.tumbling(wr.ByCount(5)), "all rows leave once there are 5. It fires when"),
        (wr.Policy.tumbling(wr.ByTime("1 h")), "all rows leave every 1 hour of processing"),
        (wr.Policy.tumbling(wr.ByPunctuation("end")), "a row with true in end"),
        (
            wr.Policy.sliding(wr.ByCount(20), trigger=wr.ByDelta("price", 1)),
            "the newest 20 rows. It fires before a row whose price is more than 1.0 above",
        ),
        (
            wr.Policy.sliding(wr.ByTime("1 h"), trigger=wr.ByTime("1 min")),
            "at most 1 hour of processing time ago. It fires every 1 minute",
        ),
    ],
)
def test_policies_describe_themselves(kind: wr.Policy, said: str) -> None:
    """A policy's description states its contents and when it fires."""
    assert said in kind.describe()


def test_specs_of_policies_are_checked() -> None:
    """Policy specs refuse wrong types, numbers and names."""
    with pytest.raises(TypeError, match=r"Policy\.sliding\(by\) must be By"):
        wr.Policy.sliding(wr.ByPunctuation("a"), trigger=wr.ByCount(1))  # type: ignore[arg-type]
    with pytest.raises(wr.SpecError, match=r"DELTA_NOT_UNDERSTOOD"):
        wr.ByDelta("a", "b")  # type: ignore[arg-type]
    with pytest.raises(wr.SpecError, match=r"COLUMN_NOT_NAME"):
        wr.ByPunctuation("")
    with pytest.raises(wr.SpecError, match=r"DURATION_WITHOUT_UNIT"):
        wr.ByTime(5)  # type: ignore[arg-type]
