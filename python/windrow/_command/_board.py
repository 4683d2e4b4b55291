"""A Grafana board for Windrow's queries, whose lists choose the namespace and the query."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from windrow._command._gauges import INPUTS, metric

_SOURCE = {"type": "prometheus", "uid": "${datasource}"}
_WIDTH, _HEIGHT, _COLUMNS = 8, 8, 3
#: A gauge that every query has, so that its names give the lists of namespaces and queries.
_ANCHOR = "batch_ms"

_RATE = "rate(${%s}[$__rate_interval])"
#: The watermarks of inputs with the name of the input as a label, because operators drop the name.
_EACH = (
    r'label_replace({__name__=~"${inputs}"}, "input", "$1", "__name__",'
    r' ".*_input_(.+)_watermark_ms_Value")'
)
_HELD = (
    f"bottomk(1, {_EACH}) and on (input) changes({_EACH}[10m:1m]) == 0"
    f" and on () max(changes({_EACH}[10m:1m])) > 0"
    " and on () max(changes(${watermark_ms}[10m])) == 0"
)


@dataclass(frozen=True)
class Panel:
    """A panel.

    Attributes:
        title: Its title.
        unit: The unit of its values, by Grafana's name.
        lines: Expressions by their legend; ``${read}`` is the gauge ``read``.
        text: How to read it.
        section: The anchor of a section of the runbook, or "".
        kind: Grafana's kind of panel.
        options: Options of that kind.

    """

    title: str
    unit: str
    lines: Mapping[str, str]
    text: str
    section: str = ""
    kind: str = "timeseries"
    options: Mapping[str, Any] = field(default_factory=dict)


def _rates(*gauges: str) -> dict[str, str]:
    return {gauge: _RATE % gauge for gauge in gauges}


PANELS = (
    Panel(
        "Rows",
        "rowsps",
        _rates("read", "accepted", "rejected"),
        "Rows that Spark read, that are in a window, and that no window accepted.",
        "the-query-makes-no-progress",
    ),
    Panel(
        "Panes by timing",
        "cps",
        _rates("early", "on_time", "late", "withdrawn"),
        "Panes before, at, and after the completion of their window, and retractions.",
        "the-watermark-is-behind",
    ),
    Panel(
        "Rejected rows by reason",
        "rowsps",
        _rates("invalid_time", "too_far_ahead", "too_late", "out_of_retention"),
        "The rows themselves are in the output `rejected`.",
        "rows-are-rejected",
    ),
    Panel(
        "Watermark behind the clock",
        "s",
        {"watermark": "time() - (${watermark_ms} > 0) / 1000"},
        "It grows while no newer rows arrive.",
        "the-watermark-is-behind",
    ),
    Panel(
        "Watermark behind the clock, by input",
        "s",
        {"{{input}}": f"time() - ({_EACH} > 0) / 1000"},
        "The inputs of a join or a co-group. An input without rows has no line.",
        "the-watermark-is-behind",
    ),
    Panel(
        "Input that holds the watermark back",
        "none",
        {"{{input}}": _HELD},
        "An input that has not moved its watermark for 10 minutes, while another has moved its own "
        "and the watermark of the query has not moved.",
        "the-watermark-is-behind",
        "stat",
        {"textMode": "name", "colorMode": "none", "graphMode": "none"},
    ),
    Panel(
        "Lateness",
        "percentunit",
        {
            "corrections among panes": f"{_RATE % 'late'} / {_RATE % 'panes'}",
            "too late among rows": f"{_RATE % 'too_late'} / {_RATE % 'read'}",
        },
        "`wr.advise` shows which lateness would have included how many rows.",
        "rows-are-rejected",
    ),
    Panel(
        "Watermark behind the newest row",
        "ms",
        {"behind": "${behind_ms}"},
        "Usually the delay of the watermark.",
        "the-watermark-is-behind",
    ),
    Panel(
        "Open windows",
        "short",
        {"open": "${open_windows}"},
        "Windows that have rows and accept more. Some kinds of windows are not counted.",
        "state-grows",
    ),
    Panel(
        "State",
        "bytes",
        {"memory": "${state_bytes}", "files": "${state_file_bytes}"},
        "Memory that RocksDB uses, and the size of its files.",
        "state-grows",
    ),
    Panel(
        "Rows in the state",
        "short",
        {"rows": "${state_rows}"},
        "0 unless Spark counts them (`rocksdb.trackTotalNumberOfRows`).",
        "state-grows",
    ),
    Panel(
        "Duration of a micro-batch",
        "ms",
        {"micro-batch": "${batch_ms}", "shards, all tasks": "${shards_ms}"},
        "Compare it with the interval of the trigger.",
        "micro-batches-are-slow",
    ),
    Panel(
        "Micro-batches",
        "cps",
        _rates("batch"),
        "0 while the source has rows means that the query makes no progress.",
        "the-query-makes-no-progress",
    ),
    Panel(
        "Output",
        "rowsps",
        _rates("panes", "rows"),
        "Emitted panes, and emitted rows of joins and deduplications.",
    ),
    Panel(
        "Duplicates and gaps",
        "rowsps",
        _rates("duplicates", "gaps", "replaced"),
        "Rows that were processed before, rows between two windows, and accepted rows that "
        '`dedup(keep="last")` replaced later.',
        "duplicates-without-a-reason",
    ),
)


def _expression(text: str) -> str:
    """Replace gauges by their metrics; the variables of Grafana in them remain."""

    def named(found: re.Match[str]) -> str:
        gauge = INPUTS if found[1] == "inputs" else found[1]
        return metric("${namespace}", "${query}", gauge)

    return re.sub(r"\$\{(\w+)\}", named, text)


def board(namespace: str, query: str, runbook: str) -> dict[str, Any]:
    """Return the board, with the query that it shows first."""
    return {
        "title": "Windrow",
        "uid": "windrow",
        "tags": ["spark", "windrow"],
        "timezone": "browser",
        "schemaVersion": 39,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": _variables(namespace, query)},
        "panels": [_panel(at, panel, runbook) for at, panel in enumerate(PANELS)],
    }


def _variables(namespace: str, query: str) -> Sequence[Mapping[str, Any]]:
    known = {
        "namespace": (metric(".+", ".+", _ANCHOR), "metrics_(.+)_driver_windrow_.+", namespace),
        "query": (metric("${namespace}", ".+", _ANCHOR), ".+_driver_windrow_(.+)", query),
    }
    lists = [
        {
            "name": name,
            "label": name,
            "type": "query",
            "datasource": _SOURCE,
            "query": {
                "query": f'label_values({{__name__=~"{names}"}}, __name__)',
                "refId": name,
            },
            "regex": f"/^{found}_{_ANCHOR}_Value$/",
            "refresh": 2,  # each time the range of time changes
            "sort": 1,
            "current": {"text": first, "value": first},
        }
        for name, (names, found, first) in known.items()
    ]
    source = {
        "name": "datasource",
        "label": "data source",
        "type": "datasource",
        "query": "prometheus",
    }
    return [source, *lists]


def _panel(at: int, panel: Panel, runbook: str) -> Mapping[str, Any]:
    link = f" [Runbook]({runbook}#{panel.section})" if panel.section else ""
    targets = [
        {
            "refId": chr(ord("A") + number),
            "datasource": _SOURCE,
            "expr": _expression(text),
            "legendFormat": legend,
        }
        for number, (legend, text) in enumerate(panel.lines.items())
    ]
    place = {
        "x": _WIDTH * (at % _COLUMNS),
        "y": _HEIGHT * (at // _COLUMNS),
        "w": _WIDTH,
        "h": _HEIGHT,
    }
    return {
        "id": at + 1,
        "title": panel.title,
        "description": panel.text + link,
        "type": panel.kind,
        "datasource": _SOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": {"unit": panel.unit}, "overrides": []},
        "options": dict(panel.options),
        "targets": targets,
    }
