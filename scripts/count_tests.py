"""Print "N passed, N failed, N skipped" for the JUnit reports that match the patterns.

If a test failed, or if no test ran for a pattern, the exit status is 1 and a second line gives the
reason.
"""

import sys
from collections import Counter
from glob import glob
from xml.etree import ElementTree


def outcomes(pattern: str) -> Counter[str]:
    """Count the outcomes of the test cases in the reports that match the pattern."""
    found: Counter[str] = Counter()
    for file in glob(pattern):
        for case in ElementTree.parse(file).iter("testcase"):
            tags = {child.tag for child in case}
            failed, skipped = tags & {"failure", "error"}, "skipped" in tags
            found["failed" if failed else "skipped" if skipped else "passed"] += 1
    return found


def main(patterns: list[str]) -> int:
    """Print the sum over all patterns; return the exit status."""
    counts = {pattern: outcomes(pattern) for pattern in patterns}
    total = sum(counts.values(), Counter[str]())
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    idle = [pattern for pattern, found in counts.items() if not found["passed"] + found["failed"]]
    if idle:
        print(f"no test ran for {' or '.join(idle)}")
    elif total["failed"]:
        print(f"{total['failed']} failed tests")
    return int(bool(idle or total["failed"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
