"""Runs transcripts through the operators of this package, step by step."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replays import compare, reading
from replays.case import Case, Json, NotRunError
from replays.compare import Row
from windrow._bridge._doctor import Check, Report
from windrow.errors import OperatorError, SpecError
from windrow.operators import (
    AggregatedWindowOperator,
    FullStateWindowOperator,
    MergedWindowOperator,
    PolicyWindowOperator,
    StandaloneOperator,
    StreamStreamJoinOperator,
    WindowEvent,
    WindowListener,
    _tables,
)

if TYPE_CHECKING:
    import pyarrow as pa


def report(file: Path) -> Report:
    """Run the cases of a file, and report those that differ and those that were not run."""
    gaps = _known_gaps(file)
    checks, counts = [], {"equal": 0, "different": 0, "not run": 0, "known gaps": 0}
    for case in cases(file):
        name = str(case.json["id"])
        try:
            differences = run(case)
        except NotRunError as why:
            counts["not run"] += 1
            checks.append(Check(name, f"not run: {why}"))
            continue
        if name in gaps:
            differences = [] if differences else ["is listed as a known gap, but it passes"]
            counts["different" if differences else "known gaps"] += 1
        else:
            counts["different" if differences else "equal"] += 1
        if differences:
            checks.append(Check(name, "differs", "\n".join(differences)))
    shown = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()) if count)
    remedy = "see the cases above" if counts["different"] else ""
    total = Check("transcript", f"{sum(counts.values())} cases on python: {shown}", remedy)
    return Report((*checks, total))


def cases(file: Path) -> Iterator[Case]:
    """Read the cases of a file."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield Case(json.loads(line))


def _known_gaps(file: Path) -> set[str]:
    beside = file.with_name("known-gaps.json")
    gaps = json.loads(beside.read_text(encoding="utf-8")) if beside.is_file() else {}
    return {name for name, gap in gaps.items() if "python" in gap["engines"]}


def follow(
    operator: StandaloneOperator,
    messages: Mapping[str, pa.Table],
    *,
    watermark: int | None = None,
    now: int | None = None,
) -> None:
    """Run one full step: rows, then the watermark, judged at a processing time."""
    for stream, table in messages.items():
        operator._call("add", stream, _tables.write(table), None)
    operator._call("step", watermark, now)
    operator._after()


def run(case: Case) -> list[str]:
    """Run a case, and return the differences; raise NotRunError if it cannot be run."""
    refused = case.json.get("refused")
    try:
        player = _Player(case)
    except SpecError as error:
        codes = [problem.code for problem in error.problems]
        if refused in codes:
            return []
        return [f"the spec was refused: {error}"]
    try:
        if refused is not None:
            return [f"the spec must be refused with {refused}, but it ran"]
        return player.play()
    finally:
        player.close()


