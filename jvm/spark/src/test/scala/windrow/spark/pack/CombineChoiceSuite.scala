package windrow.spark.pack

import java.sql.Timestamp
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{DataFrame, Row, classic}
import org.scalatest.tags.Slow
import scala.collection.mutable
import windrow.core.Full
import windrow.spark.{MemoryStream, SparkSuite}

/** Tests that rows are combined before the shuffle if earlier micro-batches have shown that it pays off (SEMANTICS T3).
  */
@Slow
class CombineChoiceSuite extends SparkSuite {
  private val count = 4000

  /** Returns whether the rows of each micro-batch were combined, and all output rows. */
  private def run(
      setting: String,
      batches: Seq[Int],
      value: String = "sum(value)"): (Seq[Boolean], Set[Row]) = {
    implicit val session: classic.SparkSession = spark.asInstanceOf[classic.SparkSession].newSession()
    import session.implicits._
    session.conf.set(CombineChoice.Setting, setting)
    session.conf.set(
      "spark.sql.streaming.noDataMicroBatches.enabled",
      "false"
    ) // the test reads the plan of a micro-batch with rows
    val input = MemoryStream[(Timestamp, Long, Long)]
    input.toDF().toDF("time", "key", "value").createOrReplaceTempView("orders")
    val panes = session.sql(s"""SELECT * FROM windrow_tumble(TABLE(SELECT key, count(*) n, $value total FROM orders
      GROUP BY key), time => 'time', size => '1 minute', watermark => '0 seconds', lateness => '0 seconds')""")
    val rows  = mutable.Set.empty[Row]
    val plans = mutable.Buffer.empty[Boolean]
    val query = panes.writeStream.option("checkpointLocation", SparkSuite.folder())
      .foreachBatch { (batch: DataFrame, _: Long) =>
        rows ++= batch.select("key", "window", "n", "total").collect()
        ()
      }.start()
    try batches.zipWithIndex.foreach { case (keys, batch) =>
        input.addData((0 until count).map(n => (new Timestamp(batch * 60000L + n % 60000), n.toLong % keys, n.toLong)))
        query.processAllAvailable()
        val plan = SparkSuite.executedPlan(query)
        plans += plan.exists(_.isInstanceOf[BaseAggregateExec])
      }
    finally query.stop()
    (plans.toSeq, rows.toSet)
  }

  test("it is left where nearly all messages are alone, and done where they are not") {
    val sparse           = Seq(count, count, count)
    val (auto, some)     = run("auto", sparse)
    val (always, others) = run("always", sparse)
    val (never, last)    = run("never", sparse)
    assert(auto.head && !auto(2) && always.forall(identity) && never.forall(!_))
    assert(some == others && some == last && some.nonEmpty)
    assert(run("auto", Seq(10, 10, 10))._1.forall(identity))
  }

  test("values of any length are combined, also where their groups are so many that Spark sorts them") {
    val values = Seq(
      "max(concat('t', value))"                                                               -> 1000,
      "min(named_struct('v', value % 7, 'text', concat('t', value)))"                         -> 1000,
      "max(CASE WHEN value % 3 = 0 THEN concat('t', value) END) FILTER (WHERE value % 2 = 0)" -> 3)
    for ((value, some) <- values; keys <- if (Full.isFull) Seq(3, 1000) else Seq(some)) {
      val batches         = Seq(keys, keys, keys)
      val (combined, all) = run("always", batches, value)
      val (alone, same)   = run("never", batches, value)
      assert(combined.forall(identity) && alone.forall(!_))
      assert(all == same && all.size >= keys, value)
    }
  }

  test("messages that Spark cannot sort are not combined: it sorts groups where they do not fit into memory") {
    implicit val session: classic.SparkSession = spark.asInstanceOf[classic.SparkSession].newSession()
    import session.implicits._
    session.conf.set(CombineChoice.Setting, "always")
    session.conf.set("spark.sql.TungstenAggregate.testFallbackStartsAt", "2,3")
    val input = MemoryStream[(Timestamp, Long)]
    def counted(more: String) = {
      input.toDF().toDF("time", "key").selectExpr("*", s"$more AS more").createOrReplaceTempView("orders")
      session.sql("""SELECT * FROM windrow_tumble(TABLE(SELECT key, count(*) n FROM orders GROUP BY key),
        time => 'time', size => '1 minute', watermark => '0 seconds', lateness => '0 seconds')""")
    }
    input.addData((1L to 20L).map(key => (new Timestamp(key), key)))
    input.addData((new Timestamp(90000), 1L))
    val variant = counted("array(parse_json('{}'))")
    assert(rowsOf(variant)(Seq(() => ())).size == 20)
    assert(ShuffleText.described(
      "",
      SparkInside.plan(variant)).contains("each separately, because Spark cannot sort rows with such columns"))
    for (sorted <- Seq("map('a', key)", "make_interval(1)", "array(key)")) {
      val panes = counted(sorted)
      assert(ShuffleText.described(
        "",
        SparkInside.plan(panes)).contains(CombineChoice.inWords("share a key and a slice")))
    }
  }

  test("a word that the setting does not have is refused before the query begins") {
    val refused = intercept[Exception](run("sometimes", Seq(10)))
    assert(refused.getMessage.contains("[COMBINE_UNKNOWN] spark.windrow.combine: The value is 'sometimes'"))
  }

  test("the effect of combining is measured again after some micro-batches") {
    val tried = new CombineChoice.CombineTrial
    assert(tried.paid())
    tried.left(() => Some(0.9))
    val after = Seq.fill(120)(tried.paid())
    assert(after.count(identity) == 2 && after.indexOf(true) == CombineChoice.Again)
    tried.left(() => None) // an empty micro-batch is ignored
    assert(!tried.paid())
    tried.left(() => Some(0.5))
    assert(Seq.fill(120)(tried.paid()).forall(identity))
  }
}
