"""Kinds, triggers and specs of every sort, made up by Hypothesis."""

from __future__ import annotations

from hypothesis import assume
from hypothesis import strategies as st

import windrow as wr

spans = st.integers(min_value=1, max_value=2**62 - 1).map(lambda us: f"{us} microseconds")
offsets = st.integers(min_value=1 - 2**62, max_value=2**62 - 1).map(lambda us: f"{us} us")
counts = st.integers(min_value=1, max_value=2**63 - 1)
lengths = st.builds(
    "{} {}".format,
    st.integers(min_value=1, max_value=145_000),
    st.sampled_from(["day", "weeks", "Month", "year"]),
)
zones = st.sampled_from(["UTC", "Z", "+05:30", "GMT-3", "Europe/Berlin", "America/Sao_Paulo"])
granularities = st.integers(min_value=1, max_value=10**6)


def _sliding(granularity: int, parts: int) -> wr.Sliding:
    return wr.Sliding(f"{parts * granularity} us", granularity=f"{granularity} us")


kinds: st.SearchStrategy[wr.WindowKind] = st.one_of(
    st.builds(wr.Tumbling, spans, startTime=offsets),
    st.builds(wr.Tumbling, lengths, zone=zones),
    st.builds(wr.Hopping, spans, step=spans, startTime=offsets),
    st.builds(wr.Session, spans),
    st.builds(_sliding, granularities, st.integers(min_value=0, max_value=10**6)),
    st.builds(lambda range_: wr.Over(range=range_), spans),
    st.builds(lambda rows: wr.Over(rows=rows), counts),
    st.just(wr.Over()),
    st.builds(wr.Count, counts, step=st.none() | counts),
    st.builds(wr.OffsetRange, counts, step=st.none() | counts),
    st.builds(wr.OffsetSession, st.integers(min_value=0, max_value=2**63 - 1)),
    st.just(wr.Global()),
    st.builds(wr.Inherit, st.text(min_size=1, max_size=10)),
)
triggers: st.SearchStrategy[wr.PaneTrigger] = st.recursive(
    st.one_of(
        st.sampled_from([wr.Never(), wr.EachBatch(), wr.EachMessage()]),
        st.builds(lambda messages: wr.Every(messages=messages), counts),
        st.builds(wr.Every, spans),
    ),
    lambda some: st.lists(some, min_size=1, max_size=3).map(lambda few: wr.AnyOf(*few)),
    max_leaves=4,
)
retentions = st.builds(
    wr.Retention,
    time=st.none() | st.just(f"{2**62 - 1} us"),
    messages=st.none() | counts,
    windows=st.none() | counts,
)


@st.composite
def specs(draw: st.DrawFn) -> wr.WindowOperatorSpec:
    """Every field; what no operator can mean is drawn again."""
    window = draw(kinds)
    allowed: st.SearchStrategy[str | int | None] = st.none() | spans
    if isinstance(window, wr.OffsetRange):
        allowed = st.none() | st.integers(min_value=0, max_value=2**62)
    lateness = draw(allowed)
    may_fill = isinstance(window, wr.Tumbling | wr.Hopping)  # else half of all would be refused
    try:
        return wr.WindowOperatorSpec(
            window=window,
            lateness=lateness,
            early=draw(triggers),
            onTime=draw(st.booleans()),
            late=draw(triggers),
            accumulation=draw(st.sampled_from(list(wr.AccumulationMode))),
            skipUnchanged=draw(st.booleans()),
            closeOn=draw(st.sampled_from(["watermark", "next_row"])),
            fillGaps=may_fill and draw(st.booleans() | st.just(f"{2**62 - 1} microseconds")),
            retention=draw(retentions),
            maxFuture=draw(st.none() | spans),
            startOffsets=draw(st.dictionaries(counts, st.integers(-(2**63), 2**63 - 1))),
        )
    except wr.SpecError:
        assume(condition=False)
        raise
