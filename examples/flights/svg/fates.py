"""Draw the outcome of all flights: a bar of all, and the late ones enlarged below."""

from __future__ import annotations

from flights.svg import canvas
from flights.svg.axes import Scale

_BAR = 30


def fates(width: float, first: int, corrected: int, rejected: int) -> str:
    """Draw the picture for a page of the given width. The three counts add up to all flights."""
    late = corrected + rejected
    read = first + late
    narrow = width < 500
    whole = Scale(0, read, 0, width)
    sliver = max(width - whole(first), 2)
    share = f"{first / read:.2%} in the first report of their hour"
    parts = [
        canvas.words(0, 14, f"{read:,} flights read", "name"),
        canvas.box(0, 24, width - sliver, _BAR, "kept", f"{first:,} flights"),
        canvas.box(width - sliver, 24, sliver, _BAR, "lost", f"{late:,} flights"),
        canvas.words(10, 44, share if narrow else f"{first:,} of them, {share}", "inside"),
        canvas.outline(
            [(width - sliver, 24 + _BAR), (0, 104), (width, 104), (width, 24 + _BAR)],
            "zoom",
            closed=True,
        ),
        canvas.words(0, 92, f"the {late:,} that left too late for it", "name"),
    ]
    parts += _windrow(width, 104, corrected, rejected)
    parts += _spark(width, 186, late)
    return canvas.picture(width, 250, "Where each flight went", *parts)


def _windrow(width: float, top: float, corrected: int, rejected: int) -> list[str]:
    x = Scale(0, corrected + rejected, 0, width)
    split = x(corrected)
    return [
        canvas.box(0, top, split - 1, _BAR, "corrected", f"{corrected:,} flights"),
        canvas.box(split, top, width - split, _BAR, "rejected", f"{rejected:,} flights"),
        canvas.words(10, top + 20, f"windrow: {corrected:,} counted in a correction", "inside"),
        canvas.words(
            width, top + _BAR + 18, f"{rejected:,} rejected, with the reason", "reject", "end"
        ),
    ]


def _spark(width: float, top: float, late: int) -> list[str]:
    return [
        canvas.box(0.5, top, width - 1, _BAR, "dropped", f"{late:,} flights"),
        canvas.words(10, top + 20, f"Spark's window(): {late:,} dropped", "name"),
        canvas.words(width, top + _BAR + 18, "no row, no message", "unit", "end"),
    ]
