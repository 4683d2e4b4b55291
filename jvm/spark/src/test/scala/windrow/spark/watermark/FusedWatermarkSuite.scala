package windrow.spark.watermark

import java.sql.Timestamp
import org.apache.spark.sql.execution.aggregate.HashAggregateExec
import org.apache.spark.sql.execution.{InputAdapter, SparkPlan, WholeStageCodegenExec}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, classic}
import org.scalatest.tags.Slow
import scala.jdk.CollectionConverters._
import windrow.spark.pack.CombineChoice
import windrow.spark.{MemoryStream, SparkSuite}

/** Tests that Spark sees the same event times from the watermark in generated code as from its own node. */
@Slow
class FusedWatermarkSuite extends SparkSuite {
  private type Message = (Timestamp, Long)

  private def at(millis: Long): Timestamp = new Timestamp(millis)

  /** Returns the event times that Spark reports for each micro-batch, and the plan of the last one. */
  private def told(batches: Seq[Seq[Message]], settings: (String, String)*)(
      query: DataFrame => DataFrame): (Seq[Map[String, String]], SparkPlan) = {
    implicit val session: classic.SparkSession = spark.asInstanceOf[classic.SparkSession].newSession()
    import session.implicits._
    settings.foreach { case (name, value) => session.conf.set(name, value) }
    val input   = MemoryStream[Message]
    val marked  = input.toDF().toDF("time", "key").withWatermark("time", "10 seconds")
    val running = query(marked).writeStream.format("noop").option("checkpointLocation", SparkSuite.folder()).start()
    try {
      batches.foreach { some =>
        input.addData(some)
        running.processAllAvailable()
      }
      val plan = SparkSuite.executedPlan(running)
      (running.recentProgress.toSeq.map(_.eventTime.asScala.toMap), plan)
    } finally running.stop()
  }

  private def nodes(plan: SparkPlan): Seq[String] =
    plan.collect { case node if node.getClass.getSimpleName.endsWith("WatermarkExec") => node.getClass.getSimpleName }

  private def windrow(rows: DataFrame): DataFrame = {
    rows.createOrReplaceTempView("orders")
    rows.sparkSession.sql("""SELECT * FROM windrow_tumble(TABLE(SELECT key, count(*) n FROM orders GROUP BY key),
      time => 'time', size => '1 minute', lateness => '0 seconds')""")
  }

  private def ofSpark(rows: DataFrame): DataFrame = rows.groupBy(window(col("time"), "1 minute"), col("key")).count()

  private val some: Seq[Seq[Message]] = Seq(
    Seq(at(1500)   -> 1, at(-90001)                   -> 2, at(-1)     -> 1),
    Seq(at(61000)  -> 1, null.asInstanceOf[Timestamp] -> 2L, at(59999) -> 3),
    Seq(at(200000) -> 1, at(3000)                     -> 1),
    Seq(at(260000) -> 4))

  private val many: Seq[Seq[Message]] =
    (0 until 4).map(batch =>
      (0 until 20000).map(i => at(batch * 30000L + (i * 7919L) % 41000 - 20000) -> (i % 7).toLong))

  for ((what, batches) <- Seq("few messages, before 1970 and without a time" -> some, "many" -> many))
    test(s"event times are those of Spark's own node: $what") {
      val (found, plan) = told(batches)(windrow)
      val (own, other)  = told(batches)(ofSpark)
      assert(nodes(plan) == Seq("FusedWatermarkExec") && nodes(other) == Seq("EventTimeWatermarkExec"))
      assert(found.filter(_.contains("max")) == own.filter(_.contains("max")))
      assert(found.count(_.contains("max")) == batches.size)
    }

  test("and without generated code") {
    val (found, plan) = told(some, "spark.sql.codegen.wholeStage" -> "false")(windrow)
    assert(nodes(plan) == Seq("FusedWatermarkExec"))
    assert(found.filter(_.contains("max")) == told(some)(ofSpark)._1.filter(_.contains("max")))
  }

  test("it is in one stage of generated code with the combination of rows") {
    def inStage(plan: SparkPlan): Seq[SparkPlan] = plan match {
      case _: InputAdapter => Nil
      case other           => other +: other.children.flatMap(inStage)
    }
    val (_, plan) = told(some, CombineChoice.Setting -> "always")(rows => windrow(rows.where(col("key") > 0)))
    val stages    = plan.collect { case stage: WholeStageCodegenExec => inStage(stage.child) }
    assert(stages.exists(stage =>
      stage.exists(_.getClass.getSimpleName == "FusedWatermarkExec") && stage.exists(
        _.isInstanceOf[HashAggregateExec])))
  }
}
