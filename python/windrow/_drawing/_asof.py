"""Draw an as-of join: which row of the second stream is nearest to each row of the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from windrow._drawing._pairs import Pairs
from windrow._specs import _duration
from windrow.operators._join import AsOf, JoinSpec

_SECOND = 1_000_000


def _as_of(spec: JoinSpec) -> AsOf | None:
    return spec.within if isinstance(spec.within, AsOf) else None


def _tolerance(rule: AsOf) -> int | None:
    return None if rule.tolerance is None else _duration.micros(rule.tolerance)


def pairs(spec: JoinSpec, times: Mapping[str, Sequence[int]]) -> Pairs | None:
    """Return the contents of the picture; None if the join is not an as-of join."""
    rule = _as_of(spec)
    if rule is None:
        return None
    lefts, rights = times.values()
    found = {(0, i): _nearest(rule, time, rights) for i, time in enumerate(lefts)}
    lines = [(place, (1, j)) for place, j in found.items() if j is not None]
    alone = {place for place, j in found.items() if j is None and spec.how == "left"}
    paired = {place for line in lines for place in line}
    return Pairs(times, lines, paired, alone, _bands(rule, lefts))


def _bands(rule: AsOf, lefts: Sequence[int]) -> list[tuple[int, int, int]]:
    reach = _tolerance(rule)
    if reach is None:
        return []
    low, high = (reach if rule.direction != one else 0 for one in ("forward", "backward"))
    return [(1, time - low, time + high) for time in lefts]


def _nearest(rule: AsOf, time: int, rights: Sequence[int]) -> int | None:
    """Return the index of the nearest time (rule R115); equal times are in order."""
    reach = _tolerance(rule)
    near = [(i, at) for i, at in enumerate(rights) if reach is None or abs(at - time) <= reach]
    before = [(time - at, -i, i) for i, at in near if at <= time and rule.direction != "forward"]
    after = [(at - time, i, i) for i, at in near if at >= time and rule.direction != "backward"]
    chosen = min(before, default=None), min(after, default=None)
    if chosen[0] is not None and (chosen[1] is None or chosen[0][0] <= chosen[1][0]):
        return chosen[0][2]
    return None if chosen[1] is None else chosen[1][2]


def sample(spec: JoinSpec) -> dict[str, list[int]] | None:
    """Return sample rows, some with a partner; None if the join is not an as-of join."""
    rule = _as_of(spec)
    if rule is None:
        return None
    wide = _tolerance(rule) or 5 * _SECOND
    lefts = [3 * wide, 5 * wide, 8 * wide]
    near = -1 if rule.direction == "backward" else 1
    rights = sorted(
        [lefts[0] + near * wide // 2, lefts[0] + near * wide // 4, lefts[1] + near * wide // 3]
    )
    return dict(zip(spec.inputStreams, (lefts, rights), strict=True))
