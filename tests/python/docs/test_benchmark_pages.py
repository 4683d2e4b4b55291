"""The speeds in the texts equal those of the last published run."""

from __future__ import annotations

import json
import re
from typing import Any

import bench_report
import figures
import ratios
from programs import ROOT

_PAGE = ROOT / "docs/benchmarks.md"
_LOG = ROOT / "docs/project/measurement-log.md"
_PEERS = ("spark", "flink-heap")
_NONE = "\u2013"
_NOT_FOR_USERS = ("reliability", "mutants")


def marks() -> dict[tuple[str, str], bench_report.Verdict]:
    """Return the ratios of a workload to a peer in the published run, with their mark."""
    found = bench_report.verdicts(bench_report.read(figures.RUN))
    return {(one.workload, one.mark.to): one for one in found if one.what.startswith("windrow to ")}


def shown_median(name: str, peer: str, word: str) -> str:
    """Return the median ratio of a workload as pages show it."""
    return bench_report.spread(marks()[name, peer].values[word]).split()[0]


def test_figures_equal_the_data() -> None:
    """Every marked figure is that of the data (``scripts/figures``)."""
    assert figures.different() == {}


def test_the_table_is_filled() -> None:
    """It has the workloads that ran on several days, and their last run is in the data.

    Every workload of the data has a description, so that it can enter the table on its third day.
    """
    assert set(figures.read()) <= set(figures._ROWS)
    rows = re.findall(r"^\| `([\w-]+)` \|", _PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    data = figures.read()
    often = {name for name in data if figures.days(data, name) >= figures.DAYS}
    assert set(rows) == often
    assert len(rows) > 5
    last: figures.Data = {}
    figures.add(last, json.loads(figures.RUN.read_text(encoding="utf-8"))["results"])
    assert [name for name, (run,) in last.items() if run not in data[name]] == []


def test_pages_have_no_other_figure() -> None:
    """A page for users has no ratio or cost except in a marked place."""
    cost = r"[\d.]+ (?:\u00b5s|microseconds? (?:of|for)\b)"
    unmarked = re.compile(rf"\d\.\d+ (?:to \d\.\d+ )?times|\d\u00d7 |{cost}")
    found = {}
    for path in figures.pages():
        if path.parent.name in ("project", "decisions") or path.stem in _NOT_FOR_USERS:
            continue
        text = re.sub(r"<!-- figure .*?<!-- end -->", "", path.read_text(encoding="utf-8"))
        if shown := unmarked.findall(text):
            found[str(path.relative_to(ROOT))] = shown
    assert found == {}


def test_the_picture_shows_the_table() -> None:
    """It has a bar for each warm range, within the axis."""
    text = _PAGE.read_text(encoding="utf-8")
    found = ratios.bars(text)
    rows = re.findall(r"^\| `.*\|$", text, re.MULTILINE)
    assert len(rows) < len(found) <= 2 * len(rows)
    assert all(0.05 <= bar.least <= bar.greatest <= 5 for bar in found)
    assert "tumbling, 60 s, 1,000 keys, to Spark: 0." in ratios.ratios().svg


def test_no_figure_is_missing() -> None:
    """Each marked place shows workloads of which at least one ran on several days."""
    shown = {path.name: path.read_text(encoding="utf-8") for path in figures.pages()}
    assert [name for name, text in shown.items() if f" -->{_NONE}<!-- end" in text] == []


def _made(windrow: float, date: str = "2026-11-26", heap: str = figures._HEAP) -> dict[str, Any]:
    runs = [
        {"contender": name, "pass": "warm", "repeat": repeat, "measured": {"cpu": cost}}
        for name, cost in (("windrow", windrow), ("spark", 2.0))
        for repeat in (1, 2)
    ]
    return {"workload": "tumble-1k", "made": f"windrow ab12, 2 cores, {heap}, {date}", "runs": runs}


def test_a_range_spans_all_days() -> None:
    """It reaches from the least to the greatest ratio, once for each run that can be compared.

    Workloads that ran on two days are not shown.
    """
    data: figures.Data = {}
    other = _made(9.0, heap="heap 1 of 2 MB at the start")
    days = [_made(1.0), _made(1.0), _made(3.0, "2026-11-25"), _made(2.0, "2026-11-24")]
    few = [{**_made(8.0, f"2026-11-2{day}"), "workload": "tumble-1m"} for day in (1, 2)]
    figures.add(data, [*days, other, *few])
    text = "<!-- figure all spark warm -->?<!-- end --> <!-- figure dates -->?<!-- end -->"
    table = "<!-- figures -->\n\n| old |\n"
    made = figures.written(f"{text}\n{table}", data)
    assert "-->0.50 to 1.50<!--" in made
    assert "-->24, 25 and 26 November 2026<!--" in made
    none = " | ".join([_NONE] * 3)
    assert made.endswith(
        f"|\n| `tumble-1k` | tumbling, 60 s | 1,000 | 0.50 to 1.50 | {none} | 3 |\n"
    )


def test_the_ratios_of_the_log() -> None:
    """They are the warm medians."""
    lines = _LOG.read_text(encoding="utf-8").splitlines()
    for peer, start in zip(_PEERS, ("| Spark |", "| Flink |"), strict=True):
        (line,) = (line for line in lines if line.startswith(start))
        shown = re.findall(r"`([\w-]+)` (\d\.\d\d)", line)
        assert len(shown) > 2
        assert shown == [(name, shown_median(name, peer, "warm")) for name, _ in shown]


def test_which_marks_are_met() -> None:
    """By the medians: warm, and those that are met in a fresh JVM as well."""
    lines = _LOG.read_text(encoding="utf-8").splitlines()
    for start, words in (("| warm |", ("warm",)), ("| warm and fresh |", ("warm", "fresh"))):
        (line,) = (line for line in lines if line.startswith(start))
        for peer, cell in zip(_PEERS, line.strip("|").split("|")[1:], strict=True):
            met = [
                name
                for (name, of), one in marks().items()
                if of == peer
                and all(float(shown_median(name, of, word)) <= one.mark.most for word in words)
            ]
            assert met
            assert re.findall(r"`([^`]+)`", cell) == met, (start, peer)


def _result(name: str, **figures_of: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a result. The figures of a contender are by pass, in the order of the repeats."""
    runs = [
        {
            "contender": contender.replace("_", "-"),
            "pass": word,
            "repeat": repeat,
            "measured": {
                "cpu": cpu,
                "digest": {"rows": rows},
                "perSecond": 9,
                "stateBytes": -1,
                "residentMegabytes": 5,
                "slowestBatch": 7.0,
                "latency": None,
            },
        }
        for contender, passes in figures_of.items()
        for values in passes
        for word, found in values.items()
        for repeat, (cpu, rows) in enumerate(found, start=1)
    ]
    return {"workload": name, "made": "here", "events": 8, "batch": 2, "runs": runs, "error": None}


def _cpu(*values: float) -> list[tuple[float, int]]:
    return [(value, 1) for value in values]


def test_a_ratio_is_the_median_of_the_repeats() -> None:
    """Both passes are judged against Spark, and only the warm one against Flink."""
    result = _result(
        "tumble-1k",
        windrow=[{"fresh": _cpu(2, 9, 6), "warm": _cpu(1)}],
        spark=[{"fresh": _cpu(4, 10, 10), "warm": _cpu(10)}],
        flink_heap=[{"fresh": _cpu(1), "warm": _cpu(1)}],
    )
    spark, flink = bench_report.verdicts([result])
    assert (spark.what, flink.what) == ("windrow to spark", "windrow to flink-heap")
    assert bench_report.spread(spark.values["fresh"]) == "0.60 (0.50 to 0.90)"
    assert bench_report.spread(spark.values["warm"]) == "0.10"
    assert spark.met
    assert flink.met
    slower = _result("tumble-1k", windrow=[{"fresh": _cpu(7)}], spark=[{"fresh": _cpu(10)}])
    assert [one.met for one in bench_report.verdicts([slower])] == [False]


def test_a_repeat_that_one_contender_lacks_has_no_ratio() -> None:
    """The first repeat of one contender is not divided by the second of the other."""
    result = _result("tumble-1k", windrow=[{"warm": _cpu(8, 2)}], spark=[{"warm": _cpu(4, 4)}])
    result["runs"] = [run for run in result["runs"] if run["measured"]["cpu"] != 8]
    assert bench_report.ratios(result, "windrow", "spark", "warm") == [0.5]


def test_the_cost_of_a_further_pane() -> None:
    """It is the cost above that of the panes on time, divided by the number of further panes."""
    warm = {"windrow": [{"warm": [(2.0, 100)]}], "windrow_early": [{"warm": [(5.0, 200)]}]}
    (found,) = bench_report.verdicts([_result("panes-tumble-1k", **warm)])
    assert found.values["warm"] == [1.5]


def test_level_compares_a_family() -> None:
    """It is the greatest median of a family divided by the least."""
    sizes = {"slide-10": 2.0, "slide-100": 4.0, "slide-1000": 3.0}
    results = [_result(name, windrow=[{"warm": _cpu(cpu)}]) for name, cpu in sizes.items()]
    level = [one for one in bench_report.verdicts(results) if one.mark.figure == "level"]
    assert [one.values["warm"] for one in level] == [[2.0]] * 3
    assert not any(one.met for one in level)


def test_runs_are_compared_by_ratios() -> None:
    """The figures of two runs may be of different machines."""
    before, now = (
        [_result("tumble-1k", windrow=[{"warm": _cpu(own)}], spark=[{"warm": _cpu(10)}])]
        for own in (5, 2)
    )
    line = "| tumble-1k | windrow to spark | \u2013 | \u2013 | 0.50 | 0.20 | 0.60 |"
    assert bench_report.comparison(before, now).splitlines()[-1] == line


def test_an_unequal_result_is_reported() -> None:
    """Its figures are missing, and those of other workloads are shown."""
    wrong = {**_result("tumble-1k"), "error": "windrow gives 1, not 2\nmore"}
    right = _result("session-1k", windrow=[{"warm": _cpu(1)}])
    report = bench_report.report([wrong, right])
    assert "* `tumble-1k`: windrow gives 1, not 2\n" in report
    assert "* here: tumble-1k, session-1k" in report
    assert "| session-1k | windrow | 9 | 1 | \u2013 | 5 | 7 | \u2013 |" in report


def test_marks_are_of_known_workloads() -> None:
    """A mark whose workload was renamed would never be judged."""
    results = bench_report.read(figures.RUN)
    assert bench_report.MARKS.keys() <= {result["workload"] for result in results}
