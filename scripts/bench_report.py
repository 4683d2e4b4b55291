"""Format the results of ``scripts/bench`` as Markdown, for the terminal and for a page of the site.

``bench_report.py FILE [BEFORE]`` prints the results of a JSON file. With BEFORE, the file of an
earlier run, it prints the ratios of both runs, because nothing else can be compared between them.

A mark is a limit that the project wants to reach. Each line with a mark has the median, the least,
and the greatest value of the repeats.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

DATA = Path(__file__).resolve().parents[1] / "docs" / "project" / "benchmarks-run.json"
PASSES = ("fresh", "warm")
_NONE = "\u2013"

#: A result of a workload, as in the JSON file.
Result = Mapping[str, Any]


@dataclass(frozen=True)
class Mark:
    """The greatest allowed value of a figure: CPU, latency, or how level the CPU of a family is."""

    figure: str
    of: str
    to: str
    most: float
    passes: Sequence[str] = PASSES


def _to_spark(most: float) -> Mark:
    return Mark("ratio", "windrow", "spark", most)


def _to_flink(most: float) -> Mark:
    return Mark("ratio", "windrow", "flink-heap", most, passes=("warm",))


_DISORDER = (_to_spark(0.25), Mark("level", "windrow", "disorder", 1.5))
_SLIDE = (Mark("micros", "windrow", "", 3), Mark("level", "windrow", "slide", 1.5))
_PANES = tuple(
    Mark("further pane", of, "windrow", 1.5) for of in ("windrow-early", "windrow-retracting")
)
_SERIES = (Mark("micros", "windrow", "", 6, passes=("warm",)),)
_TOGETHER = (Mark("ratio", "windrow", "windrow-apart", 0.4, passes=("warm",)),)
_LATENCY = (Mark("latency", "windrow-early", "spark", 1),)

MARKS: Mapping[str, Sequence[Mark]] = {
    "tumble-1k": [_to_spark(0.6), _to_flink(1.3)],
    "tumble-100k": [_to_spark(0.15), _to_flink(1.0)],
    "tumble-1m": [_to_spark(0.15), _to_flink(1.0)],
    "hop-60-10-1k": [_to_spark(0.4), _to_flink(1.0)],
    "hop-60-1-1k": [_to_spark(0.08), _to_flink(0.15)],
    "hop-60-10-100k": [_to_spark(0.06), _to_flink(0.25)],
    "session-1k": [_to_spark(0.4), _to_flink(0.8)],
    "session-100k": [_to_spark(0.25), _to_flink(0.8)],
    "join-10k": [_to_spark(0.2), _to_flink(1.0)],
    "join-100": [_to_spark(0.2), _to_flink(1.0)],
    **dict.fromkeys(("disorder-0", "disorder-1", "disorder-10", "disorder-60"), _DISORDER),
    **dict.fromkeys(("slide-10", "slide-100", "slide-1000"), _SLIDE),
    "count-1000": [_to_flink(1.5)],
    "count-1000-100": [_to_flink(1.5)],
    "ranks-60": [_to_spark(0.5)],
    "ranks-600": [_to_spark(0.5)],
    "offsets": [Mark("ratio", "windrow-offsets", "windrow", 1.5)],
    "often-1k": [_to_spark(0.65)],
    "often-1m": [_to_spark(0.5)],
    "often-day": [_to_spark(0.5)],
    **dict.fromkeys(("panes-tumble-1k", "panes-tumble-100k", "panes-hop-100k"), _PANES),
    **dict.fromkeys(("dedup", "asof-10k", "asof-corrected-10k"), _SERIES),
    **dict.fromkeys(("match-1k", "match-100k", "match-earlier-1k"), _SERIES),
    **dict.fromkeys(("gaps-1k", "carried-1k", "states-1k", "previous-1k"), _SERIES),
    **dict.fromkeys(("session-ends-1k", "days-1k", "partitions-1k", "distinct-1k"), _SERIES),
    **dict.fromkeys(("join-three-10k", "nexmark-q19"), _SERIES),
    "five-windows-1k": _TOGETHER,
    "nexmark-q5": [_to_spark(1 / 3)],
    "nexmark-q7": [_to_spark(1 / 3)],
    **dict.fromkeys(("nexmark-q8", "nexmark-q11", "nexmark-q12"), (_to_spark(1),)),
    **dict.fromkeys(("latency-1000", "latency-10000"), _LATENCY),
    "from-python": [Mark("ratio", "windrow-python", "windrow", 1.02)],
}


@dataclass(frozen=True)
class Verdict:
    """A mark, and by pass the measured values, one for each repeat."""

    workload: str
    mark: Mark
    values: Mapping[str, Sequence[float]]

    @property
    def what(self) -> str:
        """The compared figures in words."""
        of, to = self.mark.of, self.mark.to
        return {
            "ratio": f"{of} to {to}",
            "latency": f"latency of {of} to {to}",
            "further pane": f"a further pane of {of} to one of {to}",
            "micros": f"{of}, \u00b5s",
            "level": f"{of}, dearest to cheapest",
        }[self.mark.figure]

    @property
    def met(self) -> bool:
        """Whether the medians of all judged passes are within the mark."""
        judged = (self.values[one] for one in self.mark.passes if self.values[one])
        return all(median(values) <= self.mark.most for values in judged)


def verdicts(results: Sequence[Result]) -> list[Verdict]:
    """Return the measured values of every mark."""
    return [
        Verdict(result["workload"], mark, values)
        for result in results
        if not result["error"]
        for mark in MARKS.get(result["workload"], ())
        if (values := {one: _judged(results, result, mark, one) for one in PASSES})
        and any(values[one] for one in mark.passes)
    ]


def _judged(results: Sequence[Result], result: Result, mark: Mark, word: str) -> list[float]:
    match mark.figure:
        case "micros":
            return _values(result, mark.of, word, "cpu")
        case "level":
            family = (one for one in results if one["workload"].startswith(f"{mark.to}-"))
            costs = [_values(one, mark.of, word, "cpu") for one in family]
            medians = [median(values) for values in costs if values]
            return [max(medians) / min(medians)] if len(medians) > 1 else []
        case "further pane":
            found = (ratios(result, mark.of, mark.to, word, of) for of in ("cpu", "rows"))
            both = zip(*found, strict=True)
            return [(cost - 1) / (rows - 1) for cost, rows in both]
        case "latency":
            return ratios(result, mark.of, mark.to, word, "latency")
        case _:
            return ratios(result, mark.of, mark.to, word)


def ratios(
    result: Result, contender: str, peer: str, word: str, figure: str = "cpu"
) -> list[float]:
    """Return a figure of a contender divided by that of its peer, for each repeat of both."""
    own, other = (_by_repeat(result, name, word, figure) for name in (contender, peer))
    return [own[repeat] / other[repeat] for repeat in sorted(own.keys() & other.keys())]


def _by_repeat(result: Result, contender: str, word: str, figure: str) -> dict[int, Any]:
    runs = (run for run in result["runs"] if (run["contender"], run["pass"]) == (contender, word))
    measured = {run["repeat"]: run["measured"] for run in runs}
    return {
        repeat: one["digest"]["rows"] if figure == "rows" else one[figure]
        for repeat, one in measured.items()
    }


def _values(result: Result, contender: str, word: str, figure: str) -> list[Any]:
    """Return a figure of a contender, one for each repeat."""
    return [value for _, value in sorted(_by_repeat(result, contender, word, figure).items())]


def spread(values: Sequence[float]) -> str:
    """Return the median, and the least and the greatest of several values."""
    if len(values) < 2:
        return f"{values[0]:.2f}" if values else _NONE
    return f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *lines))


def report(results: Sequence[Result]) -> str:
    """Return all results."""
    failed = [
        f"* `{one['workload']}`: {one['error'].splitlines()[0]}" for one in results if one["error"]
    ]
    parts = {
        "Not equal, or not run": "\n".join(failed),
        "Marks": _marks(verdicts(results)),
        "CPU microseconds per event: median (least to most) of the repeats": _costs(results),
        "Medians of the warm runs": _more(results),
    }
    return "\n\n".join(
        [_runs(results), *(f"## {head}\n\n{part}" for head, part in parts.items() if part)]
    )


def _runs(results: Sequence[Result]) -> str:
    by: dict[str, list[str]] = {}
    for result in results:
        by.setdefault(result["made"], []).append(result["workload"])
    return "\n".join(f"* {made}: {', '.join(names)}" for made, names in sorted(by.items()))


def _marks(found: Sequence[Verdict]) -> str:
    heads = ("workload", "figure", *PASSES, "at most", "met")
    lines = [
        (
            one.workload,
            one.what,
            *(spread(one.values[word]) for word in PASSES),
            f"{one.mark.most:.2f}",
            "yes" if one.met else "**no**",
        )
        for one in found
    ]
    return table(heads, lines) if lines else ""


def _costs(results: Sequence[Result]) -> str:
    heads = ("workload", "events", "events per batch", "repeats", "contender", *PASSES)
    lines = [
        (
            result["workload"],
            f"{result['events']:,}",
            f"{result['batch']:,}",
            str(max(run["repeat"] for run in result["runs"])),
            name,
            *(spread(_values(result, name, word, "cpu")) for word in PASSES),
        )
        for result, name in _contenders(results)
    ]
    return table(heads, lines) if lines else ""


#: By the head of a column: the figure of a run, its unit, and the number of decimals.
_COLUMNS: Mapping[str, tuple[str, float, int]] = {
    "events/s": ("perSecond", 1, 0),
    "rows": ("rows", 1, 0),
    "state, MB": ("stateBytes", 1e6, 1),
    "memory, MB": ("residentMegabytes", 1, 0),
    "p99 of batches, ms": ("slowestBatch", 1, 0),
    "p99 of waiting, ms": ("latency", 1, 0),
}


def _more(results: Sequence[Result]) -> str:
    def cell(result: Result, name: str, figure: str, unit: float, decimals: int) -> str:
        found = _values(result, name, "warm", figure)
        known = [value for value in found if value is not None and value >= 0]
        return f"{median(known) / unit:,.{decimals}f}" if known else _NONE

    lines = [
        (result["workload"], name, *(cell(result, name, *column) for column in _COLUMNS.values()))
        for result, name in _contenders(results)
    ]
    return table(("workload", "contender", *_COLUMNS), lines) if lines else ""


def _contenders(results: Sequence[Result]) -> Iterator[tuple[Result, str]]:
    for result in results:
        for name in dict.fromkeys(run["contender"] for run in result["runs"]):
            yield result, name


def comparison(before: Sequence[Result], now: Sequence[Result]) -> str:
    """Return the ratios of two runs, which may be of different machines."""
    old = {(one.workload, one.what): one.values for one in verdicts(before)}
    heads = ["workload", "figure"]
    heads += [f"{word}, {when}" for word in PASSES for when in ("before", "now")]
    lines = []
    for one in verdicts(now):
        if one.mark.figure in ("micros", "level"):
            continue
        was = old.get((one.workload, one.what), {})
        cells = (spread(values.get(word, ())) for word in PASSES for values in (was, one.values))
        lines.append((one.workload, one.what, *cells, f"{one.mark.most:.2f}"))
    return table([*heads, "at most"], lines)


def read(file: Path) -> list[Result]:
    """Return the results of a file."""
    found: list[Result] = json.loads(file.read_text(encoding="utf-8"))["results"]
    return found


def tables() -> str:
    """Return the published results."""
    return report(read(DATA)) + "\n"


def main(file: str, before: str | None = None) -> None:
    """Print results."""
    now = read(Path(file))
    print(report(now) if before is None else comparison(read(Path(before)), now))


if __name__ == "__main__":
    main(*sys.argv[1:])
