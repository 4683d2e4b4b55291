"""The board and the alert rules name metrics that exist, and the runbook explains each alert."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Any

import promql_parser
import pytest
import yaml

from docs.test_reference import REFERENCE, column
from page_parts import cells
from programs import ROOT, printed
from windrow._command import main
from windrow._command._alerts import ALERTS
from windrow._command._board import PANELS
from windrow._command._dashboards import BOARD, RULES

NAMESPACE, QUERY, JOIN = "shop.eu", "a.b minutes", "pairs"
PLAIN = {"namespace": "shop_eu", "query": "a_b_minutes"}
RUNBOOK = ROOT / "docs" / "runbook.md"
_VALUE = re.compile(r'(metrics_\w+_Value)\{type="gauges"\} (\S+)')
_NAME = re.compile(r"metrics_[\w.+]+_Value")


def written(folder: Path, *more: str) -> tuple[Any, Any]:
    """Return the board and the rules for a query."""
    known = ["--namespace", NAMESPACE, "--query", QUERY]
    assert main(["dashboards", *known, "--out", str(folder), *more]) == 0
    rules = yaml.safe_load((folder / RULES).read_text(encoding="utf-8"))
    return json.loads((folder / BOARD).read_text(encoding="utf-8")), rules


def lines(board: Any, query: str = PLAIN["query"]) -> Iterator[str]:
    """Yield the expressions of a board, as Grafana sends them for a query."""
    for panel in board["panels"]:
        for target in panel["targets"]:
            text = target["expr"].replace("[$__rate_interval]", "[5m]")
            yield Template(text.replace('"$1"', '"$$1"')).substitute(PLAIN, query=query)


def alerts(rules: Any) -> list[Any]:
    """Return the rules of all groups."""
    return [rule for group in rules["groups"] for rule in group["rules"]]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """Return the gauges of Windrow that Spark's servlet shows for an aggregate and a join."""
    said = printed("prometheus.py", str(tmp_path_factory.mktemp("page")), NAMESPACE)
    values = [found for line in said if (found := _VALUE.fullmatch(line))]
    return {found[1]: float(found[2]) for found in values if "_driver_windrow_" in found[1]}


@pytest.mark.full
@pytest.mark.spark
def test_each_metric_exists(shown: dict[str, float], tmp_path: Path) -> None:
    """Spark shows each metric of the board and of the rules, and the board shows each gauge."""
    board, rules = written(tmp_path)
    whole = "metrics_shop_eu_driver_windrow_{}_{}_Value"
    exprs = [*lines(board), *(rule["expr"] for rule in alerts(rules))]
    named = {name for text in exprs for name in _NAME.findall(text)}
    inputs = {name for name in named if "_input_.+" in name}
    assert inputs == {whole.format("a_b_minutes", "input_.+_watermark_ms")}
    assert named - inputs - shown.keys() == set()
    own = {name for name in shown if name.startswith(whole.format("a_b_minutes", "")[:-7])}
    assert named - inputs == own
    assert shown[whole.format("a_b_minutes", "read")] == 2
    assert shown[whole.format("a_b_minutes", "open_windows")] == 2


@pytest.mark.full
@pytest.mark.spark
def test_inputs_of_a_join(shown: dict[str, float], tmp_path: Path) -> None:
    """Each input of a join has a gauge: its watermark, or 0 before its first row (R87)."""
    board, _ = written(tmp_path)
    (pattern,) = {
        name for text in lines(board, JOIN) for name in _NAME.findall(text) if ".+" in name
    }
    found = {name: value for name, value in shown.items() if re.fullmatch(pattern, name)}
    assert sorted(found.items()) == [
        (pattern.replace(".+", "a"), 1735722000000.0),
        (pattern.replace(".+", "b_b"), 0.0),
    ]


@pytest.mark.slow
@pytest.mark.spark
def test_lists_of_the_board(shown: dict[str, float], tmp_path: Path) -> None:
    """The lists of the board find the namespace and the queries in the names of the metrics."""
    board, _ = written(tmp_path)
    variables = {one["name"]: one for one in board["templating"]["list"]}
    assert list(variables) == ["datasource", "namespace", "query"]
    for name, found in (("namespace", {"shop_eu"}), ("query", {"a_b_minutes", "pairs"})):
        text = Template(variables[name]["query"]["query"]).substitute(PLAIN)
        (selected,) = re.findall(r'=~"(.+)"', text)
        names = [metric for metric in shown if re.fullmatch(selected, metric)]
        taken = re.compile(variables[name]["regex"].strip("/"))
        assert {match[1] for metric in names if (match := taken.search(metric))} == found
        assert variables[name]["current"]["value"] == PLAIN[name]


