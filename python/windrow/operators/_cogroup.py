"""The description of a merge of streams in one window, and the operator that runs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from windrow._specs import _json
from windrow.errors import SpecError, SpecProblem, expect, problem
from windrow.operators import _input, _join_json
from windrow.operators._input import Names, as_names
from windrow.operators._join import JoinStream, call_of, refuse_of_query
from windrow.operators._operator import Send, StandaloneOperator
from windrow.operators._spec import WindowOperatorSpec

_OWN = ("operator", "streams", "input")


@dataclass(frozen=True, kw_only=True, repr=False)
class CoGroupSpec:
    """Several streams as one windowed aggregation, whose value is the messages of each.

    streams: two or more, in order, without windows of their own. on: columns that all of them have
    and that are the key. window: windows, lateness, triggers and accumulation, said as of a query:
    ``WindowOperatorSpec(window=..., lateness=...)``. outputStreams: one name at most, by which a
    ``CompositeOperator`` is wired.

    Whether it makes sense is checked as an operator is made of it. Errors: SpecError with
    everything that cannot be written as JSON.
    """

    streams: Sequence[JoinStream]
    on: Names = ()
    window: WindowOperatorSpec
    outputStreams: Names = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be written."""
        expect("window=", self.window, WindowOperatorSpec)
        for stream in self.streams:
            expect("streams=", stream, JoinStream)
        for name, value in (
            ("streams", tuple(self.streams)),
            ("on", as_names(self.on)),
            ("outputStreams", as_names(self.outputStreams)),
        ):
            object.__setattr__(self, name, value)
        found = self._unread()
        if found:
            raise SpecError.of("a co-group", found)

    def __repr__(self) -> str:
        """Show as the call, without what is as it is by default."""
        return call_of("CoGroupSpec", self)

    def toJson(self) -> str:
        """Write as one JSON object, durations in microseconds."""
        return _json.write(self._fields())

    @property
    def inputStreams(self) -> tuple[str, ...]:
        """Names of the streams, in order."""
        return tuple(stream.name for stream in self.streams)

    @property
    def _streams(self) -> tuple[str, ...]:
        return self.inputStreams

    def _fields(self) -> dict[str, Any]:
        return {
            **self.window._fields(),
            "operator": "cogroup",
            "streams": _join_json.write_streams(self.streams),
            "input": _join_json.messages(self),
        }

    def _unread(self) -> list[SpecProblem]:
        found = _input.single(outputStreams=self.outputStreams)
        found += [
            problem("VALUE_NOT_SUPPORTED.OFFSETS_OF_STREAM", stream=one.name)
            for one in self.streams
            if one.startOffsets
        ]
        if self.window.schema is not None:
            found.append(problem("VALUE_NOT_SUPPORTED.SCHEMA_OF_COGROUP"))
        return found


class MergedWindowOperator(StandaloneOperator):
    """The messages of several streams in each window (co-group).

    The watermark is the least of the streams' if they tell their own.

    ``getResult``: key, ``window``, ``messages`` (a struct with the list of each stream), ``pane``.
    """

    def __init__(
        self, spec: CoGroupSpec, *, store: str | None = None, send: Send | None = None
    ) -> None:
        """Take the description; nothing starts. Errors: SpecError if it is for another operator."""
        super().__init__(spec, store=store, send=send)

    @property
    def spec(self) -> CoGroupSpec:
        """What the operator does."""
        spec: CoGroupSpec = self._spec
        return spec

    def _check(self, spec: object) -> None:
        expect(f"{type(self).__name__}(spec)", spec, CoGroupSpec)
        refuse_of_query(spec)
