"""Several operators that run as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from windrow.errors import SpecError, SpecProblem, expect, failure, problem
from windrow.operators import _tables, _values
from windrow.operators._jvm import Keys
from windrow.operators._operator import StandaloneOperator
from windrow.operators._times import At
from windrow.operators._windows import FullStateWindowOperator

if TYPE_CHECKING:
    import pyarrow as pa


class CompositeOperator:
    """Several operators that run as one: outputs of an operator are inputs of others.

    The names in ``inputStreams`` and ``outputStreams`` of the specs connect them. Results are the
    outputs that no operator uses as input. A full-state operator passes on its rows, any other
    operator the rows of its results. All operators see the same time, upstream before downstream.

    Example:
        ::

            with wr.CompositeOperator().addOperator(pairs).addOperator(costs) as both:
                both.addMessages(orders, stream="o")
                both.process({"id": 1, "time": "2025-01-01 09:04:00", "cost": 7.5}, stream="s")
                both.finish()
                both.getResult().column("cost").to_pylist()  # [7.5]

    """

    def __init__(self) -> None:
        """Start without operators."""
        self._parts: list[StandaloneOperator] = []
        self._order: list[StandaloneOperator] = []
        # Rows that are being passed on: the operator that reads them, and by which stream.
        self._between: list[tuple[StandaloneOperator, str, pa.Table]] = []

    def addOperator(self, operator: StandaloneOperator) -> Self:
        """Add an operator.

        Args:
            operator: The operator, without a ``send`` function of its own.

        Returns:
            The composite, so that calls can be chained.

        Raises:
            OperatorError: The composite is open already (``ALREADY_OPEN``).
            TypeError: ``operator`` is of another type.

        """
        expect("addOperator(operator)", operator, StandaloneOperator)
        if self._order:
            raise failure("ALREADY_OPEN")
        self._parts.append(operator)
        return self

    def init(self) -> None:
        """Open every operator, which the first call does otherwise.

        Raises:
            SpecError: The names do not connect the operators. The error lists every problem:
                ``STREAM_TWICE``, ``STREAMS_IN_A_CIRCLE``, ``OPERATOR_MISSING``, ``SEND_TWICE``.

        """
        found = self._problems()
        if found:
            raise SpecError.of("the composite operator", found)
        order = self._in_order()
        for part in order:
            part.init()
        self._order = order

    def close(self) -> None:
        """Free every operator; state that was not flushed is lost."""
        self._between = []
        for part in self._parts:
            part.close()

    def __enter__(self) -> Self:
        """Open every operator."""
        self.init()
        return self

    def __exit__(self, *raised: object) -> None:
        """Free every operator."""
        self.close()

    def process(self, message: Keys, *, stream: str | None = None) -> None:
        """Apply one row to every operator that reads its stream, and pass on the outputs.

        Args:
            message: A value for every column.
            stream: The name of the input stream. None selects the only one.

        Raises:
            MessageError: A column does not fit. The error lists every problem.
            ValueError: ``stream`` is not the name of an input stream.

        """
        named = self._entrance(stream)
        taker = next(part for part in self._order if named in part._spec._streams)
        table = _values.of_message(message, taker._schema(named), taker._what(named), taker._zone)
        self.addMessages(table, stream=stream)

    def addMessages(self, batch: pa.Table | pa.RecordBatch, *, stream: str | None = None) -> None:
        """Apply a table of rows as one step to every operator that reads its stream.

        Args:
            batch: The rows.
            stream: The name of the input stream. None selects the only one.

        Raises:
            MessageError: A column does not fit. The error lists every problem.
            ValueError: ``stream`` is not the name of an input stream.

        """
        named = self._entrance(stream)
        self._pass_on()
        for part in self._order:
            if named in part._spec._streams:
                part.addMessages(batch, stream=named)
        self._pass_on()

    def refresh(self, now: At, watermark: At | None = None) -> None:
        """Advance the time in every operator.

        Outputs that this releases upstream reach downstream operators before their own time
        advances.

        Args:
            now: The processing time: a datetime or a string.
            watermark: The watermark. None (the default) leaves it as it is.

        Raises:
            ValueError: A value is not a time.

        """
        for part in self._running():
            part.refresh(now, watermark)
            self._pass_on()

    def timeout(self, now: At) -> None:
        """Advance the processing time in every operator.

        Args:
            now: The processing time: a datetime or a string.

        Raises:
            ValueError: ``now`` is not a time.

        """
        self.refresh(now)

    def advanceWatermark(self, to: At) -> None:
        """Advance the watermark in every operator.

        Args:
            to: The watermark: a datetime or a string.

        Raises:
            ValueError: ``to`` is not a time.

        """
        for part in self._running():
            part.advanceWatermark(to)
            self._pass_on()

    def finish(self) -> None:
        """End the inputs, upstream first, so that every window completes."""
        for part in self._running():
            part.finish()
            self._pass_on()

    def getResult(self, stream: str | None = None) -> pa.Table:
        """Return a copy of the outputs that no operator uses as input.

        Args:
            stream: The name of the output stream. None selects the only one.

        Returns:
            An Arrow table with the columns of the operator that emits them.

        Raises:
            ValueError: ``stream`` is not the name of a result.

        """
        self._running()
        exits = [name for name, _ in self._exits()]
        named = exits[0] if stream is None and len(exits) == 1 else stream
        if named is None or named not in exits:
            text = f"stream is {stream!r}; it must be one of {', '.join(map(repr, exits))}."
            raise ValueError(text)
        return next(part for name, part in self._exits() if name == named).getResult()

    def flush(self) -> None:
        """Confirm that the outputs were received: store all state, and remove the outputs.

        Downstream operators are stored first. After a crash between two operators, the upstream one
        emits outputs again that the downstream one may have processed, which recognizes them by
        their offsets.
        """
        self._running()
        self._pass_on()
        for part in reversed(self._order):
            part.flush()

    # ---- internals

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
        """Pass outputs to the operators that read them, upstream first, until none are left."""
        self._hand_over()
        for part in self._order:
            name = self._output(part)
            takers = [other for other in self._order if name in other._spec._streams]
            outputs = part._passed_on() if takers else None
            if outputs is not None and outputs.num_rows:
                messages = _messages_of(part, outputs)
                self._between += [(taker, name, messages) for taker in takers]
                self._hand_over()

    def _hand_over(self) -> None:
        """Deliver each table once; if an operator fails, the next call delivers it again."""
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
        """Return the operators, upstream first, without those that depend on themselves."""
        done: list[StandaloneOperator] = []
        while True:
            left = [part for part in self._parts if part not in done]
            pending = {self._output(part) for part in left}
            ready = [part for part in left if not pending & set(part._spec._streams)]
            if not ready:
                return done
            done += ready


def _messages_of(part: StandaloneOperator, outputs: pa.Table) -> pa.Table:
    """Return the rows for the next operator."""
    if not isinstance(part, FullStateWindowOperator):
        return outputs
    pa = _tables.arrow()
    messages = pa.compute.list_flatten(outputs.column("messages").combine_chunks())
    return pa.Table.from_struct_array(messages)
