"""Windows as JSON: ``{"kind": "tumbling", "size": 60000000, "offset": 0}``."""

from __future__ import annotations

from collections.abc import Callable, Collection

from windrow import _json, policies
from windrow._frozen import unchecked
from windrow.errors import SpecProblem
from windrow.windows import _calendar
from windrow.windows._aligned import Hopping, Tumbling
from windrow.windows._global import Global
from windrow.windows._inherit import Inherit
from windrow.windows._kind import NONE, WindowKind
from windrow.windows._over import OVER_TWICE, Over
from windrow.windows._session import Session
from windrow.windows._sliding import GRANULARITY, Sliding
from windrow.windows._tuples import Count, Offsets, TupleSession


def read_kind(
    reader: _json.Reader, fields: object, *, more: Collection[str] = ()
) -> WindowKind | None:
    """Read the kind that JSON fields describe, unchecked; None if problems were noted.

    ``more`` names fields that are somebody else's business.
    """
    if not isinstance(fields, dict):
        text = "window is missing; say for example Tumbling('1 minute')."
        reader.refuse("WINDOW_NOT_STATED", text)
        return None
    kind = fields.get("kind", "")
    if not isinstance(kind, str) or kind not in _KINDS:
        allowed = ", ".join(_KINDS)
        reader.refuse("WINDOW_UNKNOWN", f"window.kind is '{kind}'; allowed are {allowed}.")
        return None
    before = len(reader.problems)
    own = {name: value for name, value in fields.items() if name not in more}
    names, read = _KINDS[kind]
    reader.known(own, f"a window of kind {kind}", {"kind"} | names)
    made = read(reader, fields)
    return made if len(reader.problems) == before else None


def _span(reader: _json.Reader, fields: _json.Fields, name: str) -> str | None:
    return reader.need(fields, name, "a duration", reader.span)


def _count(reader: _json.Reader, fields: _json.Fields, name: str) -> int | None:
    return reader.need(fields, name, "a whole number", reader.count)


def _tumbling(reader: _json.Reader, fields: _json.Fields) -> Tumbling:
    size, offset = _span(reader, fields, "size"), reader.span(fields, "offset")
    return unchecked(Tumbling, size=size, offset=offset or NONE, zone=None)


def _hopping(reader: _json.Reader, fields: _json.Fields) -> Hopping:
    size, step = (_span(reader, fields, name) for name in ("size", "step"))
    return unchecked(Hopping, size=size, step=step, offset=reader.span(fields, "offset") or NONE)


def _calendar_window(reader: _json.Reader, fields: _json.Fields) -> Tumbling:
    count = _count(reader, fields, "n")
    if count is not None and abs(count) > _calendar.MOST:
        text = f"n is {count}; it must be a whole number of at most 9 digits."
        reader.refuse("COUNT_NOT_UNDERSTOOD", text)
    words = {unit: unit for unit in _calendar.UNITS}
    unit = reader.need(
        fields,
        "unit",
        "one of day, week, month, year",
        lambda fields, name: reader.word(fields, name, "CALENDAR_UNIT_NOT_UNDERSTOOD", words),
    )
    name = reader.need(fields, "zone", "a time zone", lambda fields, name: fields[name])
    zone = None if name is None else _calendar.zone(name)
    if isinstance(zone, SpecProblem):
        reader.problems.append(zone)
    size = _calendar.show(count or 0, unit or "day")
    return unchecked(Tumbling, size=size, offset=NONE, zone=zone)


def _session(reader: _json.Reader, fields: _json.Fields) -> Session:
    return unchecked(Session, gap=reader.span(fields, "gap"))


def _sliding(reader: _json.Reader, fields: _json.Fields) -> Sliding:
    size, granularity = _span(reader, fields, "size"), reader.span(fields, "granularity")
    return unchecked(Sliding, size=size, granularity=granularity or GRANULARITY)


def _over(reader: _json.Reader, fields: _json.Fields) -> Over:
    if fields.get("range") is not None and fields.get("rows") is not None:
        reader.refuse(*OVER_TWICE)
    return unchecked(Over, range=reader.span(fields, "range"), rows=reader.count(fields, "rows"))


def _counted(cls: type[Count | Offsets]) -> _Read:
    def read(reader: _json.Reader, fields: _json.Fields) -> Count | Offsets:
        n, step = _count(reader, fields, "n"), reader.count(fields, "step")
        return unchecked(cls, n=n, step=n if step is None else step)

    return read


def _tuple_session(reader: _json.Reader, fields: _json.Fields) -> TupleSession:
    return unchecked(TupleSession, n=_count(reader, fields, "n"))


def _inherit(reader: _json.Reader, fields: _json.Fields) -> Inherit:
    column = reader.name(fields, "column")
    return unchecked(Inherit, column="window" if column is None else column)


_Read = Callable[[_json.Reader, _json.Fields], WindowKind]

# Each kind's fields, and what reads them.
_KINDS: dict[str, tuple[set[str], _Read]] = {
    "tumbling": ({"size", "offset"}, _tumbling),
    "hopping": ({"size", "step", "offset"}, _hopping),
    "calendar": ({"n", "unit", "zone"}, _calendar_window),
    "session": ({"gap"}, _session),
    "sliding": ({"size", "granularity"}, _sliding),
    "over": ({"range", "rows"}, _over),
    "count": ({"n", "step"}, _counted(Count)),
    "offsets": ({"n", "step"}, _counted(Offsets)),
    "tuple_session": ({"n"}, _tuple_session),
    "global": (set(), lambda _reader, _fields: Global()),
    "policy": ({"eviction", "trigger", "limit"}, policies.read),
    "inherit": ({"column"}, _inherit),
}
