package windrow.spark

import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame, Encoder, Encoders, Row, SparkSession}
import org.scalatest.tags.Slow
import scala.util.Random
import windrow._

final case class Reading(
    key: Option[String],
    time: java.sql.Timestamp,
    v: Option[Int],
    d: Double,
    s: String,
    b: Boolean)

/** A user-defined aggregate. */
object Spread extends Aggregator[java.lang.Integer, (Int, Int), Long] {
  def zero: (Int, Int) = (Int.MaxValue, Int.MinValue)
  def reduce(b: (Int, Int), v: java.lang.Integer): (Int, Int) =
    if (v == null) b else (math.min(b._1, v), math.max(b._2, v))
  def merge(a: (Int, Int), b: (Int, Int)): (Int, Int) = (math.min(a._1, b._1), math.max(a._2, b._2))
  def finish(b: (Int, Int)): Long                     = if (b._1 > b._2) -1L else b._2.toLong - b._1
  def bufferEncoder: Encoder[(Int, Int)]              = Encoders.tuple(Encoders.scalaInt, Encoders.scalaInt)
  def outputEncoder: Encoder[Long]                    = Encoders.scalaLong
}

/** Compares panes with the rows of Spark's own windows in append mode, which are the same if the lateness is 0
  * (SEMANTICS T4).
  */
@Slow
final class AgainstSparkSuite extends SparkSuite {
  private implicit lazy val session: SparkSession = spark
  private implicit val readings: Encoder[Reading] = Encoders.product[Reading]

  /** Declarative, imperative and typed aggregates, with buffers of fixed and of variable width, with and without
    * filters.
    */
  private def aggregates: Seq[Column] = {
    val spread = udaf(Spread, Encoders.INT)
    Seq(
      count("*"),
      count("v"),
      sum("v"),
      avg("v"),
      min("v"),
      max("v"),
      stddev("d"),
      variance("d"),
      skewness("d"),
      covar_samp("v", "d"),
      min("s"),
      max("s"),
      max_by(col("s"), struct("time", "d")),
      min_by(col("v"), struct("time", "d")),
      sort_array(collect_list("v")),
      sort_array(collect_set("s")),
      approx_count_distinct("s"),
      bool_and(col("b")),
      bit_xor(col("v")),
      count_if(col("b")),
      sum(when(col("b"), col("v"))),
      median(col("v")),
      percentile(col("d"), lit(0.25)),
      approx_percentile(col("v"), lit(0.5), lit(1000)),
      mode(col("b")),
      sum(col("d").cast("decimal(20,6)")),
      spread(col("v")),
      sum("v") / count("*"),
      expr("count(*) FILTER (WHERE v > 3)"),
      expr("sum(v) FILTER (WHERE b)"),
      first("s", ignoreNulls = true).isNotNull,
      hll_sketch_estimate(hll_sketch_agg(col("s"))))
      .zipWithIndex.map { case (column, i) => column.as(s"a$i") }
  }

  /** Creates rows out of order, with equal times, null keys, null values, and times on the edges of windows. */
  private def batches(seed: Long): Seq[Seq[Reading]] = {
    val random = new Random(seed)
    Seq.tabulate(5) { batch =>
      Seq.fill(60) {
        val seconds = batch * 60 + random.nextInt(120) - 60
        val millis  = if (random.nextInt(3) == 0) 0 else random.nextInt(1000)
        Reading(
          Option.when(random.nextInt(6) > 0)("k" + random.nextInt(3)),
          new java.sql.Timestamp(1600000000000L + seconds * 1000L + millis),
          Option.when(random.nextInt(5) > 0)(random.nextInt(10)),
          random.nextInt(1000) / 8.0,
          "s" + random.nextInt(6),
          random.nextBoolean())
      }
    }
  }

  private def bothOf(seed: Long)(
      ours: DataFrame => DataFrame,
      theirs: DataFrame => DataFrame): (Seq[Seq[Any]], Seq[Seq[Any]]) = {
    def run(query: DataFrame => DataFrame) = {
      val input = MemoryStream[Reading]
      val rows  = rowsOf(query(input.toDF()))(batches(seed).map(batch => () => { input.addData(batch); () }))
      rows.map(AgainstSparkSuite.cells).sortBy(_.take(3).toString)
    }
    (run(ours), run(theirs))
  }

  private val kinds: Seq[(String, WindowKind, Column)] = Seq(
    ("tumbling", Tumbling("20 seconds"), window(col("time"), "20 seconds")),
    (
      "tumbling with an offset",
      Tumbling("20 seconds", startTime = "7 seconds"),
      window(col("time"), "20 seconds", "20 seconds", "7 seconds")),
    ("hopping", Hopping("30 seconds", step = "10 seconds"), window(col("time"), "30 seconds", "10 seconds")),
    (
      "hopping with an uneven step",
      Hopping("25 seconds", step = "9 seconds"),
      window(col("time"), "25 seconds", "9 seconds")),
    (
      "hopping with many slices",
      Hopping("40 seconds", step = "3 seconds"),
      window(col("time"), "40 seconds", "3 seconds")),
    ("session", Session("3 seconds"), session_window(col("time"), "3 seconds")))

  /** The kind that every mode tests, with a key. */
  private val Always = "session"

  for ((name, kind, column) <- kinds; keyed <- Seq(true, false)
    if keyed || name != "session" // Spark does not support such a query
    if isFull || name == Always && keyed)
    test(s"$name, ${if (keyed) "keyed" else "unkeyed"}: ${aggregates.size} aggregates") {
      val keys = if (keyed) Seq("key") else Nil
      val (ours, theirs) = bothOf(name.hashCode.toLong)(
        df =>
          Windrow.stream(df, "time", keys.map(Field.ofName), watermark = Some("40 seconds")).lateness("0 seconds")
            .window(kind).aggregate(aggregates.head, aggregates.tail: _*).panes.drop("pane"),
        df => {
          val grouped = df.withWatermark("time", "40 seconds").groupBy(keys.map(col) :+ column.as("window"): _*)
          grouped.agg(aggregates.head, aggregates.tail: _*)
        })
      assert(theirs.size > 5)
      val different = ours.zip(theirs).filterNot { case (a, b) => AgainstSparkSuite.same(a, b) }
      assert(different.isEmpty, s"${different.size} of ${theirs.size} rows; for example\n" + different.headOption)
      assert(ours.size == theirs.size)
    }
}

object AgainstSparkSuite {

  /** Returns the cells of a row. Structs are flattened. */
  def cells(row: Row): Seq[Any] = row.toSeq.flatMap {
    case inner: Row => cells(inner)
    case other      => Seq(other)
  }

  /** Whether two rows are equal. Floating-point values may differ by 1e-9, because Spark does not define the order of
    * summation.
    */
  def same(ours: Seq[Any], theirs: Seq[Any]): Boolean = ours.size == theirs.size && ours.zip(theirs).forall {
    case (a: Double, b: Double) => a == b || math.abs(a - b) <= 1e-9 * math.max(1, math.max(math.abs(a), math.abs(b)))
    case (a, b)                 => a == b
  }
}
