"""Several operators run as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from windrow.errors import SpecError, SpecProblem, expect, failure, problem
from windrow.operators import _tables, _values
from windrow.operators._operator import Keys, StandaloneOperator
from windrow.operators._times import At
from windrow.operators._windows import FullStateWindowOperator

if TYPE_CHECKING:
    import pyarrow as pa


class CompositeOperator:
    """Several operators run as one: what one gives is a stream that others take.

    They are wired by the names of ``inputStreams`` and ``outputStreams`` of their specs. A stream
    that no part takes, and the outputs of a part without a name for them, are results. A full-state
    operator gives its messages on, any other one the rows of its results. All parts see the same
    time, upstream before downstream.
    """

    def __init__(self) -> None:
        """Begin without parts."""
        self._parts: list[StandaloneOperator] = []
        self._order: list[StandaloneOperator] = []
        # Messages on their way inside: who takes them, by which stream.
        self._between: list[tuple[StandaloneOperator, str, pa.Table]] = []

    def addOperator(self, operator: StandaloneOperator) -> Self:
        """Add a part; give the composite back."""
        expect("addOperator(operator)", operator, StandaloneOperator)
        if self._order:
            raise failure("ALREADY_OPEN")
        self._parts.append(operator)
        return self

    def init(self) -> None:
        """Open every part. Errors: SpecError with every name that is given twice or in a circle."""
        found = self._problems()
        if found:
            raise SpecError.of("the composite operator", found)
        order = self._in_order()
        for part in order:
            part.init()
        self._order = order

    def close(self) -> None:
        """Free every part."""
        self._between = []
        for part in self._parts:
            part.close()

    def __enter__(self) -> Self:
        """Open every part."""
        self.init()
        return self

    def __exit__(self, *raised: object) -> None:
        """Free every part."""
        self.close()

    def process(self, message: Keys, *, stream: str | None = None) -> None:
        """Give one message to every part that takes its stream, and on from there."""
        named = self._entrance(stream)
        taker = next(part for part in self._order if named in part._spec._streams)
        table = _values.of_message(message, taker._schema(named), taker._what(named), taker._zone)
        self.addMessages(table, stream=stream)

    def addMessages(self, batch: pa.Table | pa.RecordBatch, *, stream: str | None = None) -> None:
        """Give messages to every part that takes their stream, and on from there, as one step."""
        named = self._entrance(stream)
        self._pass_on()
        for part in self._order:
            if named in part._spec._streams:
                part.addMessages(batch, stream=named)
        self._pass_on()

    def refresh(self, now: At, watermark: At | None = None) -> None:
        """Move time on in every part: what it releases upstream comes downstream before it."""
        for part in self._running():
            part.refresh(now, watermark)
            self._pass_on()

    def timeout(self, now: At) -> None:
        """Move processing time on in every part."""
        self.refresh(now)

    def advanceWatermark(self, to: At) -> None:
        """Move the watermark on in every part."""
        for part in self._running():
            part.advanceWatermark(to)
            self._pass_on()

    def finish(self) -> None:
        """Say that the inputs are over, upstream first."""
        for part in self._running():
            part.finish()
            self._pass_on()

    def getResult(self, stream: str | None = None) -> pa.Table:
        """Give a copy of the outputs of a stream that no part takes; None: of the only one."""
        self._running()
        exits = [name for name, _ in self._exits()]
        named = exits[0] if stream is None and len(exits) == 1 else stream
        if named is None or named not in exits:
            text = f"stream is {stream!r}; it must be one of {', '.join(map(repr, exits))}."
            raise ValueError(text)
        return next(part for name, part in self._exits() if name == named).getResult()

    def flush(self) -> None:
        """Take the outputs as received: persist what led to them in every part, and forget them.

        Downstream first: after a crash between two parts the one upstream gives once more what the
        one downstream may have, which knows it by its offsets.
        """
        self._running()
        self._pass_on()
        for part in reversed(self._order):
            part.flush()

    # ---- inside

    def _running(self) -> list[StandaloneOperator]:
        if not self._order:
            self.init()
        return self._order

    def _entrance(self, stream: str | None) -> str:
        self._running()
        given = {self._output(part) for part in self._parts}
        taken = dict.fromkeys(name for part in self._parts for name in part._spec._streams)
        entrances: list[str] = [name for name in taken if name not in given]
        if stream is None and len(entrances) == 1:
            return entrances[0]
        if stream is None or stream not in entrances:
            text = f"stream is {stream!r}; it must be one of {', '.join(map(repr, entrances))}."
            raise ValueError(text)
        return stream

    def _pass_on(self) -> None:
        """Hand outputs to the parts that take them, upstream first, until none are left."""
        self._hand_over()
        for part in self._order:
            name = self._output(part)
            takers = [other for other in self._order if name in other._spec._streams]
            if takers and part.getResult().num_rows:
                messages = _messages_of(part, part._passed_on())
                self._between += [(taker, name, messages) for taker in takers]
                self._hand_over()

    def _hand_over(self) -> None:
        """Each taker gets once what is on its way; one that fails gets it in the next call."""
        while self._between:
            taker, stream, messages = self._between[0]
            taker._apply(messages, stream)
            del self._between[0]
            taker._after()

    def _exits(self) -> list[tuple[str, StandaloneOperator]]:
        taken = {name for part in self._parts for name in part._spec._streams}
        named = [(self._output(part), part) for part in self._parts]
        return [(name, part) for name, part in named if name not in taken]

    def _output(self, part: StandaloneOperator) -> str:
        names: tuple[str, ...] = part._spec.outputStreams
        return names[0] if names else f"output {self._parts.index(part)}"

    def _problems(self) -> list[SpecProblem]:
        outputs = [self._output(part) for part in self._parts]
        twice = dict.fromkeys(name for name in outputs if outputs.count(name) > 1)
        found = [problem("STREAM_TWICE.OUTPUT", name=name) for name in twice]
        ordered = self._in_order()
        rest = [f"'{self._output(part)}'" for part in self._parts if part not in ordered]
        if rest:
            found.append(problem("STREAMS_IN_A_CIRCLE", streams=", ".join(rest)))
        if not self._parts:
            found.append(problem("OPERATOR_MISSING.COMPOSITE"))
        found += [
            problem("SEND_TWICE", operator=repr(part))
            for part in self._parts
            if part._send is not None
        ]
        return found

    def _in_order(self) -> list[StandaloneOperator]:
        """Upstream before downstream; without those that depend on themselves."""
        done: list[StandaloneOperator] = []
        while True:
            left = [part for part in self._parts if part not in done]
            pending = {self._output(part) for part in left}
            ready = [part for part in left if not pending & set(part._spec._streams)]
            if not ready:
                return done
            done += ready


def _messages_of(part: StandaloneOperator, outputs: pa.Table) -> pa.Table:
    """Give the messages that the next part takes."""
    if not isinstance(part, FullStateWindowOperator):
        return outputs
    pa = _tables.arrow()
    messages = pa.compute.list_flatten(outputs.column("messages").combine_chunks())
    return pa.Table.from_struct_array(messages)
