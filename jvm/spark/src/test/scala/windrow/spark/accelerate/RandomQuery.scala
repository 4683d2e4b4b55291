package windrow.spark.accelerate

import org.apache.spark.sql.SparkSession
import scala.util.Random

/** A query over windows as SQL, created from a seed.
  *
  * @param wrong
  *   the same query with its windows moved by one second, as a wrong rewrite would return it
  */
final case class RandomQuery(sql: String, mode: String, delay: String, inputs: Int, wrong: String) {
  override def toString: String = s"$sql  [mode $mode, watermark $delay]"

  def compared(session: SparkSession, seed: Long, batches: Int, text: String = sql): Compared = new Compared(
    session,
    mode,
    delay,
    (0 until inputs).map(i => Compared.events(seed * 10 + i, batches)),
    _.sql(text))
}

object RandomQuery {

  def apply(seed: Long): RandomQuery = new Builder(new Random(seed)).query

  private final class Builder(random: Random) {
    private def one[T](of: T*): T       = of(random.nextInt(of.size))
    private def some[T](of: T*): Seq[T] = random.shuffle(of).take(random.nextInt(of.size + 1))
    private def chance(n: Int): Boolean = random.nextInt(n) == 0

    private val isUpdate  = chance(3)
    private val isSession = !isUpdate && chance(4)
    private val isChain   = !isUpdate && chance(4)
    private val isJoin    = !isUpdate && chance(5)
    private val inputs    = if (isJoin || chance(5)) 2 else 1
    private val delay     = one("0 seconds", "5 seconds", "10 seconds", "30 seconds")

    private val size = 1 + random.nextInt(40)
    private val step = if (chance(2)) size else 1 + random.nextInt(size)

    private def window(moved: Int): String =
      if (isSession) s"session_window(time, '${size + moved} seconds')"
      else if (step == size && chance(2) && moved == 0) s"window(time, '$size seconds')"
      else s"window(time, '$size seconds', '$step seconds', '${moved} seconds')"

    private val keys: Seq[String] = {
      val all = some("k", "b", "v % 3", "upper(k)", "d")
      if (isSession && all.isEmpty) Seq("k") else all
    }

    private val aggregates: Seq[String] = some(
      "count(*)",
      "count(v)",
      "sum(v)",
      "avg(v)",
      "min(v)",
      "max(d)",
      "min(k)",
      "stddev(v)",
      "approx_count_distinct(v)",
      "sum(v) FILTER (WHERE b)",
      "count(*) FILTER (WHERE v > 50)",
      "sum(v) * 2 + count(*)",
      "coalesce(max(v), -1) - min(v)",
      "bit_xor(v)",
      "sum(cast(v AS decimal(10, 2)))",
      "count_if(b)",
      "bool_and(b)",
      "percentile(v, 0.5)",
      "corr(v, v)").take(1 + random.nextInt(5))

    private val table = {
      val union = if (inputs == 2) "(SELECT * FROM t0 UNION ALL SELECT * FROM t1)" else "t0"
      one(
        union,
        union,
        s"(SELECT time, k, v + 1 AS v, d, b FROM $union WHERE v IS NOT NULL)",
        s"(SELECT *, concat(k, 'x') AS more FROM $union WHERE b)")
    }

    private val having = one("", "", "HAVING count(*) > 1", "HAVING max(v) > 40")

    private val shown = one("window", "window", "window.start", "window.end AS until")

    private def grouped(moved: Int, columns: Seq[String]): String = {
      val name = if (isSession) "session_window" else "window"
      s"SELECT ${columns.mkString(", ").replace("window", name)} FROM $table " +
        s"GROUP BY ${(keys :+ window(moved)).mkString(", ")} $having"
    }

    private def joined(moved: Int): String = {
      val by         = some("a.k = b.k", "a.b = b.b", "a.v % 7 = b.v % 7")
      val rest       = one("", "", " AND a.v < b.v", " AND (a.v > 30 OR b.b)", " AND a.v > 30")
      val (from, to) = (random.nextInt(30), random.nextInt(30) + moved)
      s"SELECT a.time, a.k, a.v, b.time AS until, b.k AS other, b.d FROM t0 a JOIN t1 b ON ${by.map(_ + " AND ").mkString}" +
        s"b.time >= a.time - INTERVAL $from SECONDS AND b.time <= a.time + INTERVAL $to SECONDS$rest"
    }

    private def text(moved: Int, isPlain: Boolean): String = if (isJoin) joined(moved)
    else {
      val results = aggregates.zipWithIndex.map { case (call, i) => s"$call AS a$i" }
      if (isChain) {
        val first = grouped(moved, "window AS w" +: keys.take(1).map(_ + " AS x") :+ "count(*) AS n")
        val by    = if (isPlain) Nil else keys.take(1).map(_ => "x")
        s"SELECT ${("window" +: by).mkString(", ")}, sum(n) AS n, count(*) AS m FROM ($first) " +
          s"GROUP BY ${(s"window(w, '${size * 3} seconds')" +: by).mkString(", ")}"
      } else {
        val plain = grouped(moved, shown +: keys.zipWithIndex.map { case (key, i) => s"$key AS key$i" } :++ results)
        if (isPlain) plain else s"WITH x AS ($plain) SELECT * FROM x${if (chance(2)) " WHERE a0 IS NOT NULL" else ""}"
      }
    }

    def query: RandomQuery = {
      val isPlain        = chance(2)
      val state          = random.nextLong()
      def at(moved: Int) = { random.setSeed(state); text(moved, isPlain) }
      RandomQuery(at(0), if (isUpdate) "update" else "append", delay, inputs, at(1))
    }
  }
}
