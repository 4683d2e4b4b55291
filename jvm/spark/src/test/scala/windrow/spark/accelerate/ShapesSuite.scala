package windrow.spark.accelerate

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, Row, SparkSession}
import org.scalatest.tags.Slow
import scala.util.Random
import windrow.spark.{MemoryStream, SparkSuite, Windrow}

/** Runs queries of the shapes of Spark's own suites on Spark and on Windrow and compares each micro-batch (SEMANTICS R97).
  * `scripts/accelerate` runs all of them; by default a few run.
  */
@Slow
final class ShapesSuite extends SparkSuite {
  private val isFull = sys.props.get("windrow.mode").contains("full")
  private val size   = 10 // so many queries with the same mode run as one

  /** Queries that contain this text; by default all. */
  private val chosen = sys.props.getOrElse("windrow.shapes", "")

  private val shapes =
    if (isFull) Shapes.all.filter(_.text.contains(chosen))
    else new Random(7).shuffle(Shapes.all.filter(_.mode == "append")).take(8)

  /** The decisions about a query as if it started now. */
  private def decisions(shape: Shape): Seq[OperatorAcceleration] = {
    views()
    val mode = Seq(OutputMode.Append(), OutputMode.Update(), OutputMode.Complete()).find(one =>
      one.toString.equalsIgnoreCase(shape.mode))
    val operators = Windrow.explainAcceleration(shape.query(spark), mode.get).operators
    assert(operators.nonEmpty, shape)
    operators
  }

  /** Creates the views of the inputs, which the explanation reads. */
  private def views(): Unit = {
    implicit val events: Encoder[Event] = Encoders.product[Event]
    implicit val session: SparkSession  = spark
    (0 to 1).foreach(i =>
      MemoryStream[Event].toDF().withWatermark("time", "10 seconds").createOrReplaceTempView(s"t$i"))
  }

  /** Returns the queries as one, whose rows name their query. */
  private def together(some: Seq[Shape])(session: SparkSession): DataFrame = some.zipWithIndex.map { case (one, i) =>
    one.query(session).select(
      lit(i).as("query"),
      to_json(struct("*"), java.util.Map.of("timestampFormat", "yyyy-MM-dd HH:mm:ss.SSSSSS")).as("row"))
  }.reduce(_.union(_))

  /** Runs the queries. With one partition, and in Spark with state in memory, because both are faster. */
  private def run(some: Seq[Shape], seed: Int, isOn: Boolean): Ran = {
    val input = (0 to 1).map(i => Compared.events(seed * 10L + i, if (isFull) 4 else 3, 40))
    val store = "spark.sql.streaming.stateStore.providerClass"
    val set = Map("spark.sql.shuffle.partitions" -> "1") ++ Option.when(!isOn)(
      store -> "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider")
    val before = set.map { case (name, _) => name -> spark.conf.get(name) }
    set.foreach { case (name, value) => spark.conf.set(name, value) }
    try new Compared(spark, some.head.mode, "10 seconds", input, together(some)).run(Seq(0 -> isOn))
    finally before.foreach { case (name, value) => spark.conf.set(name, value) }
  }

  /** Returns descriptions of the queries that differ. Operators that Windrow runs alone it also runs together. */
  private def different(some: Seq[Shape], seed: Int): Seq[String] = {
    val (off, on) = (run(some, seed, isOn = false), run(some, seed, isOn = true))
    if (some.size > 1 && on.codes.exists(_ != "accelerated")) some.flatMap(one => different(Seq(one), seed))
    else if (!on.codes.contains("accelerated")) Seq(s"${some.head.text}: ${on.decisions}")
    else {
      def of(ran: Ran, i: Int) = ran.copy(batches = ran.batches.map { case (batch, rows) =>
        batch -> rows.collect { case Row(`i`, text: String) => Row(ShapesSuite.cells(text): _*) }
      })
      some.zipWithIndex.flatMap { case (one, i) =>
        note(s"${of(off, i).rows} rows: ${one.suite}, ${one.mode}: ${one.text}")
        of(on, i).differsFrom(of(off, i)).map(how => s"${one.suite}, ${one.mode}: ${one.text}\n  $how")
      }
    }
  }

  test("queries of the shapes of Spark's own suites return the same rows in each micro-batch") {
    val found               = shapes.map(one => one -> decisions(one))
    val (accelerated, kept) = found.partition(_._2.forall(_.isAccelerated))
    val parts               = kept.filter(_._2.exists(_.isAccelerated)).map { case (one, _) => Seq(one) }
    val groups = accelerated.map(_._1).groupBy(_.mode).toSeq.sortBy(_._1).flatMap(_._2.grouped(size)) ++ parts
    val codes = kept.map(_._2.flatMap(_.reason).head.code).groupBy(identity).toSeq.sortBy(-_._2.size)
      .map { case (code, of) => s"${of.size} $code" }
    val counts = s"${shapes.size} queries: ${accelerated.size} accelerated, ${kept.size} kept by Spark with a code " +
      s"(${codes.mkString(", ")})"
    alert(s"$counts, as ${groups.size} runs")
    val wrong = groups.zipWithIndex.flatMap { case (some, seed) =>
      val found =
        try different(some, seed)
        catch { case failed: Exception => Seq(s"${some.map(_.text)}: $failed") }
      alert(s"${seed + 1} of ${groups.size} runs, with ${some.size} queries in mode ${some.head.mode}: $found")
      found
    }
    println(s"$counts, ${wrong.size} different [Spark ${spark.version}]")
    assert(wrong.isEmpty, wrong.mkString("\n", "\n", ""))
    assert(accelerated.size >= shapes.size * 0.6)
  }
}

object ShapesSuite {
  private val mapper = new com.fasterxml.jackson.databind.ObjectMapper

  /** Returns the values of a row as JSON, numbers with a fraction as such, because their last digits may differ. */
  private def cells(text: String): Seq[Any] = {
    import scala.jdk.CollectionConverters._
    mapper.readTree(text).properties.asScala.toSeq.flatMap { field =>
      Seq(
        field.getKey,
        if (field.getValue.isFloatingPointNumber) field.getValue.doubleValue else field.getValue.toString)
    }
  }
}
