"""The alerts for a query, as Prometheus rules; the runbook has a section for each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import Template

from windrow._command._gauges import Query

#: Windows over which alerts look back are at least this long, in seconds.
_SHORTEST = 600
#: A query makes no progress after so many times the longest accepted micro-batch.
_MISSED = 10
#: Counts are compared over so many times the longest accepted micro-batch, because a shorter window
#: often contains no end of a micro-batch.
_COMPARED = 3


@dataclass(frozen=True)
class Alert:
    """An alert.

    Attributes:
        name: Its name in Prometheus.
        section: The anchor of its section in the runbook.
        when: The expression; ``${read}`` is the gauge ``read`` of the query, ``${interval}`` the
            longest accepted micro-batch in milliseconds, ``${window}`` a window that contains
            several micro-batches, and ``${quiet}`` a longer one.
        hold: How long the expression has to hold.
        severity: ``critical`` (act at once), ``warning`` (the same day), or ``info`` (the same
            week).
        summary: The problem, for a message; the name of the query follows.

    """

    name: str
    section: str
    when: str
    hold: str
    severity: str
    summary: str

    @property
    def gauges(self) -> set[str]:
        """The gauges in its expression."""
        return set(Template(self.when).get_identifiers()) - {"interval", "quiet", "window"}


def _query(values: str) -> str:
    """Return an expression without the labels of the driver, which change with a restart."""
    return f"max without (instance, pod) ({values})"


_AGE = f"time() - {_query('${watermark_ms} > 0')} / 1000"


def _grown(*gauges: str) -> str:
    """Return an expression for gauges that have grown since a week ago.

    A gauge is 0 between the start of a query and its first micro-batch, which is not compared.
    """
    return "\nor ".join(
        f"{_query(f'${{{gauge}}}')} > 1.5 * {_query(f'${{{gauge}}} offset 1w > 0')}"
        for gauge in gauges
    )


def _some(*counts: str) -> str:
    """Return an expression for counts that have grown, or whose first value is not 0.

    ``increase`` ignores the first value of a metric. Prometheus sees no 0 before it if the first
    micro-batch ends before Prometheus first reads the metrics of a run.
    """
    grown = (f"increase(${{{count}}}[10m]) > 0" for count in counts)
    first = (f"(${{{count}}} > 0 unless ${{{count}}} offset 10m)" for count in counts)
    return "\nor ".join((*grown, *first))


ALERTS = (
    Alert(
        "WindrowQueryMissing",
        "the-query-does-not-run",
        "absent(${batch})",
        "2m",
        "critical",
        "The query does not run",
    ),
    Alert(
        "WindrowNoProgress",
        "the-query-makes-no-progress",
        f"{_query('changes(${batch}[${quiet}])')} == 0\nand {_query('${batch} offset ${quiet}')}",
        "5m",
        "critical",
        "The query makes no progress",
    ),
    Alert(
        "WindrowWatermarkBehind",
        "the-watermark-is-behind",
        f"{_AGE}\n> 5 * clamp_min(quantile_over_time(0.5, ({_AGE})[1d:5m]), 1)",
        "10m",
        "critical",
        "The watermark is more than 5 times as far behind as usual",
    ),
    Alert(
        "WindrowWatermarkInFuture",
        "the-watermark-is-in-the-future",
        "${watermark_ms} / 1000 > time() + 3600",
        "1m",
        "critical",
        "The watermark is more than an hour in the future",
    ),
    Alert(
        "WindrowRowsRejected",
        "rows-are-rejected",
        "increase(${rejected}[${window}]) > 0.01 * increase(${read}[${window}])",
        "5m",
        "warning",
        "More than 1 % of the rows are rejected",
    ),
    Alert(
        "WindrowUnusableRows",
        "rows-are-rejected",
        _some("invalid_time", "too_far_ahead"),
        "0m",
        "warning",
        "Rows have no usable event time, or one in the future",
    ),
    Alert(
        "WindrowRowsOutOfRetention",
        "rows-are-rejected",
        _some("out_of_retention"),
        "0m",
        "warning",
        "Rows are older than the query retains",
    ),
    Alert(
        "WindrowBatchesSlow",
        "micro-batches-are-slow",
        "${batch_ms} > ${interval}",
        "10m",
        "warning",
        "Micro-batches take longer than the interval of the trigger",
    ),
    Alert(
        "WindrowStateGrows",
        "state-grows",
        _grown("state_bytes", "state_file_bytes", "state_rows", "open_windows"),
        "1h",
        "info",
        "The state is 50 % larger than a week ago",
    ),
)


def rules(queries: list[Query], interval: int, runbook: str) -> str:
    """Return a file of rules for Prometheus, with a group for each query.

    Args:
        queries: The queries.
        interval: The longest accepted micro-batch in microseconds.
        runbook: The address of the runbook, to which the anchors of sections are added.

    """
    values = {
        "interval": str(interval // 1000),
        "quiet": _window(_MISSED * interval),
        "window": _window(_COMPARED * interval),
    }
    lines = ["# Written by the command `windrow dashboards`.", "groups:"]
    for query in queries:
        lines += [f"  - name: {_text(f'windrow {query.namespace} {query.name}')}", "    rules:"]
        for alert in ALERTS:
            lines += _rule(alert, query, values, f"{runbook}#{alert.section}")
    return "\n".join(lines) + "\n"


def _window(micros: int) -> str:
    return f"{max(_SHORTEST, micros // 1_000_000)}s"


def _rule(alert: Alert, query: Query, values: Mapping[str, str], link: str) -> Iterator[str]:
    named = {gauge: query.gauge(gauge) for gauge in alert.gauges}
    yield f"      - alert: {alert.name}"
    yield "        expr: |-"
    when = Template(alert.when).substitute(named, **values)
    yield from (f"          {line}" for line in when.splitlines())
    yield f"        for: {alert.hold}"
    labels = {"severity": alert.severity, "namespace": query.namespace, "query": query.name}
    notes = {"summary": f"{alert.summary}: {query.name}", "runbook_url": link}
    for title, fields in (("labels", labels), ("annotations", notes)):
        yield f"        {title}:"
        yield from (f"          {name}: {_text(value)}" for name, value in fields.items())


def _text(value: str) -> str:
    """Return a string of YAML, which is the same in JSON."""
    return json.dumps(value)
