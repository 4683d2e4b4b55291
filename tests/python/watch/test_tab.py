"""The tab in Spark's UI names each staged cause, live and in the history server (SEMANTICS R74)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen
from zipfile import ZipFile

import pyspark
import pytest

import windrow as wr
from programs import ROOT, free_ports, printed, running

pytestmark = [pytest.mark.slow, pytest.mark.full]

JARS = Path(pyspark.__file__).parent / "jars"
_CAUSE = re.compile(r'class="cause"><b>(\w+)</b>')
_VALUE = re.compile(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>")

HOSTILE = "<script>alert(1)</script>&\"'"
#: The staged queries, and the first cause of each.
STALLS = {
    "open windows": "WATERMARK_NOT_REACHED",
    "no rows": "NO_ROWS",
    HOSTILE: "ALL_REJECTED",
    "silent": "INPUT_HOLDS_WATERMARK",
    "failed": "FAILED",
    "slow": "FIRST_BATCH_RUNS",
    "accelerated": "HAS_OUTPUT",
    "chain": "HAS_OUTPUT",
    "many": "HAS_OUTPUT",
}


@dataclass(frozen=True)
class Staged:
    """What a program with staged queries has written.

    Attributes:
        folder: The folder of the pages and the event log.
        queries: By name, the id of the run and the codes of ``wr.whyNoOutput``.

    """

    folder: Path
    queries: Mapping[str, Mapping[str, Any]]

    def page(self, name: str, suffix: str = "") -> str:
        """Return the page of a query while it was running."""
        return (self.folder / f"{self.queries[name]['run']}{suffix}.html").read_text()


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Staged:
    """Run the queries in a driver with a UI."""
    folder = tmp_path_factory.mktemp("tab")
    lines = map(json.loads, printed("ui/staged.py", str(folder)))
    return Staged(folder, {line["name"]: line for line in lines})


def codes(page: str) -> list[str]:
    """Return the codes that a page shows."""
    return _CAUSE.findall(page)


@pytest.mark.anywhere
def test_each_stall_is_named(staged: Staged) -> None:
    """The page names the cause without reading the state; after reading it, all of whyNoOutput."""
    assert list(staged.queries) == list(STALLS)
    for name, code in STALLS.items():
        assert codes(staged.page(name))[0] == code
        assert codes(staged.page(name, "-state")) == staged.queries[name]["codes"]
    assert "9:01:00" not in staged.page("open windows")
    assert "first is emitted at the watermark 2025-01-01 09:01:00" in staged.page(
        "open windows", "-state"
    )
    assert "holds the watermark back" in staged.page("silent")


#: The named values of two pages.
ACCELERATED = {
    "operators": "accelerated_0",
    "read": "5",
    "accepted": "4",
    "rejected": "1 (too late 1)",
    "panes": "1 (on time 1)",
    "open windows": "1",
}
CHAIN = {
    "operators": "messages, minutes (counts are their sums)",
    "messages": "read 5, accepted 4, duplicates 1, rows 4",
    "minutes": "read 4, accepted 4, panes 1, open windows 1",
    "panes": "1 (on time 1)",
    "rows": "4",
}


@pytest.mark.anywhere
def test_an_accelerated_query_and_a_chain(staged: Staged) -> None:
    """An unchanged query of Spark's has Windrow's figures, and a chain those of each operator."""
    for name, expected in (("accelerated", ACCELERATED), ("chain", CHAIN)):
        values = dict(_VALUE.findall(staged.page(name)))
        assert {one: values.get(one) for one in expected} == expected
    page = staged.page("chain")
    assert "has emitted 1 rows" in page
    assert "Emitted rows" in page
    assert "Panes by timing" in page


@pytest.mark.anywhere
def test_the_list(staged: Staged) -> None:
    """The list shows every query that ran a micro-batch, the newest first, or none."""
    everything = (staged.folder / "all.html").read_text()
    shown = re.findall(r"query/\?run=([\w-]+)", everything)
    runs = [of["run"] for name, of in staged.queries.items() if name not in ("no rows", "slow")]
    assert [run for run in shown if run in runs] == runs[::-1]
    assert "No Windrow query has started" in (staged.folder / "empty.html").read_text()


@pytest.mark.anywhere
def test_names_are_not_html(staged: Staged) -> None:
    """The name of a query, and an error with brackets, are text on every page."""
    pages = [file.read_text() for file in staged.folder.glob("*.html")]
    assert len(pages) >= len(STALLS)
    assert not any("<script>alert" in page or "<full>" in page for page in pages)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;" in staged.page(HOSTILE)
    assert "ValueError: the sink is &lt;full&gt;" in staged.page("failed")


def test_pictures_and_their_bound(staged: Staged) -> None:
    """The pictures show the micro-batches that Spark stores: here 5 of the 9 with rows."""
    page = staged.page("many", "-state")
    panes = page.partition("Panes by timing")[2].partition("</figure>")[0]
    batches = {int(number) for number in re.findall(r"batch (\d+): ", panes)}
    assert 1 <= len(batches) <= 5
    assert max(batches) >= 8
    rejected = page.partition("Rejected rows by reason")[2].partition("</figure>")[0]
    assert "invalid time" in rejected
    assert re.search(r"batch \d+: too late 1<", rejected)
    delays = page.partition("Late rows, by a delay of up to")[2]
    assert re.search(r"Advised: a lateness of .* accepts 100 % of the rows", delays)


def test_the_history_server(staged: Staged, tmp_path: Path) -> None:
    """The history server shows the same from the event log, without jobs."""
    (port,) = free_ports(1)
    opens = (ROOT / "scripts/conf/spark-opens.txt").read_text().split()
    (jar,) = (Path(wr.__file__).parent / "jars").glob("windrow-*.jar")
    command = [
        *("java", *(f"--add-opens={opened}=ALL-UNNAMED" for opened in opens)),
        *("-cp", f"{JARS}/*:{jar}"),
        f"-Dspark.history.fs.logDirectory={(staged.folder / 'log').as_uri()}",
        f"-Dspark.history.ui.port={port}",
        "org.apache.spark.deploy.history.HistoryServer",
    ]
    (application,) = (file.name for file in (staged.folder / "log").iterdir())
    address = f"http://127.0.0.1:{port}/history/{application}/windrow/"
    with running(command, tmp_path / "log"):
        everything = _fetched(address)
        assert "<script>alert" not in everything
        assert codes(everything)[-1] == "RUN_ENDED"
        page = _fetched(f"{address}query/?run={staged.queries['many']['run']}&state=read")
        chain = _fetched(f"{address}query/?run={staged.queries['chain']['run']}")
    assert codes(page) == ["HAS_OUTPUT"]
    assert "Late rows" not in page
    assert "<rect" in page
    assert CHAIN.items() <= dict(_VALUE.findall(chain)).items()


def test_a_connect_server(tmp_path: Path) -> None:
    """The tab is in the UI of a Connect server, and the client gets the same cause."""
    *page, found = printed("ui/connect.py", str(tmp_path))
    assert "minutes</a>" in "".join(page)
    assert codes("".join(page)) == ["WATERMARK_NOT_REACHED"]
    assert found == "('WATERMARK_NOT_REACHED',)"


@pytest.mark.parametrize("width", [375, 1280])
def test_a_browser_shows_the_pages(staged: Staged, width: int) -> None:
    """No page is wider than a phone or a window; nothing in the tab is cut off."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("chromium is not installed")
    core = next(JARS.glob("spark-core_*.jar"))
    with ZipFile(core) as jar:
        for name in jar.namelist():
            if name.startswith("org/apache/spark/ui/static/") and not name.endswith("/"):
                file = staged.folder / "static" / name.rpartition("/")[2]
                file.parent.mkdir(exist_ok=True)
                file.write_bytes(jar.read(name))
    (staged.folder / "frame.html").write_text(_FRAME)
    many = f"{staged.queries['many']['run']}-state.html"
    hostile = f"{staged.queries[HOSTILE]['run']}.html"
    with _served(staged.folder) as address:
        for page in ("all.html", many, hostile):
            url = f"{address}/frame.html?{width}&{page}"
            options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=8000"]
            shown = subprocess.run(
                [browser, *options, "--dump-dom", url], capture_output=True, text=True, check=True
            ).stdout
            measured = re.search(r"<p>(\d+) (\d+)</p>", shown)
            assert measured is not None, shown
            assert int(measured[1]) <= width
            assert int(measured[2]) > 5  # the number of sections and pictures


#: Loads a page in a frame of a width, and shows how wide its content is.
_FRAME = """<html><body><script>
const [width, page] = location.search.slice(1).split("&");
const frame = document.createElement("iframe");
frame.width = width; frame.height = 900; frame.style.border = 0; frame.src = page;
frame.onload = () => setTimeout(() => {
  const inside = frame.contentDocument, shown = document.createElement("p");
  const parts = inside.querySelectorAll(".windrow section, .windrow svg, .windrow dd");
  const right = Math.max(...[...parts].map(part => part.getBoundingClientRect().right));
  const most = Math.max(inside.documentElement.scrollWidth, Math.ceil(right));
  shown.textContent = most + " " + parts.length;
  document.body.append(shown);
}, 500);
document.body.append(frame);
</script></body></html>"""


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """Serve a folder to a browser."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing."""


def _fetched(address: str) -> str:
    """Return a page of the tab from a server that may still be starting, or reading its logs."""
    for _ in range(240):
        with suppress(URLError), urlopen(address) as found:  # noqa: S310
            page = str(found.read().decode())
            if 'class="windrow"' in page:
                return page
        time.sleep(0.5)
    raise TimeoutError(address)
