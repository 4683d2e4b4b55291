"""Sessions that end at an event, at a maximum length, or when a value changes (SEMANTICS W9)."""

from __future__ import annotations

import math
import os
import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import windrow as wr
from counts import streams
from feed import add_files
from sessions.cuts import Found, Rules, Visit, by_hand, in_duckdb
from windrow._running._settings import having

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.slow]

#: Streams are the keys of a query.
KEYS = min(50, streams(3))
IS_FULL = os.environ.get("WINDROW_MODE") == "full"
START = datetime(2025, 1, 1, tzinfo=UTC)
SECOND = 1_000_000
SCHEMA = "key string, time timestamp, event string, campaign string, amount bigint"
NAMES = SCHEMA.replace(",", "").split()[::2]

RULES = [
    Rules(30 * SECOND, logout=True),
    Rules(30 * SECOND, most=60 * SECOND),
    Rules(30 * SECOND, split=True),
    Rules(20 * SECOND, logout=True, most=15 * SECOND, split=True),
]


def kind(rules: Rules) -> wr.Session:
    """Return the windows of some rules."""
    return wr.Session(
        f"{rules.gap} microseconds",
        endsWith="event = 'logout'" if rules.logout else None,
        maxLength=None if rules.most is None else f"{rules.most} microseconds",
        split="campaign" if rules.split else (),
    )


def drawn(seed: int, size: int, *, keys: int = 3, seconds: int = 600) -> list[Visit]:
    """Draw rows with full seconds, so that many have the same time or are exactly a gap apart."""
    rng = random.Random(seed)  # noqa: S311  no secret
    begin = int(START.timestamp()) * SECOND
    return [
        (
            f"k{rng.randrange(keys)}",
            begin + rng.randrange(seconds) * SECOND,
            rng.choice(["click", "click", "click", "click", "logout", None]),
            rng.choice(["mail", "mail", "mail", "ads", None]),
            rng.randrange(100),
        )
        for _ in range(size)
    ]


def texts(rows: list[Visit]) -> list[dict[str, Any]]:
    """Return rows as they are written to files."""
    return [dict(zip(NAMES, (key, _text(time), *more), strict=True)) for key, time, *more in rows]


def _text(micros: int) -> str:
    at = datetime.fromtimestamp(micros / SECOND, UTC)
    return f"{at:%Y-%m-%d %H:%M:%S}"


def found(row: Any) -> Found:
    """Return a pane as a session."""
    start, end = (_micros(bound) for bound in row.window)
    return (row.key, start, end, row.n, row.total)


def _micros(time: datetime) -> int:
    return (time.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
        microseconds=1
    )


def summed(df: DataFrame, rules: Rules, *, lateness: str = "2 hours", **fired: Any) -> wr.Output:
    """Return the number of rows and the sum of the amounts of each session."""
    stream = wr.stream(df, time="time", key="key", watermark="0 seconds").lateness(lateness)
    windows = stream.window(kind(rules)).accumulationMode(wr.ACCUMULATING).trigger(**fired)
    return windows.aggregate(F.count("*").alias("n"), F.sum("amount").alias("total"))


