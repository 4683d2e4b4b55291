package windrow.spark.accelerate

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, Row, SparkSession}
import scala.jdk.CollectionConverters._
import windrow.spark.{MemoryStream, Windrow}

/** Compares several queries with the same mode and watermark as the parts of one, because a run costs more than a query.
  *
  * @param rows
  *   the maximum number of rows of each input in a micro-batch
  * @param restarts
  *   for each restart the number of micro-batches before it, and whether the setting is on
  * @param compiles
  *   whether Spark compiles the expressions of each query, which takes more time than the run of a small query
  */
final class Together(
    spark: SparkSession,
    delay: String,
    batches: Int,
    rows: Int,
    seed: Long,
    restarts: Seq[(Int, Boolean)] = Nil,
    compiles: Boolean = true) {

  private val input = (0 to 1).map(i => Compared.events(seed * 10 + i, batches, rows))

  /** Returns the queries as one, whose rows name their query. */
  private def union(some: Seq[Shape])(session: SparkSession): DataFrame = some.zipWithIndex.map { case (one, i) =>
    one.query(session).select(
      lit(i).as("query"),
      to_json(struct("*"), java.util.Map.of("timestampFormat", "yyyy-MM-dd HH:mm:ss.SSSSSS")).as("row"))
  }.reduce(_.union(_))

  /** Runs the queries in a session of their own, so that several threads can run some at the same time. With one
    * partition, and in Spark with state in memory, because both are faster.
    */
  private def run(some: Seq[Shape], isOn: Boolean): Ran = {
    val session = ownSession()
    if (!isOn) session.conf.set(
      "spark.sql.streaming.stateStore.providerClass",
      "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider")
    new Compared(session, some.head.mode, delay, input, union(some)).run((0 -> isOn) +: restarts)
  }

  private def ownSession(): SparkSession = {
    val session = spark.newSession()
    session.conf.set("spark.sql.shuffle.partitions", "1")
    // A micro-batch without rows costs as much as one with rows, so only a quarter of the runs have them.
    session.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", (seed % 4 == 0).toString)
    session.conf.set("spark.sql.icu.caseMappings.enabled", "false") // otherwise a tenth of the time is upper(k)
    if (!compiles) {
      session.conf.set("spark.sql.codegen.wholeStage", "false")
      session.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    }
    SparkSession.setActiveSession(session)
    session
  }

  /** Returns descriptions of the queries that differ, and the number of rows of each query. Operators that Windrow runs
    * alone it also runs together; otherwise each half of the queries runs by itself.
    */
  def compare(some: Seq[Shape]): Seq[Outcome] =
    if (some.size > 1 && !isAccelerated(some)) {
      val (first, second) = some.splitAt(some.size / 2)
      compare(first) ++ compare(second)
    } else compared(some)

  private def isAccelerated(some: Seq[Shape]): Boolean = {
    val session = ownSession()
    Together.decisions(some.head.copy(query = union(some)))(session).forall(_.isAccelerated)
  }

  private def compared(some: Seq[Shape]): Seq[Outcome] = {
    val (off, on) = (run(some, isOn = false), run(some, isOn = true))
    if (off.operators.contains("transformWithStateExec"))
      some.map(Outcome(_, 0, Some("Windrow ran it without the setting")))
    else if (some.size > 1 && on.codes.exists(_ != "accelerated")) some.flatMap(one => compared(Seq(one)))
    else if (!on.codes.contains("accelerated")) Seq(Outcome(some.head, off.rows, Some(on.decisions.toString)))
    else {
      def of(ran: Ran, i: Int) = ran.copy(batches = ran.batches.map { case (batch, rows) =>
        batch -> rows.collect { case Row(`i`, text: String) => Row(Together.cells(text): _*) }
      })
      some.zipWithIndex.map { case (one, i) => Outcome(one, of(off, i).rows, of(on, i).differsFrom(of(off, i))) }
    }
  }
}

/** The rows that Spark returns for a query, and the first difference from Windrow. */
final case class Outcome(shape: Shape, rows: Int, difference: Option[String])

object Together {

  /** The decisions about a query as if it started now. */
  def decisions(shape: Shape)(implicit spark: SparkSession): Seq[OperatorAcceleration] = {
    implicit val events: Encoder[Event] = Encoders.product[Event]
    (0 to 1).foreach(i =>
      MemoryStream[Event].toDF().withWatermark("time", "10 seconds").createOrReplaceTempView(s"t$i"))
    val mode = Seq(OutputMode.Append(), OutputMode.Update(), OutputMode.Complete()).find(one =>
      one.toString.equalsIgnoreCase(shape.mode))
    val operators = Windrow.explainAcceleration(shape.query(spark), mode.get).operators
    assert(operators.nonEmpty, shape)
    operators
  }

  private val mapper = new com.fasterxml.jackson.databind.ObjectMapper

  /** Returns the values of a row as JSON, numbers with a fraction as such, because their last digits may differ. */
  private def cells(text: String): Seq[Any] = mapper.readTree(text).properties.asScala.toSeq.flatMap { field =>
    Seq(
      field.getKey,
      if (field.getValue.isFloatingPointNumber) field.getValue.doubleValue else field.getValue.toString)
  }
}
