"""The plots of the page about the growth of cost, from the results of `scripts/bench`.

A point is the CPU time of an event in a warm process, as a multiple of the smallest value among the
workloads of the same family, because only ratios within one run are meaningful.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log10
from pathlib import Path
from statistics import median
from typing import Any

from windrow._markup._svg import Element, Picture, Style, element, picture

DATA = Path(__file__).parent / "project" / "benchmarks-run.json"

#: The size that varies in each family of workloads, and the query.
FAMILIES: Mapping[str, tuple[str, str]] = {
    "keys": ("keys", "tumbling windows of 60 s"),
    "overlap": ("windows that contain a row", "windows of 600 s, 1,000 keys"),
    "batch": ("rows in a micro-batch", "tumbling windows of 60 s, 1,000 keys"),
    "disorder": ("seconds out of order", "60 s every second, corrected for 60 s"),
    "slide": ("rows in a window", "10 s at each row; 1,000 in batches five times as large"),
    "list": ("rows in a window", "`collect_list`, windows of 50 s"),
    "ranks": ("rows in a window", "exact median and 95th percentile, windows of 50 s"),
    "store": ("rows in a window", "windows of 50 s that keep their rows"),
}
#: Workloads with the name of a family that belong to overlapping windows instead.
OTHERS = {"ranks-60", "ranks-600"}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 420, 230, 44, 90, 16, 36
DASHES = {"windrow": "none", "spark": "5 4"}

#: The costs of each contender, by size.
Lines = Mapping[str, Mapping[int, float]]


@dataclass(frozen=True)
class Plot:
    """The lines of a family, with logarithmic axes."""

    family: str
    lines: Lines
    made: Sequence[str] = ()

    @property
    def measured(self) -> str:
        """The days and the versions of the runs."""
        days: dict[str, set[str]] = {}
        for made in self.made:
            days.setdefault(made[-10:], set()).add(made.split(",")[0].removeprefix("windrow "))
        return " and ".join(f"{day} ({', '.join(sorted(of))})" for day, of in sorted(days.items()))

    @property
    def sizes(self) -> list[int]:
        """All measured sizes."""
        return sorted({size for line in self.lines.values() for size in line})

    @property
    def decades(self) -> int:
        """The number of powers of ten that the costs span."""
        return max(1, ceil(log10(max(max(line.values()) for line in self.lines.values()))))

    def x(self, size: int) -> float:
        """Return the x coordinate of a size. 0 is drawn at 0.1."""
        low, high = (log10(max(end, 0.1)) for end in (self.sizes[0], self.sizes[-1]))
        return LEFT + (log10(max(size, 0.1)) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(self, cost: float) -> float:
        """Return the y coordinate of a cost."""
        return HEIGHT - BOTTOM - log10(cost) / self.decades * (HEIGHT - TOP - BOTTOM)

    def drawn(self) -> Picture:
        """Draw the plot."""
        axis, _ = FAMILIES[self.family]
        middle = (LEFT + WIDTH - RIGHT) / 2
        named = element("text", axis, x=middle, y=HEIGHT - 4, text_anchor="middle")
        lines = (part for name, line in self.lines.items() for part in self._line(name, line))
        return picture(
            f"cost by {axis}", WIDTH, HEIGHT, *self._rules(), *self._sizes(), named, *lines
        )

    def _rules(self) -> list[Element]:
        drawn = []
        for decade in range(self.decades + 1):
            y = self.y(10.0**decade)
            ends = {"x1": LEFT, "x2": WIDTH - RIGHT, "y1": y, "y2": y}
            drawn.append(element("line", **ends, stroke="currentColor", opacity=0.3))
            drawn.append(element("text", f"{10**decade}x", x=LEFT - 6, y=y + 4, text_anchor="end"))
        return drawn

    def _sizes(self) -> list[Element]:
        y = HEIGHT - BOTTOM + 15
        return [
            element("text", f"{size:,}", x=self.x(size), y=y, text_anchor="middle", opacity=0.75)
            for size in self.sizes
        ]

    def _line(self, name: str, line: Mapping[int, float]) -> list[Element]:
        places = [(self.x(size), self.y(cost)) for size, cost in sorted(line.items())]
        ink: Style = {"stroke": "currentColor", "stroke_width": 1.5, "fill": "none"}
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        drawn = [element("polyline", points=points, stroke_dasharray=DASHES[name], **ink)]
        drawn += [element("circle", cx=x, cy=y, r=2.5, fill="currentColor") for x, y in places]
        x, y = places[-1]
        return [*drawn, element("text", name, x=x + 8, y=y + 4)]


def measured(results: Sequence[Mapping[str, Any]]) -> list[Plot]:
    """Return a plot of the warm medians of each family that was measured at several sizes."""
    plots = []
    for family in FAMILIES:
        costs: dict[str, dict[int, float]] = {}
        made: list[str] = []
        for result in results:
            of, _, size = result["workload"].rpartition("-")
            if of == family and result["workload"] not in OTHERS:
                made.append(result["made"])
                for name in DASHES:
                    if found := _warm(result, name):
                        costs.setdefault(name, {})[int(size)] = median(found)
        if len(costs.get("windrow", {})) > 1:
            least = min(cost for line in costs.values() for cost in line.values())
            lines = {
                name: {size: cost / least for size, cost in line.items()}
                for name, line in costs.items()
            }
            plots.append(Plot(family, lines, made))
    return plots


def _warm(result: Mapping[str, Any], contender: str) -> list[float]:
    runs = (run for run in result["runs"] if run["contender"] == contender)
    return [run["measured"]["cpu"] for run in runs if run["pass"] == "warm"]  # noqa: S105


def sections(plots: Sequence[Plot]) -> str:
    """Return a section for each plot: the picture and its table."""
    parts = []
    for plot in plots:
        axis, asked = FAMILIES[plot.family]
        head = ("engine", *(f"{size:,}" for size in plot.sizes))
        rows = [
            (name, *(f"{line[size]:.2f}" if size in line else "\u2013" for size in plot.sizes))
            for name, line in plot.lines.items()
        ]
        table = "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))
        picture = f'<div class="picture plot">{plot.drawn()}</div>'.replace("\n", " ")
        parts += [f"## By {axis}: {asked}", picture, table, f"Measured on {plot.measured}."]
    return "\n\n".join(parts) + "\n"


def tables() -> str:
    """Return the sections of the published results."""
    return sections(measured(json.loads(DATA.read_text())["results"]))
