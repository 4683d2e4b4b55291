"""Draw a join: which of a few rows are paired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import product
from typing import Any

from windrow._drawing import _asof, _pairs
from windrow._drawing._axis import DATES, LENGTHS
from windrow._drawing._pairs import Pairs, Place
from windrow._markup._svg import Picture
from windrow._specs import _duration
from windrow.errors import SpecError, problem
from windrow.operators._join import JoinSpec
from windrow.windows import Global, Over, Sliding, WindowKind

Times = Sequence[datetime | str | int]
Span = tuple[int, int]

_MOST = 40  # rows of a stream
_MINUTE = 60_000_000


def plot(
    spec: JoinSpec, ranges: Mapping[str, Any], messages: Mapping[str, Times] | None
) -> Picture:
    """Draw a join over rows of one key, by stream; None draws sample rows.

    Raises:
        SpecError: ``messages`` has a stream that is not in the join (``STREAM_UNKNOWN``).

    """
    names = list(spec.inputStreams)
    spans = {name: (_micros(low), _micros(high)) for name, (low, high) in ranges.items()}
    if messages is None:
        axis, times = LENGTHS, _sample(spec, spans)
    else:
        unknown = [name for name in messages if name not in names]
        if unknown:
            known = ", ".join(names)
            found = [problem("STREAM_UNKNOWN.JOIN", name=one, names=known) for one in unknown]
            raise SpecError.of("plot(...)", found)
        axis = DATES
        times = {name: sorted(axis.read(messages.get(name, ())))[:_MOST] for name in names}
    nearest = _asof.pairs(spec, times)
    of = _of(spec, _Rule(spec, spans, times), times) if nearest is None else nearest
    pairs = ""
    if len(names) == 2 and spec.how not in ("semi", "anti"):
        pairs = f", {len(of.lines)} pair{'' if len(of.lines) == 1 else 's'}"
    alone = f", {len(of.alone)} without a partner" if of.alone else ""
    asof = "" if nearest is None else f" {spec.within.direction}"  # type: ignore[union-attr]
    return _pairs.draw(f"{spec.how}{asof} join of {' and '.join(names)}{pairs}{alone}", of, axis)


class _Rule:
    """The condition that pairs rows of the streams (rules R36 to R39)."""

    def __init__(
        self, spec: JoinSpec, spans: Mapping[str, Span], times: Mapping[str, Sequence[int]]
    ) -> None:
        self.spec, self.spans = spec, spans
        within = spec.within
        shared = isinstance(within, WindowKind) and not isinstance(within, Global)
        every = sorted(time for own in times.values() for time in own)
        self.windows = within._holding(every) if shared else []  # type: ignore[union-attr]

    def row(self, row: Sequence[int]) -> bool:
        """Return whether rows at these times, one of each stream, are paired."""
        if isinstance(self.spec.within, Global):
            return True
        if self.windows:
            return any(start <= min(row) and max(row) < end for start, end in self.windows)
        if self.spans:
            return all(
                self.near(stream.name, row[n] - row[0])
                for n, stream in enumerate(self.spec.streams)
                if n
            )
        return self._own(row)

    def bands(self, times: Mapping[str, Sequence[int]]) -> list[tuple[int, int, int]]:
        """Return the range of each row's partners, by the first stream or by windows."""
        names = list(times)
        if self.spans:
            return [
                (names.index(name), time + low, time + high)
                for name, (low, high) in self.spans.items()
                for time in times[names[0]]
            ]
        if self.spec.within is not None:
            return []
        return [
            (n, *span)
            for n, stream in enumerate(self.spec.streams)
            if stream.window is not None
            for other in times.values()
            if other is not times[stream.name]
            for time in other
            for span in stream.window._holding([time])[:1]
        ]

    def near(self, stream: str, apart: int) -> bool:
        """Return whether a row of a stream is in the range of a row of the first one."""
        span = self.spans[stream]
        first, last = self.spec.bounds
        low = apart >= span[0] if first == "[" else apart > span[0]
        return low and (apart <= span[1] if last == "]" else apart < span[1])

    def _own(self, row: Sequence[int]) -> bool:
        """Return whether one of two rows is in the other's window at its partner's position."""
        return any(
            _holds(stream.window, at=row[1 - n], time=row[n])
            for n, stream in enumerate(self.spec.streams[:2])
            if stream.window is not None
        )


