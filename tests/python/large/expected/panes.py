"""The written panes in a uniform table, and their grammar (E1, E5, R18)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from large.expected.aggregates import differ

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from duckdb import DuckDBPyConnection

SHOWN = 3
#: The names that key columns can have.
KEYS = ("k0", "k1")


def some(
    base: DuckDBPyConnection, what: str, query: str, values: Mapping[str, object] | None = None
) -> list[str]:
    """Return the first rows of a query that must be empty, as a problem."""
    found = base.execute(query, values).fetchall()
    if not found:
        return []
    names = [column[0] for column in base.description or []]
    rows = "; ".join(str(dict(zip(names, row, strict=True))) for row in found[:SHOWN])
    return [f"{what}: {len(found)}, first {rows}"]


def differing(what: str, wanted: Iterable[Any], found: Iterable[Any]) -> list[str]:
    """Return the tuples that only one of two lists has, or that it has more often."""
    ours, theirs = Counter(wanted), Counter(found)
    parts = {"missing": ours - theirs, "too many": theirs - ours}
    return [
        f"{what} that are {how}: {rows.total()}, first {[*rows.elements()][:SHOWN]}"
        for how, rows in parts.items()
        if rows
    ]


def loaded(
    base: DuckDBPyConnection, bounds: tuple[str, str, str], *, is_gap: str = "false"
) -> None:
    """Create ``pane`` from ``panes``, with g, first, last, of and the pane's fields; and ``final``.

    ``final`` contains a window's last pane unless it is withdrawn. An empty pane does not contain
    its group; it is taken from the other panes of its key.
    """
    first, last, of = bounds
    names = [row[0] for row in base.execute("DESCRIBE panes").fetchall()]
    keys = ", ".join(name for name in names if name in KEYS)
    group = f"max(group_least) OVER ({f'PARTITION BY {keys}' if keys else ''})"
    base.execute(f"""CREATE TABLE pane AS SELECT * EXCLUDE ("window", pane), {group} AS g,
        {first} AS first, {last} AS last, {of} AS of,
        if(of IS NULL, {first}, NULL) AS begin,
        {is_gap} AS is_gap, pane.timing, pane.index, pane.is_last, pane.is_retraction FROM panes""")
    base.execute(f"""CREATE TABLE final AS SELECT * FROM pane p WHERE NOT is_retraction
        QUALIFY row_number() OVER (PARTITION BY {WINDOW} ORDER BY index DESC) = 1""")
    base.execute(f"""DELETE FROM final f WHERE EXISTS (
        FROM pane p WHERE is_retraction AND p.index = f.index AND {_same("p", "f")})""")


#: The columns that identify a window. Late rows can make the window of an ``Over`` row begin
#: later, so ``begin`` is null there.
WINDOW = "g, begin, last, of"


def _same(one: str, other: str) -> str:
    return " AND ".join(f"{one}.{n} IS NOT DISTINCT FROM {other}.{n}" for n in WINDOW.split(", "))


def grammar(base: DuckDBPyConnection, mode: str, *, reappears: bool = False) -> list[str]:
    """Check the order EARLY* ON_TIME? LATE*, the numbers, the retractions and ``is_last``.

    A window that ``reappears`` after it was withdrawn can be on time again, and its numbers go on.
    """
    wrong = some(base, "two groups in one pane", "FROM pane WHERE group_least <> group_greatest")
    base.execute(f"""CREATE VIEW told AS SELECT *, row_number() OVER w - 1 AS place,
        lag(timing) OVER w AS previous, lag(step) OVER w AS before, lead(step) OVER w AS following
        FROM pane WHERE NOT is_retraction WINDOW w AS (PARTITION BY {WINDOW} ORDER BY index)""")
    wrong += some(
        base,
        "panes out of order",
        f"""FROM told WHERE index < place OR before > step OR (is_last AND following IS NOT NULL)
        OR (NOT {reappears} AND (index <> place
        OR (timing = 'ON_TIME' AND previous IN ('ON_TIME', 'LATE')) OR (timing = 'EARLY'
        AND previous <> 'EARLY') OR (timing = 'LATE' AND previous = 'EARLY')))""",
    )
    values = [row[0] for row in base.execute("DESCRIBE pane").fetchall()]
    values = values[: values.index("step")]
    same = " AND ".join(f"p.{n} IS NOT DISTINCT FROM r.{n}" for n in values if n not in KEYS)
    wrong += some(
        base,
        "withdrawn, but not as it was",
        f"""SELECT r.* FROM pane r WHERE is_retraction AND NOT EXISTS (
        FROM pane p WHERE NOT p.is_retraction AND p.index = r.index AND p.timing = r.timing
        AND {same} AND {_same("p", "r")} AND p.step <= r.step)""",
    )
    if mode == "ACCUMULATING_AND_RETRACTING":
        wrong += some(
            base,
            "not withdrawn before the next one",
            f"""FROM told p WHERE following IS NOT NULL AND
            (SELECT count(*) FROM pane r WHERE r.is_retraction AND r.index = p.index
            AND (r.step = p.following OR {reappears} AND r.step < p.following)
            AND {_same("r", "p")}) <> 1""",
        )
    return wrong


def compared(
    base: DuckDBPyConnection, names: tuple[str, ...], wanted: str, found: str, by: str
) -> list[str]:
    """Return the rows, by group and ``by``, that differ or that only one of two tables contains."""
    both = " AND ".join(
        f"a.{name} IS NOT DISTINCT FROM b.{name}" for name in ["g", *by.split(", ")]
    )
    shown = ", ".join(f"coalesce(a.{name}, b.{name}) AS {name}" for name in ["g", *by.split(", ")])
    values = ", ".join(f"[a.{name}::text, b.{name}::text] AS {name}" for name in names)
    return some(
        base,
        "panes [wanted, found]",
        f"""SELECT {shown}, {values} FROM {wanted} a FULL JOIN {found} b ON {both}
        WHERE a.n IS NULL OR b.n IS NULL OR {differ(names, "b", "a")} ORDER BY ALL""",
    )