def ran(
    spark: SparkSession, rules: Rules, batches: list[list[Visit]], folder: Path, **fired: Any
) -> list[Found]:
    """Run a query in two parts, the second after a restart, and return what its panes leave."""
    left: dict[tuple[str, int, int], Found] = {}
    greatest: dict[tuple[str, int, int], tuple[int, bool, Found]] = {}
    refused: list[Any] = []

    def write(panes: DataFrame, _: int) -> None:
        for row in panes.collect():
            one = found(row)
            last = (row.pane["index"], row.pane.is_retraction, one)
            greatest[one[:3]] = max(last, greatest.get(one[:3], last))
            if row.pane.is_retraction:
                assert left.pop(one[:3]) == one, "a retraction repeats its pane"
            else:
                left[one[:3]] = one

    # A row far after the others and a micro-batch without rows complete all sessions.
    last: Visit = ("end", int(START.timestamp() + 7200) * SECOND, None, None, 0)
    end: list[list[Visit]] = [[last], []]
    half = len(batches) // 2
    for some in (batches[:half], [*batches[half:], *end]):
        add_files(folder / "in", *map(texts, some))
        reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        query = summed(reader.json(str(folder / "in")), rules, **fired).start(
            checkpoint=folder / "checkpoint",
            panes=write,
            rejected=lambda rows, _: refused.extend(rows.collect()),
            availableNow=True,
        )
        query.awaitTermination()
    assert refused == []
    valid = {window: one for window, (_, gone, one) in greatest.items() if not gone}
    assert valid == left, "the pane with the greatest index is the last (R84)"
    return sorted(one for one in left.values() if one[0] != "end")


def cut(rows: list[Visit], seed: int) -> list[list[Visit]]:
    """Put rows roughly in order of time, some much later, and divide them into micro-batches."""
    rng = random.Random(seed)  # noqa: S311  no secret
    late = sorted(rows, key=lambda row: row[1] + rng.choice([0, 0, 0, 20, 400]) * SECOND)
    at = sorted(rng.sample(range(1, len(late)), 4))
    return [late[i:j] for i, j in zip([0, *at], [*at, len(late)], strict=True)]


@pytest.mark.parametrize("seed", range(math.ceil(streams(3) / KEYS)))
def test_streams_leave_the_sessions_of_all_rows(
    spark: SparkSession, tmp_path: Path, seed: int
) -> None:
    """Panes without the withdrawn ones are the sessions of the sorted rows, however they arrive."""
    rules, rows = RULES[(seed + 3) % len(RULES)], drawn(seed, 50 * KEYS, keys=KEYS)
    expected = sorted(by_hand(rows, rules))
    early = wr.Never() if seed % 2 else wr.EachBatch()
    for way, shards in enumerate((1, 5) if IS_FULL else (5,)):
        with having(spark, {"spark.windrow.shards": str(shards)}):
            folder = tmp_path / str(way)
            assert ran(spark, rules, cut(rows, seed + way), folder, early=early) == expected
    assert len(expected) > 10


