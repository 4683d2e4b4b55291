package windrow.spark.accelerate

import java.sql.Timestamp
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, Row, SparkSession}
import scala.collection.mutable
import windrow.spark.{AgainstSparkSuite, MemoryStream, SparkSuite, Windrow}

/** A row of the input of compared queries. */
final case class Event(input: Int, time: Timestamp, k: String, v: java.lang.Long, d: Double, b: Boolean)

/** The result of a query.
  *
  * @param batches
  *   the rows of each micro-batch
  * @param operators
  *   the names of the operators in the last progress
  * @param starts
  *   the decisions of each start
  */
final case class Ran(batches: Map[Long, Seq[Row]], operators: Seq[String], dropped: Long, starts: Seq[Acceleration]) {

  /** The decisions of the last start. */
  def decisions: Acceleration = starts.last

  /** The codes of the last start, the operator nearest to the sink first. */
  def codes: Seq[String] = decisions.operators.map(_.reason.fold("accelerated")(_.code))

  /** Returns a description of the first difference from another run, or None. */
  def differsFrom(other: Ran): Option[String] =
    (batches.keySet ++ other.batches.keySet).toSeq.sorted.flatMap { batch =>
      val (ours, theirs) = (cells(batch), other.cells(batch))
      val isSame = ours.size == theirs.size && ours.zip(theirs).forall { case (a, b) => AgainstSparkSuite.same(a, b) }
      Option.unless(isSame)(
        s"batch $batch: only here ${ours.diff(theirs).take(3)}, only there ${theirs.diff(ours).take(3)}")
    }.headOption

  /** The rows of a micro-batch, sorted by their cells without floating-point values. */
  private def cells(batch: Long): Seq[Seq[Any]] = batches.getOrElse(batch, Nil).map(AgainstSparkSuite.cells)
    .map(_.map { case value: Double if value.isNaN => "NaN"; case value => value }).sortBy(row =>
      (row.filterNot(_.isInstanceOf[Double]).toString, row.toString))

  def rows: Int = batches.values.map(_.size).sum
}

/** Runs one query with the setting off or on and with restarts.
  *
  * @param queries
  *   creates the query over views of the inputs, which are named `t0`, `t1`, and so on
  * @param input
  *   the rows of each micro-batch of each input
  * @param before
  *   what happens to each input before its watermark
  */
final class Compared(
    session: SparkSession,
    mode: String,
    delay: String,
    input: Seq[Seq[Seq[Event]]],
    query: SparkSession => DataFrame,
    before: DataFrame => DataFrame = identity) {
  private implicit val spark: SparkSession    = session
  private implicit val events: Encoder[Event] = Encoders.product[Event]

  /** Runs the query.
    *
    * @param settings
    *   for each start the number of micro-batches before it, and whether the setting is on
    */
  def run(settings: Seq[(Int, Boolean)]): Ran = {
    val source     = MemoryStream[Event] // only one, so that a micro-batch has rows of all inputs
    val checkpoint = SparkSuite.folder()
    val batches    = mutable.Map.empty[Long, Seq[Row]]
    var operators  = Seq.empty[String]
    val dropped    = mutable.Map.empty[Long, Long]
    val decisions  = mutable.ArrayBuffer.empty[Acceleration]
    var running    = Option.empty[StreamingQuery]
    setUp()
    def stop(): Unit = running.foreach { query =>
      query.recentProgress.foreach { progress =>
        dropped(progress.batchId) = progress.stateOperators.map(_.numRowsDroppedByWatermark).sum
        if (progress.stateOperators.nonEmpty) operators = progress.stateOperators.map(_.operatorName).toSeq
      }
      query.stop()
      running = None
    }
    def start(isOn: Boolean): Unit = {
      stop()
      session.conf.set(AccelerationRule.Setting, isOn.toString)
      input.indices.foreach(i =>
        before(source.toDF().where(s"input = $i").drop("input")).withWatermark("time", delay)
          .createOrReplaceTempView(s"t$i"))
      running = Some(query(session).writeStream.outputMode(mode).option("checkpointLocation", checkpoint)
        .foreachBatch { (batch: DataFrame, id: Long) => batches(id) = batch.collect().toSeq; () }.start())
      decisions += Windrow.explainAcceleration(running.get)
    }
    try {
      val starts = settings.toMap
      input.head.indices.foreach { batch =>
        starts.get(batch).foreach(start)
        source.addData(input.zipWithIndex.flatMap { case (rows, i) => rows(batch).map(_.copy(input = i)) })
        running.get.processAllAvailable()
      }
      stop()
    } finally {
      running.foreach(_.stop())
      Seq(AccelerationRule.Setting, "spark.sql.exchange.reuse").foreach(session.conf.unset)
    }
    Ran(batches.toMap, operators, dropped.values.sum, decisions.toSeq)
  }

  /** Makes micro-batches short. Spark does not drop late rows in an operator that reads the shuffle of another one. */
  private def setUp(): Unit = {
    session.conf.set("spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled", "true")
    session.conf.set("spark.sql.exchange.reuse", "false")
  }

  def off: Ran = run(Seq(0 -> false))
  def on: Ran  = run(Seq(0 -> true))
}

object Compared {

  /** Creates rows out of order, some of them too late, with null times, keys, and values. */
  def events(seed: Long, batches: Int, rows: Int = 80): Seq[Seq[Event]] = {
    val random = new scala.util.Random(seed)
    var now    = 1600000000000L
    Seq.fill(batches)(Seq.fill(random.nextInt(rows)) {
      now += random.nextInt(4000)
      val back = random.nextInt(10) match {
        case 0 => random.nextInt(300000)
        case 1 => random.nextInt(60000)
        case _ => random.nextInt(8000)
      }
      val millis = if (random.nextInt(4) == 0) (now - back) / 10000 * 10000 else now - back
      Event(
        0,
        if (random.nextInt(40) == 0) null else new Timestamp(millis),
        if (random.nextInt(12) == 0) null else s"k${random.nextInt(4)}",
        if (random.nextInt(12) == 0) null else Long.box(random.nextInt(100).toLong),
        Seq(0.0, -0.0, 1.5, Double.NaN)(random.nextInt(4)) + (if (random.nextBoolean()) 0.0
                                                              else random.nextInt(50) / 8.0),
        random.nextBoolean())
    })
  }
}
