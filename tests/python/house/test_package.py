"""The package: its import has no side effects, its names do not collide, its versions agree."""

from __future__ import annotations

import ast
import pickle
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pyspark.sql.functions
import pytest

import windrow as wr

PACKAGE = Path(wr.__file__).parent

# The public API so far.
_PUBLIC = {
    *("Answers", "testing", "advise", "Advice", "LatenessEffect"),
    *("Tumbling", "Hopping", "Sliding", "Over", "Count", "OffsetRange", "Session", "OffsetSession"),
    *("Global", "Inherit", "WindowKind", "Retention"),
    *("Never", "EachMessage", "EachBatch", "Every", "AnyOf", "PaneTrigger"),
    *("DISCARDING", "ACCUMULATING", "ACCUMULATING_AND_RETRACTING"),
    *("AccumulationMode", "stream", "Stream", "Windowed", "RowId", "KAFKA"),
    *(
        "Output",
        "EventTimeWatermark",
        "ProcessingTimeWatermark",
        "Files",
        "Jdbc",
        "KafkaTable",
        "Upsert",
        "WindowOperatorSpec",
        "State",
        "state",
    ),
    *("configure", "attach", "doctor", "Report"),
    *("verify", "Verification", "Finding"),
    *("Policy", "ByCount", "ByTime", "ByDelta", "ByPunctuation", "KeyLimits"),
    *("asofJoin", "join", "JoinOutput", "DedupOutput", "MatchOutput", "cogroup", "state", "State"),
    *("Picture", "timeline", "BatchProgress", "Status", "status", "watch", "logBatches"),
    *("explainAcceleration", "Acceleration", "OperatorAcceleration"),
    *("publishMetrics", "topN", "timeWeightedAverage", "timeInState", "increase"),
    *("whyNoOutput", "Diagnosis", "Cause"),
    *("JoinSpec", "JoinStream", "AggregatedWindowOperator", "FullStateWindowOperator"),
    *("StreamStreamJoinOperator", "CompositeOperator", "PolicyWindowOperator"),
    *("WindowEvent", "WindowListener", "CoGroupSpec", "MergedWindowOperator"),
    *("MessageError", "OperatorError", "BackpressureError", "UnboundedJoinError"),
    *("WindrowError", "SpecError", "SpecProblem", "JarNotFoundError", "CheckpointError"),
}


_FRESH = """
import sys
import zipfile
seen = []
sys.addaudithook(lambda event, args: seen.append(event))
import windrow
windrow.Tumbling('1 hour').plot()
windrow.WindowOperatorSpec(window=windrow.Session('1 minute'), lateness='0 seconds').toJson()
heavy = {'py4j', 'pyspark', 'pyarrow', 'pandas', 'numpy', 'grpc'}
print(sorted(heavy & set(sys.modules)))
print([event for event in seen if event.split('.')[0] in ('socket', 'subprocess', 'os.system')])
"""


def test_import_has_no_side_effects() -> None:
    """An import in a new interpreter loads no heavy module, opens no socket, starts no process."""
    ran = subprocess.run(
        [sys.executable, "-c", _FRESH],
        env={"PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == ["[]", "[]"]


_EXTRAS = """
import sys
import windrow
loaded = set(sys.modules)
extras = [*windrow._EXTRAS, "figures", "_watching", "_drawing", "_command"]
print([name for name in loaded if name.split(".")[1:2] and name.split(".")[1] in extras])
print([name for name in windrow.__all__ if name not in dir(windrow)])
print([name for name in windrow.__all__ if not hasattr(windrow, name)])
print([name for name in windrow._EXTRAS if f"windrow.{name}" not in sys.modules])
"""


def test_an_import_loads_no_extra() -> None:
    """Extras are loaded when their names are used, and every public name exists."""
    ran = subprocess.run(
        [sys.executable, "-c", _EXTRAS],
        env={"PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == ["[]", "[]", "[]", "[]"]


def test_a_class_of_an_extra_is_pickled() -> None:
    """A class of an extra is pickled by its module, and a name that does not exist is an error."""
    assert pickle.loads(pickle.dumps(wr.Advice)) is wr.Advice  # noqa: S301  our own bytes
    with pytest.raises(AttributeError, match="has no attribute 'watchh'"):
        _ = wr.watchh  # type: ignore[attr-defined]


def test_only_the_gateway_knows_py4j() -> None:
    """Only the gateway module imports py4j, even inside functions."""
    importers = {
        file.name
        for file in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        for name in _imported(node)
        if name.split(".")[0] == "py4j"
    }
    assert importers == {"_gateway.py"}


def test_public_names() -> None:
    """The public names are exactly those of the API."""
    assert set(wr.__all__) - {"__version__"} == _PUBLIC
    assert all(hasattr(wr, name) for name in wr.__all__)


def test_names_do_not_collide() -> None:
    """``from windrow import *`` hides no name of PySpark."""
    theirs = {name for name in dir(pyspark.sql.functions) if not name.startswith("_")}
    theirs |= {"Window", "WindowSpec", "Trigger"}
    assert not theirs & set(wr.__all__)


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return []


def test_users_get_no_laboratory() -> None:
    """The reference, engines, generators and simulator are not in the users' JAR or package."""
    (jar,) = (Path(wr.__file__).parent / "jars").glob("*.jar")
    names = zipfile.ZipFile(jar).namelist()
    names += [str(file) for file in Path(wr.__file__).parent.rglob("*.py")]
    assert any(name.startswith("windrow/core/") for name in names)
    laboratory = re.compile(r"/_?replay/|testkit|scalacheck|windrow\.replay")
    assert not [name for name in names if laboratory.search(name)]


def test_sinks_show_their_settings() -> None:
    """``help(wr.Upsert)`` lists only the fields that users set."""
    shown = {"upsert", "on", "options", "deadLetter", "create", "format"}
    for sink in (wr.Files, wr.Upsert, wr.Jdbc, wr.KafkaTable):
        names = {name for name in dir(sink) if not name.startswith("_")}
        assert names <= shown, sink
