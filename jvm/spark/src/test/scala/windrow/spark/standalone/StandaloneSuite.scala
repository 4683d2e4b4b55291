package windrow.spark.standalone

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.ArrowTables
import org.apache.spark.unsafe.types.UTF8String
import scala.collection.mutable
import windrow.spark.SparkSuite
import windrow.{CheckpointError, SpecError}

/** Tests the methods that Python calls with the Spark version of these tests. Python's tests cover everything else. */
class StandaloneSuite extends SparkSuite {
  private val messages = StructType.fromDDL("key string, time timestamp, value bigint")

  private def json(aggregates: String = """["sum(value) AS total", "collect_list(value) AS every"]""") =
    s"""{"window": {"kind": "tumbling", "size": 60000000}, "lateness": 0, "aggregates": $aggregates,
       |"input": {"name": "orders", "schema": "key string, time timestamp, value bigint", "time": "time",
       |"key": ["key"]}}""".stripMargin

  private def table(rows: (String, Long, java.lang.Long)*): Array[Byte] =
    ArrowTables.write(
      messages,
      rows.iterator.map { case (key, seconds, value) =>
        new GenericInternalRow(Array[Any](UTF8String.fromString(key), seconds * 1000000L, value))
      })

  private def rows[T](table: Array[Byte])(read: InternalRow => T): Seq[T] = {
    val found = mutable.ArrayBuffer.empty[T]
    ArrowTables.read(table)(row => found += read(row))
    found.toSeq
  }

  private def panes(operator: StandaloneOperator) = rows(operator.outputs()) { row =>
    (row.getString(0), row.getStruct(1, 2).getLong(0), row.getLong(2), row.getArray(3).toLongArray().toSeq)
  }

  test("tables go in and come out") {
    val operator = OperatorFactory.open(spark, json(), null)
    operator.add("orders", table(("a", 30, 3L), ("a", 10, 1L), (null, 70, null)))
    operator.step(60000000L, null)
    assert(panes(operator) == Seq(("a", 0L, 4L, Seq(1L, 3L))))
    assert(panes(operator).isEmpty) // although nothing was flushed
    operator.add("orders", table(("a", 5, 9L)))
    operator.step(null, 5L)
    assert(rows(operator.rejected())(row => (row.getString(0), row.getString(1), row.getLong(2), row.getLong(3))) ==
      Seq(("orders", "TOO_LATE", 60000000L, 5L)))
    assert(operator.counters().get("TOO_LATE") == 1L)
    operator.close()
  }

  test("a checkpoint goes on with its spec alone") {
    val operator = OperatorFactory.open(spark, json(), null)
    operator.add("orders", table(("a", 30, 3L)))
    operator.step(null, null)
    operator.flush()
    val kept = operator.checkpoint()
    operator.reset(null)
    operator.finish()
    assert(panes(operator).isEmpty)
    operator.reset(kept)
    operator.finish()
    assert(panes(operator) == Seq(("a", 0L, 3L, Seq(3L))))
    val other = OperatorFactory.open(spark, json("""["max(value) AS top"]"""), null)
    assert(intercept[CheckpointError](other.reset(kept)).getMessage.startsWith("[SPEC_CHANGED]"))
    Seq(operator, other).foreach(_.close())
  }

  test("all wrong names and aggregates are reported together") {
    val error = intercept[SpecError](OperatorFactory.open(spark, json("""["max(price)", "sum(qty)"]"""), null))
    assert(error.problems.map(_.code) == Seq("AGGREGATE_NOT_UNDERSTOOD", "AGGREGATE_NOT_UNDERSTOOD"))
  }

  test("reserved names, duplicate names, and nondeterministic expressions") {
    def codes(text: String) = intercept[SpecError](OperatorFactory.open(spark, text, null)).problems.map(_.code)
    assert(codes(json().replace("key string", "window string").replace("[\"key\"]", "[\"window\"]")) ==
      Seq("NAME_TAKEN"))
    assert(codes(json().replace("key string", "key string, KEY string")) == Seq("NAME_TWICE"))
    assert(codes(json("""["sum(value) + rand() AS noise"]""")) == Seq("AGGREGATE_NOT_SUPPORTED"))
    val inherits = json().replaceFirst("\\{\"kind\".*?\\}", """{"kind": "inherit", "column": "window"}""")
    assert(codes(inherits) == Seq("INHERIT_NOT_HERE"))
    assert(codes(json().replace("\"key\": [", "\"gap\": \"value\", \"key\": [")) == Seq("VALUE_NOT_SUPPORTED"))
  }

  test("a message is judged by the watermark before its step, at a clock that never falls") {
    val operator = OperatorFactory.open(spark, json(), null)
    operator.step(60000000L, 9L)
    operator.add("orders", table(("a", 5, 9L)))
    operator.step(120000000L, 5L)
    assert(rows(operator.rejected())(row => (row.getLong(2), row.getLong(3))) == Seq((60000000L, 9L)))
    operator.close()
  }

  test("offsets of a window are those of all partitions") {
    val operator = OperatorFactory.open(
      spark,
      """{"operator": "full_state", "window": {"kind": "global"}, "retention": {"messages": 9}, "lateness": 0,
        |"input": {"name": "orders", "schema": "key string, time timestamp, value bigint", "time": "time", "key": ["key"],
        |"row_id": {"source": "key", "partition": "value", "offset": "value"}}}""".stripMargin,
      null)
    operator.add("orders", table(("a", 1, 3L), ("a", 2, 7L)))
    operator.step(null, null)
    assert(rows(operator.windows(null, null, null))(row => (row.getLong(2), row.getLong(3))) == Seq((3L, 7L)))
    operator.close()
  }
}
