"""Texts about a query, the same in a terminal, a notebook, and a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windrow._watching._status import Status
    from windrow.figures import BatchProgress

ERROR = "error"

_PANES = {"early": "early", "onTime": "on time", "late": "late", "withdrawn": "withdrawn"}
_ALWAYS = {"onTime": "on time", "late": "late"}
_REASONS = ("INVALID_TIME", "TOO_FAR_AHEAD", "TOO_LATE", "OUT_OF_RETENTION")
_PARTS = 4


def rows(of: Status) -> list[tuple[str, str]]:
    """Return all lines of a status, as names and texts."""
    last = of.last
    if last is None:
        state = "no batch yet" if of.isActive else "ended before its first batch"
        return [("query", state), *_error(of)]
    state = "running" if of.isActive else "failed" if of.error else "ended"
    unexplained = of.unexplainedDuplicates
    found = [
        ("query", f"{last.query}, {state}, batch {last.batch}"),
        ("read", f"{of.totals['read']:,} rows, {last.read:,} in the last batch"),
        ("accepted", f"{of.accepted:,} rows"),
        ("duplicates", f"{of.duplicates:,} rows" if of.duplicates else ""),
        ("replaced", f"{of.replaced:,} rows" if of.replaced else ""),
        ("gaps", f"{of.gaps:,} rows between windows" if of.gaps else ""),
        ("rejected", _rejected(of.totals)),
        ("unaccounted", f"{of.unaccounted:,} rows" if of.unaccounted else ""),
        *([("unexplained", f"{unexplained:,} duplicates")] if unexplained else []),
        *([("rows", f"{of.totals['rows']:,}")] if of.totals["rows"] else []),
        ("panes", _panes(of)),
        ("open", _open(of)),
        ("watermark", _watermark(of)),
        *(("source", text) for text in _sources(of)),
        ("state", _state(last, of.stateBytes)),
        ("batch", _batch(last)),
        *_error(of),
    ]
    return [one for one in found if one[1]]


def line(batch: BatchProgress) -> str:
    """Return a micro-batch in one line."""
    counts = {**vars(batch), **batch.reasons}
    panes = _listed(counts, {}, _PANES)
    parts = [
        f"{batch.time} {batch.query} batch {batch.batch}: read {batch.read:,}",
        f"rows {batch.rows:,}" if batch.rows else "",
        f"panes {batch.panes:,}" + (f" ({panes})" if panes else ""),
        f"rejected {_rejected(counts)}" if batch.rejected else "",
        f"watermark {instant(batch.watermark)}" if batch.watermark else "",
        f"state {size(batch.stateBytes)}",
        span(timedelta(milliseconds=batch.batchMs)),
    ]
    return ", ".join(part for part in parts if part)


def span(of: timedelta) -> str:
    """Return a length of time in at most two units."""
    seconds = of.total_seconds()
    sign, seconds = ("-" if seconds < 0 else ""), abs(seconds)
    if seconds < 1:
        return f"{sign}{seconds * 1000:.0f} ms"
    if seconds < 60:  # noqa: PLR2004  a minute
        return f"{sign}{seconds:.3g} s"
    rest, parts = round(seconds), []
    for unit, name in ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        count, rest = divmod(rest, unit)
        if count:
            parts.append(f"{count} {name}")
    return sign + " ".join(parts[:2])


def size(count: float) -> str:
    """Return a number of bytes as text."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 999.5:  # noqa: PLR2004  as it is shown
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:,.3g} TB"


def instant(time: datetime) -> str:
    """Return a time in UTC, without empty parts of a second."""
    return time.replace(tzinfo=None).isoformat(" ", "auto").removesuffix("000")


def _listed(counts: Mapping[str, int], always: Mapping[str, str], more: Mapping[str, str]) -> str:
    names = {**more, **always}
    return ", ".join(
        f"{counts[name]:,} {text}"
        for name, text in names.items()
        if name in always or counts.get(name)
    )


def _rejected(counts: Mapping[str, int]) -> str:
    reasons = [f"{name} {counts[name]:,}" for name in _REASONS if counts.get(name)]
    return f"{counts['rejected']:,}" + (f" ({', '.join(reasons)})" if reasons else "")


def _panes(of: Status) -> str:
    """Return the panes by timing, unless all operators emit rows."""
    has_none = of.totals["rows"] and not of.totals["panes"]
    return "" if has_none else _listed(of.totals, _ALWAYS, _PANES)


def _open(of: Status) -> str:
    """Return the number of open windows, for each operator if there are several."""
    if len(of.openWindows) < 2:  # noqa: PLR2004
        return "".join(map(_windows, of.openWindows.values()))
    return ", ".join(f"{_windows(count)} of {name}" for name, count in of.openWindows.items())


def _windows(count: int) -> str:
    return f"{count:,} window" + ("" if count == 1 else "s")


def _watermark(of: Status) -> str:
    last = of.last
    if last is None or last.watermark is None:
        return f"none yet{_held(of)}"
    behind = "" if of.behind is None else f", {span(of.behind)} behind the newest event time"
    return f"{instant(last.watermark)}{behind}{_held(of)}"


def _held(of: Status) -> str:
    """Return which of several inputs holds the watermark back."""
    name = of.heldBackBy
    if name is None:
        return ""
    at, ahead = of.inputs[name], max(time for time in of.inputs.values() if time is not None)
    why = (
        f"{span(ahead - at)} behind the most advanced input" if at else "which has received no rows"
    )
    return f", held back by {name}, {why}"


def _sources(of: Status) -> Iterator[str]:
    """Yield the sources that lag, or may hold the watermark back because they are silent."""
    for source in of.last.sources if of.last else ():
        quiet = of.quiet.get(source.name, 0)
        waiting = f"{source.waiting:,} offsets not yet read" if source.waiting else ""
        silent = f"no rows for {quiet:,} batch{'' if quiet == 1 else 'es'}" if quiet else ""
        if silent and not of.inputs:  # with inputs, the line of the watermark names the stream
            silent += ": the watermark may be waiting for it"
        text = ", ".join(part for part in (waiting, silent) if part)
        if text:
            yield f"{source.name}: {text}"


def _state(batch: BatchProgress, memory: int) -> str:
    parts = [
        f"{batch.stateRows:,} rows" if batch.stateRows else "",
        f"{size(memory)} in memory",
        f"{size(batch.stateFileBytes)} in files" if batch.stateFileBytes else "",
    ]
    return ", ".join(part for part in parts if part)


def _batch(batch: BatchProgress) -> str:
    longest = sorted(batch.parts.items(), key=lambda part: -part[1])[:_PARTS]
    parts = [f"{name} {_millis(count)}" for name, count in longest if count]
    shards = f"; shards {_millis(batch.shardsMs)} in all tasks" if batch.shardsMs else ""
    return f"{_millis(batch.batchMs)} ({', '.join(parts)}{shards})"


def _millis(count: int) -> str:
    return span(timedelta(milliseconds=count))


def _error(of: Status) -> list[tuple[str, str]]:
    return [(ERROR, of.error)] if of.error else []
