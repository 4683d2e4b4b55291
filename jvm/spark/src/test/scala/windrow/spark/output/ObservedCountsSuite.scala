package windrow.spark.output

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, DeclarativeAggregate}
import org.apache.spark.sql.catalyst.plans.logical.{CollectMetrics, LogicalPlan}
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.SparkSuite
import windrow.spark.rows.RowPacket

/** Tests that the number of open windows is known if all shards report theirs (SEMANTICS S16). */
final class ObservedCountsSuite extends SparkSuite {
  private val counts = CountColumns("panes", windows = true)

  /** Creates the packet of a shard with its open windows and the change of their number, or None if the shard does not
    * know the change.
    */
  private def packet(open: Long, change: Option[Long]): Array[Byte] = {
    val writer = new RowPacket.Writer(counts.all)
    val told   = Seq(open, change.getOrElse(0L), 1L, if (change.isEmpty) 1L else 0L)
    told.zipWithIndex.foreach { case (value, i) => writer.add(counts.names.size + i, value) }
    writer.result()
  }

  private def plan(packets: Array[Byte]*): LogicalPlan = {
    import spark.implicits._
    ObservedCounts(spark, "orders", SparkInside.plan(packets.toDF("packet").repartition(2)), counts, number = 2)
  }

  private def observed(packets: Array[Byte]*): Row = {
    val frame = SparkInside.frame(spark, plan(packets: _*))
    frame.collect()
    frame.queryExecution.observedMetrics(OutputColumns.metrics("orders"))
  }

  private def open(row: Row): (Any, Any) =
    (row.getAs[Any](CountColumns.OpenWindows), row.getAs[Any](CountColumns.OpenChange))

  test("all shards have reported, one rests, one does not know its increase") {
    assert(open(observed(packet(5, Some(2)), packet(7, Some(-1)))) == ((12L, 1L)))
    assert(open(observed(packet(5, Some(2)))) == ((null, 2L)))
    assert(open(observed(packet(5, Some(2)), packet(7, None))) == ((12L, null)))
  }

  test("counts are summed over all packets, those of several tasks too, and are 0 of none") {
    val count = 20000
    val packets = (1 to count).map { accepted =>
      val writer = new RowPacket.Writer(counts.all)
      writer.add(counts.names.indexOf("accepted"), accepted.toLong)
      writer.add(counts.names.indexOf("too_late"), 1)
      writer.result()
    }
    val all = observed(packets: _*)
    assert(counts.names.map(all.getAs[Long](_)) == counts.names.map {
      case "accepted" => count * (count + 1L) / 2
      case "too_late" => count.toLong
      case _          => 0L
    })
    assert(counts.names.forall(observed().getAs[Long](_) == 0L))
    assert(all.schema.fieldNames.toSeq == counts.names ++ Seq(CountColumns.OpenWindows, CountColumns.OpenChange))
  }

  test("tasks generate code for one buffer, and send only Spark's classes to the driver") {
    val metrics  = plan().collect { case observed: CollectMetrics => observed.metrics }.flatten
    val all      = metrics.flatMap(_.collect { case AggregateExpression(one, _, _, _, _) => one })
    val declared = all.collect { case one: DeclarativeAggregate => one }
    assert(all.size >= counts.all && declared.size == all.size)
    assert(declared.flatMap(_.aggBufferAttributes).size == 1)
    val sent = declared.flatMap(one => one.initialValues ++ one.updateExpressions ++ one.mergeExpressions)
    val own = sent.flatMap(_.collect {
      case expression if expression.getClass.getName.contains("windrow") => expression
    })
    assert(sent.size == 3 && own.isEmpty)
  }
}