class _Player:
    """An operator, and the counts from before it was reopened."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._json = case.operator_json()
        self._events: list[Row] = []
        self._earlier: dict[str, int] = {}
        self._clock: int | None = 0 if case.operator == "policy" else None
        self._operator = self._open()

    def close(self) -> None:
        self._operator.close()

    def _open(self) -> StandaloneOperator:
        operator = self._made()
        operator.init()
        if isinstance(operator, PolicyWindowOperator):
            operator.addListener(_Hears(self._events))
        return operator

    def _made(self) -> StandaloneOperator:
        match self._case.operator:
            case "join":
                return StreamStreamJoinOperator(reading.join(self._json))
            case "cogroup":
                return MergedWindowOperator(reading.cogroup(self._json))
            case "full_state":
                return FullStateWindowOperator(reading.spec(self._json))
            case "dedup":
                raise NotRunError("no operator without a query deduplicates")
            case "policy":
                return PolicyWindowOperator(reading.spec(self._json))
            case _:
                return AggregatedWindowOperator(reading.spec(self._json))

    def play(self) -> list[str]:
        found: list[str] = []
        for number, step in enumerate(self._case.steps, start=1):
            found += [f"step {number}: {one}" for one in self._step(step)]
        end = self._case.json.get("at_end") or {}
        if end.get("final"):
            self._operator.finish()
            came = compare.emission(self._case, end.get("expect"), self._emission())
            found += [f"at_end: {one}" for one in came]
        return found

    def _step(self, step: Json) -> list[str]:
        if step.get("restart"):
            self._restart()
            return []
        if "query" in step:
            return compare.answer(self._case, step.get("expect"), self._answer(step["query"]))
        now = self._case.micros(step.get("processing_time"))
        self._clock = self._clock if now is None else now
        watermark = self._case.micros(step.get("watermark"))
        tables = self._case.tables(step)
        follow(self._operator, tables, watermark=watermark, now=self._clock)
        if step.get("punctuation"):
            assert isinstance(self._operator, PolicyWindowOperator)
            markers = self._case.markers(self._operator.partitions())
            follow(self._operator, {"messages": markers}, now=self._clock)
        return compare.emission(self._case, step.get("expect"), self._emission())

    def _restart(self) -> None:
        kept = self._operator.checkpoint()
        self._earlier = self._counters()
        self._operator.close()
        self._operator = self._open()
        self._operator.reset(kept)

    # ---- outputs

    def _emission(self) -> dict[str, list[Row]]:
        outputs = _rows(self._operator.getResult())
        self._operator.flush()
        is_join = self._case.operator == "join"
        events, self._events[:] = list(self._events), []
        return {
            "panes": [] if is_join else [self._pane(row) for row in outputs],
            "rows": [self._joined(row) for row in outputs] if is_join else [],
            "rejected": [self._rejected(row) for row in _rows(self._operator.getRejected())],
            "events": events,
        }

    def _pane(self, row: Row) -> Row:
        bounds = list(row["window"].values())
        start, end = bounds[0], bounds[-1]  # for a policy window both are its number
        pane = {"key": row["key"], "window": None if start is None else [start, end], **row["pane"]}
        if self._case.operator == "cogroup":
            lists = {name: [_short(one) for one in some] for name, some in row["messages"].items()}
            return {**pane, "messages": lists}
        if "messages" in row:
            return {**pane, "messages": [_short(one) for one in row["messages"]]}
        pane["values"] = {name: row[name] for name in self._case.aggregates}
        if "message" in row:
            identity = {n: row["message"][n] for n in ("partition", "offset")}
            said = {name: value for name, value in identity.items() if value is not None}
            pane["message"] = _short(row["message"]) | said
        return pane

    def _joined(self, row: Row) -> Row:
        names = [stream["name"] for stream in self._case.spec["streams"]]
        return {name: row[name] and _short(row[name]) for name in names if name in row}

    def _rejected(self, row: Row) -> Row:
        message = row["message"]
        stream: Row = {}
        if self._case.operator in ("join", "cogroup"):
            message, stream = message[row["stream"]], {"stream": row["stream"]}
        return {"key": message["key"], **_short(message), "reason": row["reason"], **stream}

    # ---- queries

    def _answer(self, query: Json) -> Row:
        if "counters" in query:
            return {"counters": self._counters()}
        try:
            if "get_messages" in query:
                return {"messages": self._messages(query["get_messages"])}
            return {"windows": self._windows(query["get_windows"])}
        except OperatorError as error:
            return {"error": str(error).partition("]")[0].removeprefix("[")}

    def _counters(self) -> dict[str, int]:
        counted = dict(self._operator._call("counters"))
        counted["filtered"] = self._operator.filteredCount
        names = {**counted, **self._earlier}
        return {name: counted.get(name, 0) + self._earlier.get(name, 0) for name in names}

    def _messages(self, asked: Json) -> list[Row]:
        by_offset = asked.get("axis") == "offset"
        ends = [
            asked.get(name) if by_offset else self._case.micros(asked.get(name))
            for name in ("start", "end")
        ]
        key = self._operator._key({"key": asked["key"]}) if "key" in asked else None
        found = [
            row
            for stream in self._operator._spec._streams
            for row in _rows(
                _tables.read(self._operator._call("messages", stream, *ends, by_offset, key))
            )
        ]
        if len(self._operator._spec._streams) > 1:
            order = ("offset", "source") if by_offset else ("time", "source", "partition", "offset")
            found.sort(key=lambda row: [(row[n] is not None, row[n]) for n in order])
        return [
            {"key": row["key"], **_short(row)}
            | ({} if row["offset"] is None else {"offset": row["offset"]})
            for row in found
        ]

    def _windows(self, asked: Json) -> list[Row]:
        ends = [self._case.bound(asked[name]) for name in ("start", "end")]
        key = self._operator._key({"key": asked["key"]}) if "key" in asked else None
        found = _rows(_tables.read(self._operator._call("windows", *ends, key)))
        rows = []
        for row in found:
            offsets = {name: row[name] for name in ("first_offset", "last_offset")}
            said = {name: offset for name, offset in offsets.items() if offset is not None}
            window = list(row["window"].values())
            rows.append({"key": row["key"], "window": window, **said, "count": row["count"]})
        return sorted(rows, key=lambda row: (row["window"], row["key"] is None, row["key"] or ""))


class _Hears(WindowListener):
    def __init__(self, events: list[Row]) -> None:
        self._events = events

    def onEvent(self, event: WindowEvent) -> None:  # noqa: N802  the public name
        rows = event.messages.to_pylist()
        # markers do not have a time
        values = [row["value"] for row in rows if row["time"] is not None]
        if values or event.event != "INSERTION":
            self._events.append({"key": event.key["key"], "event": event.event, "values": values})


def _short(message: Row) -> Row:
    return {"time": message["time"], "value": message["value"]}


def _rows(table: pa.Table) -> list[Row]:
    """Return the rows with times in microseconds."""
    pa = _tables.arrow()
    columns = [column.cast(_whole(pa, column.type)) for column in table.columns]
    rows: list[Row] = pa.table(columns, names=table.schema.names).to_pylist()
    return rows


def _whole(pa: Any, kind: Any) -> Any:
    """Return a type with integers in place of times, also inside other types."""
    if pa.types.is_timestamp(kind):
        return pa.int64()
    if pa.types.is_struct(kind):
        return pa.struct([one.with_type(_whole(pa, one.type)) for one in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_whole(pa, kind.value_type)))
    return kind
