package windrow.spark.accelerate

import java.util.concurrent.Executors
import org.scalatest.tags.Slow
import scala.util.Random
import windrow.spark.SparkSuite

/** Compares random queries on Spark and on Windrow, micro-batch by micro-batch and over restarts (SEMANTICS R97, R98).
  * `-Dwindrow.accelerate.queries`, `-Dwindrow.accelerate.batches`, and `-Dwindrow.accelerate.seed` set their numbers,
  * and `-Dwindrow.accelerate.threads` how many runs there are at the same time.
  */
@Slow
final class RandomQueriesSuite extends SparkSuite {
  private val size = 10 // so many queries run as one

  private def number(name: String, default: Int, full: Int): Int =
    sys.props.get(s"windrow.accelerate.$name").fold(if (isFull) full else default)(_.toInt)

  private val queries = number("queries", 2, 1000)
  private val batches = number("batches", 4, 20)
  private val first   = number("seed", 46, 1)
  private val threads = number("threads", 2, Runtime.getRuntime.availableProcessors)

  /** Returns restarts at random micro-batches. Their settings have no effect, but they forget the watermarks of the
    * inputs, so that both engines must restart at the same ones.
    */
  private def restarts(random: Random): Seq[(Int, Boolean)] =
    random.shuffle((1 until batches).toList).take(if (isFull) 3 else 1).map(_ -> random.nextBoolean())

  /** Compares the queries in groups with the same mode and watermark, and each of the others alone. */
  private def compare(some: Seq[RandomQuery], alone: Seq[RandomQuery]): Seq[Outcome] = {
    val together = some.groupBy(one => one.mode -> one.delay).toSeq.sortBy(_._1).flatMap(_._2.grouped(size))
    val groups   = (together ++ alone.map(Seq(_))).map(same => same.head.delay -> same.map(_.shape()))
    val pool     = Executors.newFixedThreadPool(threads)
    val runs = groups.zipWithIndex.map { case ((delay, same), i) =>
      val random        = new Random(first.toLong + i)
      val (seed, again) = (random.nextLong(1L << 40), restarts(random))
      val run           = new Together(spark, delay, batches, 80, seed, again, compiles = i % 10 == 9)
      pool.submit(() => (i, same, outcomes(run, same)))
    }
    try runs.flatMap { run =>
        val (i, same, found) = run.get()
        found.foreach(one => note(s"${one.rows} rows: ${one.shape}"))
        println(s"${i + 1} of ${groups.size} runs, ${same.size} queries, ${found.map(_.rows).sum} rows: " +
          found.flatMap(one => one.difference.map(how => s"${one.shape}\n  $how")).mkString("\n"))
        found
      }
    finally pool.shutdownNow(): Unit
  }

  private def outcomes(run: Together, same: Seq[Shape]): Seq[Outcome] =
    try run.compare(same)
    catch { case wrong: Exception => same.map(Outcome(_, 0, Some(wrong.toString))) }

  test(s"$queries random queries emit the same rows in each micro-batch") {
    val drawn               = (first until first + queries).map(seed => RandomQuery(seed.toLong))
    val decided             = drawn.map(one => one -> Together.decisions(one.shape())(spark))
    val (accelerated, kept) = decided.partition(_._2.exists(_.isAccelerated))
    val (whole, parts)      = accelerated.partition(_._2.forall(_.isAccelerated))
    val codes               = decided.flatMap(_._2).groupMapReduce(_.reason.fold("accelerated")(_.code))(_ => 1)(_ + _)
    val found               = compare(whole.map(_._1), parts.map(_._1))
    val wrong               = found.flatMap(one => one.difference.map(how => s"${one.shape}\n  $how"))
    val counts = s"$queries queries from seed $first, $batches micro-batches: ${accelerated.size} accelerated, " +
      s"${kept.size} kept by Spark, operators $codes, ${found.map(_.rows).sum} rows, ${wrong.size} different"
    println(s"$counts [Spark ${spark.version}]")
    assert(wrong.isEmpty, wrong.take(5).mkString("\n", "\n", ""))
    assert(codes("accelerated") > codes.values.sum * 0.6)
  }

  test("a wrong rewrite is found") {
    val found = (first until first + 4).iterator.map { seed =>
      val query = RandomQuery(seed.toLong)
      def ran(text: String, isOn: Boolean) = {
        val input = (0 to 1).map(i => Compared.events(seed * 10L + i, 3))
        new Compared(spark, query.mode, query.delay, input, query.shape(text).query).run(Seq(0 -> isOn))
      }
      ran(query.wrong, isOn = true).differsFrom(ran(query.sql, isOn = false))
    }
    assert(found.exists(_.isDefined))
  }
}