def test_expressions_parse(tmp_path: Path) -> None:
    """Prometheus's grammar accepts each expression; a wrong one is refused."""
    board, rules = written(tmp_path)
    for text in [*lines(board), *(rule["expr"] for rule in alerts(rules))]:
        promql_parser.parse(text)
    with pytest.raises(ValueError, match="inside brackets"):
        promql_parser.parse("rate(metrics_read_Value[10m)")


def test_rules_are_complete(tmp_path: Path) -> None:
    """Each query has a group with all alerts; their labels, links, and thresholds are set."""
    more = ("--query", "hours", "--interval", "2 minutes", "--runbook", "https://a.example/r.html")
    _, rules = written(tmp_path, *more, "--query", "a_b minutes")
    groups = {group["name"]: group["rules"] for group in rules["groups"]}
    # two names of the same metrics are one query
    assert list(groups) == ["windrow shop.eu a_b minutes", "windrow shop.eu hours"]
    anchors = sections()
    for group in groups.values():
        assert [rule["alert"] for rule in group] == [alert.name for alert in ALERTS]
        for rule in group:
            assert rule.keys() == {"alert", "expr", "for", "labels", "annotations"}
            assert re.fullmatch(r"\d+[smh]", rule["for"])
            assert rule["labels"]["severity"] in {"critical", "warning", "info"}
            page, _, anchor = rule["annotations"]["runbook_url"].partition("#")
            assert (page, anchor in anchors) == ("https://a.example/r.html", True)
            assert rule["labels"]["query"] in rule["annotations"]["summary"]
    exprs = {rule["alert"]: rule["expr"] for rule in groups["windrow shop.eu hours"]}
    assert exprs["WindrowBatchesSlow"].endswith(" > 120000")
    assert "[1200s]" in exprs["WindrowNoProgress"]
    assert exprs["WindrowRowsRejected"].count("[600s]") == 2  # 3 intervals are less than 10 minutes


def test_panels_fit(tmp_path: Path) -> None:
    """Panels have their own numbers and places, and link to sections of the runbook."""
    board, _ = written(tmp_path)
    panels = board["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels) == len(PANELS)
    places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}
    assert len(places) == len(panels)
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in panels)
    assert {panel.section for panel in PANELS} - sections() == {""}


# The pages


def sections() -> set[str]:
    """Return the anchors of the runbook."""
    titles = re.findall(r"^## (.+)$", RUNBOOK.read_text(encoding="utf-8"), re.MULTILINE)
    return {title.lower().replace(" ", "-") for title in titles}


def of_runbook() -> list[tuple[set[str], str, set[str]]]:
    """Return names, section, and gauges of each row of the runbook's table of alerts."""
    text = RUNBOOK.read_text(encoding="utf-8").partition("\n## Alerts\n")[2].partition("\n## ")[0]
    (table,) = re.findall(r"(?:^\|[^\n]*\n)+", text, re.MULTILINE)
    _, rows = cells(table)
    gauges = {gauge for alert in ALERTS for gauge in alert.gauges} | published()
    found = []
    for alert, name, condition, _ in rows:
        (section,) = re.findall(r"\(#([\w-]+)\)", alert)
        named = set(re.findall(r"`(\w+)`", condition)) & gauges
        found.append((set(re.findall(r"`(\w+)`", name)), section, named))
    return found


def published() -> set[str]:
    """Return the gauges of the reference."""
    page = (REFERENCE / "metrics.md").read_text(encoding="utf-8")
    return set(column(page, "gauge"))


def test_the_runbook_has_each_alert() -> None:
    """Each alert is a row of the runbook, with its section and its gauges, and none is missing."""
    rows = of_runbook()
    known = {alert.name: alert for alert in ALERTS}
    assert sorted(name for names, _, _ in rows for name in names) == sorted(known)
    for names, section, gauges in rows:
        assert {known[name].section for name in names} <= {section}
        in_rules = {gauge for name in names for gauge in known[name].gauges}
        assert gauges == in_rules, section
    without = {section for names, section, _ in rows if not names}
    assert without == {"duplicates-without-a-reason", "dead-letters"}