@pytest.mark.parametrize("seed", range(len(RULES) if IS_FULL else 1))
def test_batch_queries_agree_with_duckdb(spark: SparkSession, tmp_path: Path, seed: int) -> None:
    """The sessions of many rows are those of SQL with gaps and islands."""
    duckdb = pytest.importorskip("duckdb")
    size = 1_000_000 if IS_FULL else 10_000
    rules, rows = RULES[seed], drawn(seed, size, keys=size // 100, seconds=2_000)
    add_files(tmp_path / "in", texts(rows))
    panes = summed(spark.read.schema(SCHEMA).json(str(tmp_path / "in")), rules).panes
    base = duckdb.connect()
    base.execute(
        "CREATE TABLE visits AS SELECT key, epoch_us(time) AS time, event, campaign, amount "
        "FROM read_json($1, columns = {key: 'VARCHAR', time: 'TIMESTAMP', "
        "event: 'VARCHAR', campaign: 'VARCHAR', amount: 'BIGINT'})",
        [f"{tmp_path}/in/*"],
    )
    expected = sorted(in_duckdb(base, rules))
    assert sorted(map(found, panes.collect())) == expected
    assert expected == sorted(by_hand(rows, rules))
    assert len(expected) > size // 50


def test_a_lateness_of_zero_emits_each_session_once(spark: SparkSession, tmp_path: Path) -> None:
    """Without lateness, no pane is withdrawn, whatever arrives late (R53, R79)."""
    rows = drawn(11, 300)
    add_files(tmp_path / "in", *map(texts, cut(rows, 3)), [], [])
    reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    output = summed(reader.json(str(tmp_path / "in")), RULES[3], lateness="0 seconds")
    panes: list[Any] = []
    refused: list[Any] = []
    output.start(
        checkpoint=tmp_path / "checkpoint",
        panes=lambda some, _: panes.extend(some.collect()),
        rejected=lambda some, _: refused.extend(some.collect()),
        availableNow=True,
    ).awaitTermination()
    assert {(row.pane.timing, row.pane["index"], row.pane.is_retraction) for row in panes} == {
        ("ON_TIME", 0, False)
    }
    assert len({found(row)[:3] for row in panes}) == len(panes) > 20
    assert len(refused) > 5


SQL = """SELECT key, window, n FROM windrow_session(
  TABLE(SELECT key, count(*) AS n FROM visits GROUP BY key), time => 'time', gap => '30 seconds',
  ends_with => "event = 'logout'", max_length => INTERVAL 60 SECONDS, split => {split},
  lateness => '0 seconds')"""


@pytest.mark.parametrize("split", ["'campaign'", "array('campaign', 'amount % 2')"])
def test_sql_is_python(spark: SparkSession, split: str) -> None:
    """The arguments of SQL mean those of Python, also several expressions."""
    rows = drawn(5, 200)
    df = spark.createDataFrame(texts(rows), SCHEMA.replace("timestamp", "string")).withColumn(
        "time", F.col("time").cast("timestamp")
    )
    df.createOrReplaceTempView("visits")
    several = ["campaign", "amount % 2"] if "array" in split else "campaign"
    windows = wr.Session(
        "30 seconds", endsWith="event = 'logout'", maxLength="60 seconds", split=several
    )
    stream = wr.stream(df, time="time", key="key").lateness("0 seconds")
    panes = stream.window(windows).aggregate(F.count("*").alias("n")).panes
    ours = panes.select("key", "window", "n").collect()
    assert sorted(ours) == sorted(spark.sql(SQL.format(split=split)).collect())
    assert len(ours) > 20


#: Visits of a website, and the sessions of each user by hand: the first minute, and the rows.
VISITS = [
    ("ann", "09:00", "login"),
    ("ann", "09:05", "click"),
    ("ann", "09:06", "logout"),
    ("ann", "09:10", "login"),
    ("ann", "09:15", "click"),
    ("ann", "10:30", "login"),
    ("ann", "10:31", "logout"),
    ("bob", "09:00", "login"),
    ("bob", "09:20", "click"),
    ("bob", "10:30", "click"),
]
UNTIL_LOGOUT = {
    ("ann", "09:00"): 3,
    ("ann", "09:10"): 2,
    ("ann", "10:30"): 2,
    ("bob", "09:00"): 2,
    ("bob", "10:30"): 1,
}
CAMPAIGNS = [
    ("eve", "09:00", "a"),
    ("eve", "09:10", "a"),
    ("eve", "09:20", "b"),
    ("eve", "09:25", "b"),
    ("eve", "09:30", "a"),
]
OF_CAMPAIGNS = {("eve", "09:00"): 2, ("eve", "09:20"): 2, ("eve", "09:30"): 1}


@pytest.mark.parametrize(
    ("session", "rows", "expected"),
    [
        (wr.Session("30 minutes", endsWith="event = 'logout'"), VISITS, UNTIL_LOGOUT),
        (wr.Session("30 minutes", split="event"), CAMPAIGNS, OF_CAMPAIGNS),
    ],
    ids=["logout", "campaign"],
)
def test_visits_of_a_website(
    spark: SparkSession, session: wr.Session, rows: Any, expected: Any
) -> None:
    """A visit ends at a logout or after 30 minutes without a row, or when the campaign changes."""

    def visits(df: DataFrame) -> wr.Output:
        stream = wr.stream(df, time="time", key="user", watermark="0 seconds")
        return stream.lateness("0 seconds").window(session).aggregate(F.count("*").alias("n"))

    with wr.testing.harness(visits, spark, schema="user string, time timestamp, event string") as h:
        for user, time, event in sorted(rows, key=lambda row: row[1]):
            h.add([{"user": user, "time": f"2025-01-01 {time}", "event": event}])
        h.finish()
        found = {(p["user"], f"{p['window']['start']:%H:%M}"): p["n"] for p in h.panes()}
    assert found == expected


def test_all_problems_are_in_one_message(spark: SparkSession, tmp_path: Path) -> None:
    """Wrong expressions and lengths are refused before the query starts, together."""
    df = spark.readStream.schema(SCHEMA).json(str(tmp_path))
    stream = wr.stream(df, time="time", key="key", watermark="0 seconds").lateness("1 hour")
    windows = stream.window(
        wr.Session(
            "30 seconds", endsWith="amount", split=["nobody", "rand()", "sum(amount)", "now()"]
        )
    ).accumulationMode(wr.ACCUMULATING)
    with pytest.raises(wr.SpecError) as refused:
        windows.aggregate(F.count("*").alias("n")).output  # noqa: B018  plans the query
    text = str(refused.value)
    assert "endsWith ('amount') has the type BIGINT" in text
    for wrong in ("'nobody'", "'rand()'", "'sum(amount)'", "'now()'"):
        assert f"split ({wrong}) cannot be computed from one row" in text
    with pytest.raises(wr.SpecError, match=r"SESSION_CUT.*maxLength|maxLength.*SESSION_CUT"):
        stream.window(wr.Session("30 seconds", maxLength="0 seconds", endsWith=" ")).aggregate(
            F.count("*").alias("n")
        )
    for wrong_mode in (wr.DISCARDING,):
        with pytest.raises(wr.SpecError, match="SESSION_CUT"):
            stream.window(kind(RULES[0])).accumulationMode(wrong_mode).aggregate(
                F.count("*").alias("n")
            )
    with pytest.raises(wr.SpecError, match="SESSION_CUT"):
        stream.retain(time="1 day").window(kind(RULES[0])).keepRows().output  # noqa: B018
    with pytest.raises(wr.SpecError, match="NAME_NOT_UNDERSTOOD"):
        wr.Session("30 seconds", endsWith=3, split=[None])  # type: ignore[arg-type, list-item]


def test_explain_states_the_rules(spark: SparkSession, tmp_path: Path, capsys: Any) -> None:
    """The explanation contains each rule, and why rows are sorted."""
    df = spark.readStream.schema(SCHEMA).json(str(tmp_path))
    summed(df, Rules(30 * SECOND, logout=True, most=3_600 * SECOND, split=True)).explain()
    text = capsys.readouterr().out
    for part in ("A row with event = 'logout' ends its session", "longer than 1 hour", "campaign"):
        assert part in text


@pytest.mark.parametrize("changed", ["event = 'exit'", pytest.param(None, marks=pytest.mark.full)])
def test_a_restart_with_another_end_is_refused(
    spark: SparkSession, tmp_path: Path, changed: str | None
) -> None:
    """The state depends on the expressions, so a checkpoint does not accept others (S2)."""
    add_files(tmp_path / "in", texts(drawn(1, 20)))
    df = spark.readStream.schema(SCHEMA).json(str(tmp_path / "in"))

    def output(ends: str | None) -> wr.Output:
        stream = wr.stream(df, time="time", key="key", watermark="0 seconds").lateness("0 seconds")
        windows = stream.window(wr.Session("30 seconds", endsWith=ends, maxLength="1 hour"))
        return windows.aggregate(F.count("*").alias("n"))

    where: dict[str, Any] = {"checkpoint": tmp_path / "checkpoint", "panes": lambda *_: None}
    output("event = 'logout'").start(**where, availableNow=True).awaitTermination()
    with pytest.raises(wr.WindrowError, match="SPEC_CHANGED"):
        output(changed).start(**where, availableNow=True)
