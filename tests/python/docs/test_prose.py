"""The style guide of CONTRIBUTING, as far as a program can enforce it."""

from __future__ import annotations

import pytest

from docs import prose

#: The greatest number of avoided phrases per 1,000 words. Limits are only lowered.
LIMITS = {"pages": 1.5, "scala": 1.0, "python": 1.0, "errors": 0.5}


@pytest.mark.parametrize("part", LIMITS)
def test_no_part_is_harder_to_read_than_before(part: str) -> None:
    """No part exceeds its limit; ``python tests/python/docs/prose.py PART`` prints the matches."""
    assert prose.rate(prose.PARTS[part]()) <= LIMITS[part]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("Set the lateness to one day, so that the window stays open.", 0),
        ("What comes later is handed back.", 4),
        ("Of triggers two things may not be told.", 2),
        ("The column is no timestamp.", 1),
        ("What is the watermark?", 1),
        ("It is not a timestamp, and the watermark is reported.", 0),
    ],
)
def test_phrases_are_found(text: str, times: int) -> None:
    """Avoided phrases are found, and plain sentences are not reported."""
    assert len(prose.found(text)) == times
