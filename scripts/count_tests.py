"""Print "N passed, N failed, N skipped" for the JUnit reports that match the patterns.

If a test failed, or if no test ran for a pattern, the exit status is 1, and more lines give the
reasons: the patterns without a test, or the tests that failed with their messages. A log that is
cut at its beginning still shows them, because they are the last lines.
"""

import sys
from glob import glob
from xml.etree import ElementTree

OUTCOMES = "passed", "failed", "skipped"
LONGEST = 400  # characters of a message


def outcomes(pattern: str) -> dict[str, list[str]]:
    """Return the names of the test cases in the reports that match the pattern, by outcome."""
    found: dict[str, list[str]] = {outcome: [] for outcome in OUTCOMES}
    for file in glob(pattern):
        for case in ElementTree.parse(file).iter("testcase"):
            failures = [child for child in case if child.tag in {"failure", "error"}]
            skipped = case.find("skipped") is not None
            outcome = "failed" if failures else "skipped" if skipped else "passed"
            name = f"{case.get('classname')}: {case.get('name')}"
            found[outcome].append(": ".join([name, *map(message, failures)]))
    return found


def message(failure: ElementTree.Element) -> str:
    """Return the message of a failure and, for Python, its place, in one line."""
    words = " ".join((failure.get("message") or "").split())
    last = (failure.text or "").strip().rpartition("\n")[2]
    return " | ".join([words[:LONGEST], *([last] if ".py:" in last else [])])


def main(patterns: list[str]) -> int:
    """Print the sum over all patterns; return the exit status."""
    found = {pattern: outcomes(pattern) for pattern in patterns}
    every = {name: [test for one in found.values() for test in one[name]] for name in OUTCOMES}
    print(", ".join(f"{len(tests)} {name}" for name, tests in every.items()))
    idle = [pattern for pattern, one in found.items() if not one["passed"] + one["failed"]]
    reasons = [f"no test ran for {pattern}" for pattern in idle] + every["failed"]
    print(*reasons, sep="\n")
    return int(bool(reasons))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