def test_a_gauge_with_steps_has_an_alert() -> None:
    """A section of the runbook to which a gauge of the reference leads has a rule."""
    page = (REFERENCE / "metrics.md").read_text(encoding="utf-8")
    steps: set[str] = set()
    for table in re.findall(r"(?:^\|[^\n]*\n)+", page, re.MULTILINE):
        head, rows = cells(table)
        if "gauge" in head:
            acts = [
                row[head.index("when to act")] for row in rows if "`" in row[head.index("gauge")]
            ]
            steps |= {name for act in acts for name in re.findall(r"runbook\.md#([\w-]+)", act)}
    assert steps - {alert.section for alert in ALERTS} == {"duplicates-without-a-reason"}
    assert len(steps) > 4


def test_the_reference_shows_the_rules() -> None:
    """The page of alerts has the expression, duration, and severity of each rule."""
    text = (REFERENCE / "alerts.md").read_text(encoding="utf-8")
    (table,) = [t for t in re.findall(r"(?:^\|[^\n]*\n)+", text, re.MULTILINE) if "severity" in t]
    _, rows = cells(table)
    values = {"interval": "INTERVAL", "quiet": "10m", "window": "10m"}
    for row, alert in zip(rows, ALERTS, strict=True):
        named = Template(alert.when).substitute({gauge: gauge for gauge in alert.gauges}, **values)
        link = f"[`{alert.name}`](../runbook.md#{alert.section})"
        assert row == [link, f"`{' '.join(named.split())}`", alert.hold, alert.severity]


# The rules in Prometheus itself

#: A query without a problem, as increments or values of each minute; promtool begins at 1970.
HEALTHY = {
    "batch": "0+6x120",
    "read": "0+1000x120",
    "rejected": "0+5x120",
    "invalid_time": "0x120",
    "too_far_ahead": "0x120",
    "out_of_retention": "0x120",
    "batch_ms": "5000x120",
    "watermark_ms": "-60000+60000x120",
    "state_bytes": "100x120",
}
#: Other values, the minute, and the alert that fires then.
TROUBLES: tuple[tuple[Mapping[str, str], int, str], ...] = (
    ({}, 60, ""),
    (dict.fromkeys(HEALTHY, ""), 3, "WindrowQueryMissing"),
    ({"batch": "0+6x20 120x100"}, 45, "WindrowNoProgress"),
    ({"watermark_ms": "-60000+60000x60 3540000x60"}, 80, "WindrowWatermarkBehind"),
    ({"watermark_ms": "9000000000+60000x120"}, 30, "WindrowWatermarkInFuture"),
    ({"rejected": "0+50x120"}, 30, "WindrowRowsRejected"),
    ({"invalid_time": "0x20 5x100"}, 25, "WindrowUnusableRows"),
    ({"out_of_retention": "0x20 1x100"}, 25, "WindrowRowsOutOfRetention"),
    # the first value of a count is not 0
    ({"invalid_time": "_x20 10000x100"}, 25, "WindrowUnusableRows"),
    ({"out_of_retention": "_x20 1x100"}, 25, "WindrowRowsOutOfRetention"),
    # a query that was started while its source was idle
    (dict.fromkeys(HEALTHY, "_x50 0x70"), 55, ""),
    ({"batch_ms": "70000x120"}, 30, "WindrowBatchesSlow"),
    # a restart: the counts begin again
    ({"read": "0+1000x60 0+1000x60", "rejected": "0+5x60 0+5x60"}, 70, ""),
)
#: Half hours of a week.
WEEK = 7 * 24 * 2

promtool = pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool")


@promtool
def test_alerts_fire(tmp_path: Path) -> None:
    """Prometheus fires exactly the alert of each problem, and none for a healthy query."""
    written(tmp_path)
    promised(tmp_path, "1m", [case({**HEALTHY, **more}, at, name) for more, at, name in TROUBLES])


