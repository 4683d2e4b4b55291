"""Aggregates, each in Spark's SQL and in DuckDB's."""

from __future__ import annotations

from dataclasses import dataclass

#: The order in which the rows of a window are aggregated where order matters (R1, T3).
ORDER = 'ORDER BY us, stream, partition, "offset"'


@dataclass(frozen=True)
class Aggregate:
    """An aggregate as SQL for Spark and for DuckDB.

    ``within`` is the relative difference that is allowed between the values.
    """

    spark: str
    duck: str = ""
    within: float = 0.0
    #: Depends on the order of rows, so the rows must have an identity.
    ordered: bool = False

    def __post_init__(self) -> None:
        """Use Spark's SQL for DuckDB too if none is given."""
        object.__setattr__(self, "duck", self.duck or self.spark)


def _ordered(spark: str, duck: str) -> Aggregate:
    return Aggregate(spark, duck, ordered=True)


#: Aggregates of every scenario: row count, bounds of the key's group, and an XOR of the ids.
ALWAYS = ("n", "group_least", "group_greatest", "ids")

AGGREGATES = {
    "n": Aggregate("count(*)"),
    "group_least": Aggregate("min(g)"),
    "group_greatest": Aggregate("max(g)"),
    "ids": Aggregate("bit_xor(id * 2654435761)"),
    "known": Aggregate("count(w)"),
    "total": Aggregate("sum(v)"),
    "filtered": Aggregate("sum(v) FILTER (WHERE y > 5)"),
    "mean": Aggregate("avg(x)", within=1e-9),
    "exact": Aggregate(
        "sum(CAST(v AS decimal(20,4)) / 4)", "sum(v::decimal(20,4)) / 4", within=1e-12
    ),
    "least": Aggregate("min(s)"),
    "greatest": Aggregate("max(s)"),
    "latest": Aggregate("max(t)"),
    "and_bits": Aggregate("bit_and(v)"),
    "or_bits": Aggregate("bit_or(v)"),
    "variance": Aggregate("var_pop(x)", within=1e-6),
    "deviation": Aggregate("stddev_samp(x)", within=1e-6),
    "covariance": Aggregate("covar_pop(x, y)", within=1e-6),
    "correlation": Aggregate("corr(x, y)", "if(isnan(corr(x, y)), NULL, corr(x, y))", within=1e-6),
    "all_so": Aggregate("bool_and(y > 1)"),
    "some_so": Aggregate("bool_or(y > 11)"),
    "how_many": Aggregate("count_if(v > 0)", "count(*) FILTER (v > 0)"),
    "ratio": Aggregate("sum(v) / count(*)", within=1e-12),
    # Two values may share a register and then count as one.
    "kinds": Aggregate("approx_count_distinct(v)", "count(DISTINCT v)", within=0.35),
    "different": Aggregate("count(DISTINCT v)", "count(DISTINCT v)"),
    "top_ids": Aggregate(
        "windrow_top_n(3, id) WITHIN GROUP (ORDER BY v DESC, id)",
        "coalesce(list(id ORDER BY v DESC NULLS LAST, id)[:3], [])",
    ),
    "middle": Aggregate("percentile(v, 0.5)", "quantile_cont(v, 0.5)", within=1e-12),
    "kinds_so": Aggregate(
        "sort_array(collect_set(v))", "coalesce(list_sort(list(DISTINCT v)), [])"
    ),
    "all_ids": _ordered("collect_list(id)", f"coalesce(list(id {ORDER}), [])"),
    "first_id": _ordered("first(id)", f"first(id {ORDER})"),
    "last_id": _ordered("last(id)", f"last(id {ORDER})"),
    "last_known": _ordered("last(w, true)", f"last(w {ORDER}) FILTER (WHERE w IS NOT NULL)"),
    "text": _ordered("listagg(s, ',')", f"string_agg(s, ',' {ORDER})"),
}

#: Aggregates that DuckDB supports in a window frame and that do not depend on order.
FRAMED = ("n", "group_least", "group_greatest", "ids", "known", "total", "mean", "least", "latest")


def duck(names: tuple[str, ...], over: str = "") -> str:
    """Return the SELECT list of DuckDB's aggregates."""
    return ", ".join(f"{AGGREGATES[name].duck} {over} AS {name}" for name in names)


def differ(names: tuple[str, ...], left: str, right: str) -> str:
    """Return a condition that is true if two rows have different values."""
    return " OR ".join(_differ(name, f"{left}.{name}", f"{right}.{name}") for name in names)


def _differ(name: str, one: str, other: str) -> str:
    within = AGGREGATES[name].within
    if not within:
        return f"{one} IS DISTINCT FROM {other}"
    apart = f"abs({one}::double - {other}::double) > {within} * (1 + abs({other}::double))"
    return f"({one} IS NULL) <> ({other} IS NULL) OR {apart}"
