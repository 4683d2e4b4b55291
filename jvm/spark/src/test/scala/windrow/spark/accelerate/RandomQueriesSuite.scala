package windrow.spark.accelerate

import org.scalatest.tags.Slow
import scala.collection.mutable
import scala.util.Random
import windrow.spark.SparkSuite

/** Compares random queries on Spark and on Windrow, micro-batch by micro-batch and over restarts (SEMANTICS R97, R98).
  * `-Dwindrow.accelerate.queries`, `-Dwindrow.accelerate.batches`, and `-Dwindrow.accelerate.seed` set their numbers.
  */
@Slow
final class RandomQueriesSuite extends SparkSuite {
  private val isFull = sys.props.get("windrow.mode").contains("full")

  private def number(name: String, default: Int, full: Int): Int =
    sys.props.get(s"windrow.accelerate.$name").fold(if (isFull) full else default)(_.toInt)

  private val queries = number("queries", 2, 1000)
  private val batches = number("batches", 4, 20)
  private val first   = number("seed", 46, 1) // by default, a join, a filter on keys, sessions, and mode update

  /** Returns restarts at random micro-batches. Their settings have no effect, but they forget the watermarks of the
    * inputs, so that both engines must restart at the same ones.
    */
  private def restarts(random: Random): Seq[(Int, Boolean)] =
    random.shuffle((1 until batches).toList).take(if (isFull) 3 else 1).map(_ -> random.nextBoolean())

  test(s"$queries random queries emit the same rows in each micro-batch") {
    val counts    = mutable.Map.empty[String, Int].withDefaultValue(0)
    val different = Seq.newBuilder[String]
    var rows      = 0
    (first until first + queries).foreach { seed =>
      val query = RandomQuery(seed.toLong)
      val later = restarts(new Random(seed.toLong))
      try {
        val spark   = query.compared(this.spark, seed.toLong, batches).run((0 -> false) +: later)
        val windrow = query.compared(this.spark, seed.toLong, batches).run((0 -> true) +: later)
        windrow.decisions.operators.foreach(one => counts(one.reason.fold("accelerated")(_.code)) += 1)
        rows += spark.rows
        assert(!spark.operators.contains("transformWithStateExec"), s"seed $seed: $query")
        note(s"seed $seed: ${spark.rows} rows, ${windrow.operators.mkString(", ")}")
        windrow.differsFrom(spark).foreach(how => different += s"seed $seed: $query\n  $how\n  ${windrow.decisions}")
      } catch { case wrong: Exception => different += s"seed $seed: $query\n  $wrong" }
    }
    val found = different.result()
    info(s"$queries queries, $rows rows, operators ${counts.toMap}, ${found.size} different")
    assert(found.isEmpty, found.take(5).mkString("\n", "\n", ""))
    assert(counts("accelerated") > counts.values.sum * 0.6)
  }

  test("a wrong rewrite is found") {
    val found = (first until first + 4).iterator.map { seed =>
      val query = RandomQuery(seed.toLong)
      val spark = query.compared(this.spark, seed.toLong, 3).off
      query.compared(this.spark, seed.toLong, 3, query.wrong).on.differsFrom(spark)
    }
    assert(found.exists(_.isDefined))
  }
}
