"""The description of a co-group of streams, and the operator that runs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windrow.errors import SpecError, SpecProblem, expect, problem
from windrow.operators import _input, _join_json
from windrow.operators._described import DescribedOperator
from windrow.operators._input import Names, as_names
from windrow.operators._join import JoinStream, OfStreams, refuse_of_query
from windrow.operators._spec import WindowOperatorSpec

_OWN = ("operator", "streams", "input")


@dataclass(frozen=True, kw_only=True, repr=False)
class CoGroupSpec(OfStreams):
    """The description of several streams in one windowed operator, whose value is the rows of each.

    Whether the spec makes sense is checked when an operator is created from it.

    Args:
        streams: Two or more streams, in order, without windows of their own.
        on: The key columns, which all streams have.
        window: Windows, lateness, triggers, and accumulation, as ``WindowOperatorSpec(window=...,
            lateness=...)`` without a schema.
        outputStreams: The name of the output, by which a ``CompositeOperator`` connects operators.

    Raises:
        SpecError: A value cannot be written as JSON. The error lists every problem.
        TypeError: A value is of another type.

    Example:
        >>> spec = wr.CoGroupSpec(
        ...     streams=[wr.JoinStream(name="ads"), wr.JoinStream(name="buys")],
        ...     on="user",
        ...     window=wr.WindowOperatorSpec(window=wr.Session("30 minutes"), lateness="0 seconds"),
        ... )
        >>> spec.inputStreams
        ('ads', 'buys')

    """

    streams: Sequence[JoinStream]
    on: Names = ()
    window: WindowOperatorSpec
    outputStreams: Names = ()

    def __post_init__(self) -> None:
        """Reject values that cannot be written as JSON."""
        expect("window=", self.window, WindowOperatorSpec)
        for stream in self.streams:
            expect("streams=", stream, JoinStream)
        self._settle(
            streams=tuple(self.streams),
            on=as_names(self.on),
            outputStreams=as_names(self.outputStreams),
        )
        found = self._unread()
        if found:
            raise SpecError.of("a co-group", found)

    def _fields(self) -> dict[str, object]:
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


class MergedWindowOperator(DescribedOperator[CoGroupSpec]):
    """An operator whose windows contain the rows of several streams (co-group).

    The watermark is the least of the streams, if they have their own. ``getResult`` has the key,
    ``window``, ``messages`` (a struct with the rows of each stream), and ``pane``.

    Args:
        spec: The description of the co-group, whose streams have schemas.
        store: A folder in which ``flush`` stores the state. None (the default) keeps it in memory.
        send: A function that receives each table of outputs and returns False to refuse it. None
            (the default) keeps outputs for ``getResult``.

    Raises:
        SpecError: A stream lacks a schema (``SCHEMA_NOT_STATED``).
        TypeError: The spec is of another type.

    Example:
        ::

            with wr.MergedWindowOperator(spec) as both:
                both.addMessages(ads, stream="ads")
                both.addMessages(buys, stream="buys")
                both.finish()
                both.getResult().schema.names  # ['user', 'window', 'messages', 'pane']

    """

    def _check(self, spec: object) -> None:
        expect(f"{type(self).__name__}(spec)", spec, CoGroupSpec)
        refuse_of_query(spec)
