package windrow.spark.accelerate

import org.scalatest.tags.Slow
import scala.util.Random
import windrow.spark.SparkSuite

/** Runs queries of the shapes of Spark's own suites on Spark and on Windrow and compares each micro-batch (SEMANTICS R97).
  * `scripts/accelerate` runs all of them; by default a few run.
  */
@Slow
final class ShapesSuite extends SparkSuite {
  private val size = 10 // so many queries with the same mode run as one

  /** Queries that contain this text; by default all. */
  private val chosen = sys.props.getOrElse("windrow.shapes", "")

  private val shapes =
    if (isFull) Shapes.all.filter(_.text.contains(chosen))
    else new Random(7).shuffle(Shapes.all.filter(_.mode == "append")).take(4)

  /** Returns descriptions of the queries that differ. */
  private def compare(some: Seq[Shape], seed: Int): Seq[String] =
    new Together(spark, "10 seconds", if (isFull) 4 else 3, 40, seed.toLong).compare(some).flatMap { one =>
      note(s"${one.rows} rows: ${one.shape}")
      one.difference.map(how => s"${one.shape}\n  $how")
    }

  test("queries of the shapes of Spark's own suites return the same rows in each micro-batch") {
    val found               = shapes.map(one => one -> Together.decisions(one)(spark))
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
        try compare(some, seed)
        catch { case failed: Exception => Seq(s"${some.map(_.text)}: $failed") }
      alert(s"${seed + 1} of ${groups.size} runs, with ${some.size} queries in mode ${some.head.mode}: $found")
      found
    }
    println(s"$counts, ${wrong.size} different [Spark ${spark.version}]")
    assert(wrong.isEmpty, wrong.mkString("\n", "\n", ""))
    assert(accelerated.size >= shapes.size * 0.6)
  }
}