@promtool
def test_alerts_of_long_batches(tmp_path: Path) -> None:
    """Rejected rows are found although each micro-batch takes an hour."""
    written(tmp_path, "--interval", "1 hour")

    def hourly(rows: int) -> str:
        return " ".join(f"{rows * hour}x59" for hour in range(9))

    batches = {"batch": hourly(1), "read": hourly(1000), "batch_ms": "3500000x540"}
    healthy = {"rejected": hourly(5), "invalid_time": "0x540", "too_far_ahead": "0x540"}
    promised(
        tmp_path,
        "1m",
        [
            case({**batches, **healthy, **other}, 470, name)
            for other, name in (({}, ""), ({"rejected": hourly(50)}, "WindrowRowsRejected"))
        ],
    )


@promtool
@pytest.mark.parametrize("instance", ["a", "b"])
def test_alerts_of_a_week(tmp_path: Path, instance: str) -> None:
    """A query is compared with a week ago, also if it has another address since a restart."""
    written(tmp_path)
    minute, name = 30 * WEEK + 150, "WindrowStateGrows"
    test = case({"open_windows": f"_x{WEEK} 160x40"}, minute, name, instance)
    before = case({"open_windows": f"100x{WEEK}"}, minute, name, "a")
    if instance == "a":
        test = case({"open_windows": f"100x{WEEK} 160x40"}, minute, name, "a")
    else:
        test["input_series"] += before["input_series"]
    test["alert_rule_test"] = [one for one in test["alert_rule_test"] if one["exp_alerts"]]
    promised(tmp_path, "30m", [test])


@promtool
def test_a_restart_elsewhere(tmp_path: Path) -> None:
    """A watermark that stands still after a restart at another address is behind.

    It is compared with the values at the earlier address.
    """
    written(tmp_path)
    test = case({"watermark_ms": "_x101 6000000x60"}, 150, "WindrowWatermarkBehind", "b")
    ended = case({"watermark_ms": "-60000+60000x100"}, 150, "", "a")
    test["input_series"] += ended["input_series"]
    test["alert_rule_test"] = [one for one in test["alert_rule_test"] if one["exp_alerts"]]
    promised(tmp_path, "1m", [test])


def promised(folder: Path, every: str, cases: list[dict[str, Any]]) -> None:
    """Run promtool on the rules of a folder."""
    tests = [{**case, "interval": every} for case in cases]
    file = {"rule_files": [RULES], "evaluation_interval": every, "tests": tests}
    (folder / "tests.yaml").write_text(json.dumps(file))
    for arguments in (["check", "rules", RULES], ["test", "rules", "tests.yaml"]):
        ran = subprocess.run(
            ["promtool", *arguments],  # noqa: S607
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


def case(values: Mapping[str, str], minute: int, fires: str, instance: str = "") -> dict[str, Any]:
    """Return a test of promtool: exactly one alert, or none, fires at a minute."""
    metric = "metrics_shop_eu_driver_windrow_a_b_minutes_{}_Value"
    label = f'{{instance="{instance}"}}' if instance else ""
    series = [
        {"series": metric.format(name) + label, "values": value}
        for name, value in values.items()
        if value
    ]
    known = {alert.name: alert for alert in ALERTS}
    return {
        "input_series": series,
        "alert_rule_test": [
            {
                "eval_time": f"{minute}m",
                "alertname": name,
                "exp_alerts": [expected(known[name])] if name == fires else [],
            }
            for name in known
        ],
    }


def expected(alert: Any) -> dict[str, Any]:
    """Return the labels and annotations of an alert that fires."""
    return {
        "exp_labels": {"severity": alert.severity, "namespace": NAMESPACE, "query": QUERY},
        "exp_annotations": {
            "summary": f"{alert.summary}: {QUERY}",
            "runbook_url": f"docs/runbook.md#{alert.section}",
        },
    }


def test_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing or unusable argument is reported, and nothing is written."""
    known = ["dashboards", "--out", str(tmp_path / "out"), "--namespace", "shop"]
    for more, said in (
        ([], "the following arguments are required: --query"),
        (["--query", "-"], "--query: '-' has no letter or digit"),
        (["--query", "q", "--interval", "3"], "--interval: '3' has no unit. Pass '3 seconds'."),
        (["--query", "q", "--interval", "0 seconds"], "'0 seconds' is not longer than 0 seconds"),
    ):
        with pytest.raises(SystemExit) as ended:
            main([*known, *more])
        assert ended.value.code == 2
        assert said in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out").exists()
    (tmp_path / "file").touch()
    assert main([*known[:1], "--out", str(tmp_path / "file"), *known[3:], "--query", "q"]) == 2
    assert "FileExistsError" in capsys.readouterr().err