def _holds(window: WindowKind, *, at: int, time: int) -> bool:
    closed = isinstance(window, Sliding | Over)
    return any(
        start <= time and (time <= end if closed else time < end)
        for start, end in window._holding([at])
    )


def _of(spec: JoinSpec, rule: _Rule, times: Mapping[str, Sequence[int]]) -> Pairs:
    """Find the pairs; a chain of outer joins pairs each stream with the first one."""
    numbered = [list(enumerate(own)) for own in times.values()]
    two = len(numbered) == 2
    lines: list[tuple[Place, Place]] = []
    if two:
        lines = [((0, i), (1, j)) for (i, a), (j, b) in product(*numbered) if rule.row((a, b))]
        paired = {place for pair in lines for place in pair}
    elif rule.spans and spec.how in ("left", "full", "semi", "anti"):
        lines = [
            ((0, i), (n, j))
            for n, stream in enumerate(spec.streams)
            if n
            for (i, a), (j, b) in product(numbered[0], numbered[n])
            if rule.near(stream.name, b - a)
        ]
        paired = {place for pair in lines for place in pair}
    else:
        rows = _rows(rule, numbered)
        paired = {(n, i) for row in rows for n, i in enumerate(row)}
        lines = sorted({((0, row[0]), (n, i)) for row in rows for n, i in enumerate(row) if n})
    every = tuple(range(len(numbered)))
    lonely = {"left": (0,), "anti": (0,), "right": every[-1:], "full": every}.get(spec.how, ())
    alone = {(n, i) for n in lonely for i, _ in numbered[n] if (n, i) not in paired}
    shown = () if spec.how == "anti" else paired
    return Pairs(times, lines, shown, alone, rule.bands(times), rule.windows)


def _rows(rule: _Rule, numbered: Sequence[Sequence[tuple[int, int]]]) -> list[tuple[int, ...]]:
    """Return at most 1,000 results, as the indexes of their rows."""
    found: list[tuple[int, ...]] = []
    for row in product(*numbered):
        if rule.row([time for _, time in row]):
            found.append(tuple(number for number, _ in row))
            if len(found) == 1000:
                break
    return found


def _micros(duration: Any) -> int:  # noqa: ANN401  as the spec has settled it
    read: int = _duration.micros(duration)
    return read


def _sample(spec: JoinSpec, spans: Mapping[str, Span]) -> dict[str, list[int]]:
    """Return sample rows, some with a partner and some without."""
    names = spec.inputStreams
    nearest = _asof.sample(spec)
    if nearest is not None:
        return nearest
    if spans:
        wide = max(max(high - low, abs(low), abs(high), 1) for low, high in spans.values())
        first = [0, int(1.6 * wide), int(3.4 * wide)]
        others = {
            name: [first[0] + (low + high) // 2, first[1] + high, first[2] + high + wide // 2]
            for name, (low, high) in spans.items()
        }
        return {name: others.get(name, first) for name in names}
    kinds = [spec.within, *(stream.window for stream in spec.streams)]
    kind = next((one for one in kinds if isinstance(one, WindowKind)), None)
    if kind is None or isinstance(kind, Global):
        times = [n * _MINUTE for n in range(2 * len(names))]
    else:
        times = [time for one in (0, 1) for time in _moved(kind, one)]
    return {name: times[n :: len(names)] for n, name in enumerate(names)}


def _moved(kind: WindowKind, turns: int) -> list[int]:
    """Return the sample rows of a kind of windows, shifted by multiples of their length."""
    times = kind._sample()
    return [time + turns * (max(times) - min(times)) for time in times]
