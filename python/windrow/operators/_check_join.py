"""Everything that is wrong with a join: the JVM's checks, with its codes and texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from windrow import _duration, _values
from windrow._duration import ENDLESS, UNSTATED
from windrow._retention import too_short
from windrow.errors import SpecProblem
from windrow.operators import _input
from windrow.triggers import EachMessage, EachStep, Every
from windrow.windows import Global, Hopping, Offsets, Over, Session, Sliding, Tumbling, WindowKind

if TYPE_CHECKING:
    from windrow.operators._join import JoinSpec

Problems = list[SpecProblem]
Micros = tuple[int, int]

UNBOUNDED = "UNBOUNDED_JOIN"
_PAIR = 2


def problems(spec: JoinSpec) -> Problems:
    """Everything wrong with values as they were given, and with their combinations."""
    return [
        *_words(spec),
        *_names(spec),
        *_lateness(spec),
        *_windows(spec),
        *_ranges(spec),
        *_bounded(spec),
        *_trigger(spec),
        *_small(spec),
        *spec.retention._problems(),
    ]


def lateness(spec: JoinSpec) -> int | SpecProblem | None:
    """Microseconds; None: not stated; or what is wrong with it."""
    if spec.lateness is UNSTATED:
        return None
    return ENDLESS if spec.lateness is None else _duration.read(spec.lateness)


def ranges(spec: JoinSpec) -> dict[str, Micros]:
    """Ends of the ranges in microseconds by name of the stream; none if there are no ranges.

    Ends that are no durations are left out.
    """
    return {
        name: (read[0], read[1])
        for name, ends in _given(spec).items()
        for read in ([_duration.read(end) for end in ends] if _is_pair(ends) else [],)
        if read and isinstance(read[0], int) and isinstance(read[1], int)
    }


def _given(spec: JoinSpec) -> dict[str, Any]:
    within: Any = spec.within
    if within is None or isinstance(within, WindowKind):
        return {}
    if isinstance(within, Mapping):
        return dict(within)
    if isinstance(within, tuple) and within and all(map(_is_named, within)):
        return dict(within)
    return {stream.name: within for stream in spec.streams[1:]}


def _is_pair(ends: object) -> bool:
    return isinstance(ends, tuple | list) and len(ends) == _PAIR


def _is_named(entry: object) -> bool:
    return isinstance(entry, tuple) and len(entry) == _PAIR and _is_pair(entry[1])


def _words(spec: JoinSpec) -> Problems:
    from windrow.operators._join import BOUNDS, EXPECTED, KINDS

    found: Problems = []
    for name, code, value, words in (
        ("how", "JOIN_KIND_UNKNOWN", spec.how, KINDS),
        ("expect", "EXPECT_UNKNOWN", spec.expect, EXPECTED),
        ("bounds", "BOUNDS_UNKNOWN", spec.bounds, BOUNDS),
    ):
        if value not in words:
            found.append(SpecProblem(code, f"{name} is '{value}'; allowed are {_listed(words)}."))
    if spec.maxFuture is not None:
        found += _values.not_negative("maxFuture", spec.maxFuture, code="MAX_FUTURE_NEGATIVE")
    return found


def _listed(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _names(spec: JoinSpec) -> Problems:
    names = spec.inputStreams
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    found: Problems = []
    if len(names) < _PAIR:
        text = f"a join of {len(names)} streams; it needs two or more."
        found.append(SpecProblem("STREAMS_TOO_FEW", text))
    if twice:
        text = f"the name {', '.join(twice)} stands for more than one stream."
        found.append(SpecProblem("STREAM_TWICE", text))
    known = ", ".join(names)
    found += [
        SpecProblem("STREAM_UNKNOWN", f"'{name}' is no stream of this join; they are {known}.")
        for name in sorted(set(_given(spec)) - set(names))
    ]
    if spec.how != "inner" and len(names) > _PAIR:
        text = f"how='{spec.how}' is for two streams; with {len(names)} say how='inner'."
        found.append(SpecProblem("OUTER_JOIN_OF_MANY", text))
    found += _input.repeated("on", spec.on)
    if len(spec.outputStreams) > 1:
        text = f"outputStreams has {len(spec.outputStreams)} names; it has one at most."
        found.append(SpecProblem("STREAMS_TOO_MANY", text))
    return found


def _lateness(spec: JoinSpec) -> Problems:
    allowed = lateness(spec)
    if allowed is None:
        return [SpecProblem("LATENESS_NOT_STATED", "say lateness('0 seconds') or longer.")]
    if isinstance(allowed, SpecProblem):
        return [SpecProblem(allowed.code, f"lateness: {allowed.text}")]
    found: Problems = []
    if allowed < 0:
        text = f"lateness is '{_duration.show(allowed)}'; it must be '0 seconds' or longer."
        found.append(SpecProblem("LATENESS_NEGATIVE", text))
    if allowed == ENDLESS and spec.retention.messages is None:
        text = "lateness without end keeps every message: retain(messages=...)."
        found.append(SpecProblem("RETENTION_NOT_STATED", text))
    return found


def _windows(spec: JoinSpec) -> Problems:
    found: Problems = []
    for stream in spec.streams:
        window = stream.window
        found += [] if window is None else window._problems()
        if isinstance(window, Session):
            text = (
                f"'{stream.name}' has sessions of its own, so its pairs would depend on later "
                "messages; give the join a range."
            )
            found.append(SpecProblem("SESSION_OF_ONE_SIDE", text))
        elif not _is_side(window):
            text = (
                f"'{stream.name}' has {window!r}; a side of a join takes aligned windows, "
                "Over(range), Over(), Offsets and Global()."
            )
            found.append(SpecProblem("WINDOW_NOT_SUPPORTED", text))
    if isinstance(spec.within, WindowKind):
        found += spec.within._problems()
        if not _is_shared(spec.within):
            text = (
                f"within={spec.within!r}; "
                "it takes a range, aligned windows, Session(gap) or Global()."
            )
            found.append(SpecProblem("WINDOW_NOT_SUPPORTED", text))
    return found


def _is_shared(window: WindowKind) -> bool:
    if isinstance(window, Session):
        return not window._of_message()
    return isinstance(window, Tumbling | Hopping | Global)


def _is_side(window: WindowKind | None) -> bool:
    if isinstance(window, Over):
        return window.rows is None
    return window is None or isinstance(window, Tumbling | Hopping | Global | Offsets)


def _ranges(spec: JoinSpec) -> Problems:
    given = _given(spec)
    if not given:
        shared = spec.within if isinstance(spec.within, WindowKind) else None
        windows = [shared, *(stream.window for stream in spec.streams)]
        return _too_short(spec, max(map(_size, windows)))
    read = ranges(spec)
    found: Problems = [
        SpecProblem("RANGE_NOT_STATED", f"within says nothing of '{name}'.")
        for name in spec.inputStreams[1:]
        if name not in given
    ]
    for name in sorted(given):
        if not _is_pair(given[name]):
            text = f"within has {given[name]!r}; it must be (low, high)."
            found.append(SpecProblem("RANGE_NOT_UNDERSTOOD", text))
            continue
        wrong = [one for one in map(_duration.read, given[name]) if isinstance(one, SpecProblem)]
        found += [SpecProblem(one.code, f"within: {one.text}") for one in wrong]
        if name in read and read[name][0] > read[name][1]:
            text = (
                f"within of '{name}' is {_shown(spec, read[name])}; "
                "the first must not be above the second."
            )
            found.append(SpecProblem("RANGE_REVERSED", text))
    return found + _too_short(spec, _longest(spec, read))


def _shown(spec: JoinSpec, ends: Micros) -> str:
    low, high = map(_duration.show, ends)
    return f"{spec.bounds[0]}'{low}', '{high}'{spec.bounds[-1]}"


def _longest(spec: JoinSpec, read: dict[str, Micros]) -> int:
    """How far a pair can reach, in microseconds."""
    names = spec.inputStreams
    if len(set(names)) < max(_PAIR, len(names)) or not all(name in read for name in names[1:]):
        return 0
    least = {name: low + (spec.bounds[0] == "(") for name, (low, _) in read.items()}
    greatest = {name: high - (spec.bounds[-1] == ")") for name, (_, high) in read.items()}
    reach = [max(greatest[name] for name in greatest if name != names[0])]
    for name in names[1:]:
        after = [greatest[other] for other in greatest if other != name]
        reach.append(max([-least[name], *(there - least[name] for there in after)]))
    return max(0, *reach)


def _size(window: WindowKind | None) -> int:
    size: object = None
    match window:
        case Tumbling(zone=None, size=size) | Hopping(size=size) | Sliding(size=size):
            pass
        case Over(range=size):
            pass
        case Session() if not window._of_message():
            size = window.gap
    micros = _duration.read(size) if size is not None else 0
    return micros if isinstance(micros, int) else 0


def _too_short(spec: JoinSpec, reach: int) -> Problems:
    """What is stated must hold every message as long as it can pair."""
    return too_short(spec.retention, lateness(spec), reach, "range or size")


def _bounded(spec: JoinSpec) -> Problems:
    """Every side is bounded by a range, by windows, or by what is stated to be kept."""
    if spec.retention.time is not None or spec.retention.messages is not None:
        return []
    if isinstance(spec.within, Global):
        free = spec.inputStreams
    elif spec.within is None:
        free = tuple(stream.name for stream in spec.streams if _is_open(stream.window))
    else:
        return []
    if not free:
        return []
    sides = " and ".join(f"'{name}'" for name in free)
    text = (
        f"{sides} would be kept for ever. Bound the join: "
        "within=('0 minutes', '5 minutes'), or a window on each, or retain(...) with "
        "within=Global()."
    )
    return [SpecProblem(UNBOUNDED, text)]


def _is_open(window: WindowKind | None) -> bool:
    """Windows on offsets do not end by the watermark."""
    match window:
        case None | Global() | Offsets() | Over(range=None, rows=None):
            return True
    return False


def _trigger(spec: JoinSpec) -> Problems:
    match spec.early:
        case EachMessage() | EachStep() | Every(messages=1):
            return []
        case Every(period=str()):
            return spec.early._problems()
    text = f"early={spec.early!r}: rows come with each message or every period of time."
    return [SpecProblem("TRIGGER_NOT_SUPPORTED", text)]


def _small(spec: JoinSpec) -> Problems:
    if spec.expect != "small" or spec.retention.messages is None:
        return []
    text = (
        "expect='small' keeps the messages of all keys together, and so cannot count those of "
        "one: say retain(time=...)."
    )
    return [SpecProblem("RETENTION_OF_SMALL_RANGES", text)]
