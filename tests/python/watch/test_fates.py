"""A printed status has a line for each fate of rows (SEMANTICS R74)."""

from __future__ import annotations

import windrow as wr
from watch.test_ledger import batch, query


def test_duplicates_and_gaps_have_lines_of_their_own() -> None:
    """Duplicates and gaps are not shown as accepted rows, and not at all if there are none."""
    counts = {"accepted": 13, "copies": 2, "duplicates": 2, "gaps": 5, "replaced": 3}
    lines = str(wr.status(query("fates", batch(0, given=10, **counts)))).splitlines()
    assert [line.split(maxsplit=1) for line in lines[1:6]] == [
        ["read", "20 rows, 20 in the last batch"],
        ["accepted", "13 rows"],
        ["duplicates", "2 rows"],
        ["replaced", "3 rows"],
        ["gaps", "5 rows between windows"],
    ]
    plain = str(wr.status(query("plain", batch(0, given=10, accepted=20))))
    assert "duplicates" not in plain
    assert "replaced" not in plain
    assert "gaps" not in plain
