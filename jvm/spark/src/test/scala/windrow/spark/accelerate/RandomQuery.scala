package windrow.spark.accelerate

import org.apache.spark.sql.{DataFrame, SparkSession}
import scala.util.Random

/** A query over windows as SQL, created from a seed.
  *
  * @param dedup
  *   the columns by which the rows of the first input are deduplicated before; none if they are not
  * @param wrong
  *   the same query with its windows moved by one second, as a wrong rewrite would return it
  */
final case class RandomQuery(sql: String, mode: String, delay: String, dedup: Seq[String], wrong: String) {

  /** The query to compare, and, with `wrong` as its text, one that must differ. */
  def shape(text: String = sql): Shape = {
    val by = if (dedup.isEmpty) "" else dedup.mkString(" [deduplicated by ", ", ", "]")
    Shape("RandomQuery", s"$text$by [watermark $delay]", mode, read(text))
  }

  private def read(text: String)(spark: SparkSession): DataFrame =
    if (dedup.isEmpty) spark.sql(text)
    else {
      val rows = spark.table("t0")
      val once = if (dedup.contains("time")) rows.dropDuplicates(dedup) else rows.dropDuplicatesWithinWatermark(dedup)
      once.createOrReplaceTempView("once")
      spark.sql(text.replaceAll("\\bt0\\b", "once"))
    }
}

object RandomQuery {

  def apply(seed: Long): RandomQuery = {
    val query  = new Builder(new Random(seed)).query
    val random = new Random(~seed)
    if (query.mode == "update" || random.nextInt(4) > 0) query
    else {
      val by    = random.shuffle(Seq("k", "b", "v", "d")).take(1 + random.nextInt(2))
      val plain = random.nextInt(3) == 0
      query.copy(
        dedup = if (random.nextBoolean()) by :+ "time" else by,
        sql = if (plain) "SELECT * FROM t0" else query.sql,
        wrong = if (plain) "SELECT * FROM t0 WHERE v <> 7" else query.wrong)
    }
  }

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
      if (isSession && gaps) s"session_window(time, if(b, '${size + moved} seconds', '$step seconds'))"
      else if (isSession) s"session_window(time, '${size + moved} seconds')"
      else if (step == size && chance(2) && moved == 0) s"window(time, '$size seconds')"
      else s"window(time, '$size seconds', '$step seconds', '${moved} seconds')"

    /** Whether each row has its own session gap. */
    private val gaps = chance(2)

    private val keys: Seq[String] = {
      val all = some("k", "b", "v % 3", "upper(k)", "d")
      if (isSession && all.isEmpty) Seq("k") else all
    }

    /** A condition on a key. */
    private def ofKey(key: String): String = key match {
      case "b"     => "b"
      case "v % 3" => "v % 3 = 1"
      case "d"     => "d > 1"
      case text    => s"$text <> ${if (text == "k") "'k1'" else "'K1'"}"
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
      "covar_samp(v, v)").take(1 + random.nextInt(5))

    private val table = {
      val union = if (inputs == 2) "(SELECT * FROM t0 UNION ALL SELECT * FROM t1)" else "t0"
      one(
        union,
        union,
        s"(SELECT time, k, v + 1 AS v, d, b FROM $union WHERE v IS NOT NULL)",
        s"(SELECT *, concat(k, 'x') AS more FROM $union WHERE b)")
    }

    /** Conditions on results, keys, and windows. */
    private def having(window: String): String = {
      val all = some("count(*) > 1", "max(v) > 40").take(1) ++ keys.filter(_ => chance(4)).map(ofKey) ++
        Option.when(chance(6))(s"$window.${one("start", "end")} > TIMESTAMP'2020-09-13 12:27:30'")
      if (all.isEmpty) "" else all.mkString("HAVING ", " AND ", "")
    }

    private val shown = one("window", "window", "window.start", "window.end AS until")

    private def grouped(moved: Int, columns: Seq[String]): String = {
      val name = if (isSession) "session_window" else "window"
      s"SELECT ${columns.mkString(", ").replace("window", name)} FROM $table " +
        s"GROUP BY ${(keys :+ window(moved)).mkString(", ")} ${having(name)}"
    }

    /** A join by a range of times, or by windows of the rows, or of two aggregations by their windows. */
    private def joined(moved: Int): String = {
      val kind  = one("", "", "LEFT", "RIGHT", "FULL", "LEFT SEMI")
      val shape = one("times", "times", "times", "windows", "aggregates")
      val sides = Seq("t0", "t1").map { table =>
        val windows = s"SELECT window(time, '${size + moved} seconds') AS w, k, b"
        shape match {
          case "windows"    => s"($windows, v, d FROM $table)"
          case "aggregates" => s"($windows, max(v) AS v, count(*) AS d FROM $table GROUP BY 1, k, b)"
          case _            => table
        }
      }
      val isTimed    = shape == "times"
      val equal      = some("a.k = b.k", "a.b = b.b", "a.v % 7 = b.v % 7")
      val (from, to) = (random.nextInt(30), random.nextInt(30) + moved)
      val ends       = Seq("a.time - INTERVAL" -> from, "a.time + INTERVAL" -> to)
      val near =
        if (!isTimed) Seq("a.w = b.w")
        else ends.zip(Seq(one(">", ">="), one("<", "<="))).map { case ((end, by), is) =>
          s"b.time $is $end $by SECONDS"
        }
      val rest = kind match {
        case ""     => Seq(one("a.v < b.v", "(a.v > 30 OR b.b)", "a.v > 30")).filter(_ => chance(2))
        case "LEFT" => Seq(one("b.v > 30", "a.v < b.v", "a.v > 30")).filter(_ => chance(2))
        case _ => Seq(one("a.v <> b.v", "(coalesce(a.v, 0) BETWEEN 10 AND b.v + 40 OR a.b)")).filter(_ => chance(2))
      }
      val on     = ((if (isTimed && equal.isEmpty) Seq("a.k = b.k") else equal) ++ near ++ rest).mkString(" AND ")
      val where  = one("", "", "", "WHERE a.v > 10", "WHERE a.k <> 'k0'")
      val rows   = s"FROM ${sides.head} a $kind JOIN ${sides(1)} b ON $on $where"
      val isSemi = kind == "LEFT SEMI"
      val (time, other) = if (isTimed) ("a.time", "b.time") else ("a.w", "b.w")
      if (isTimed && chance(3))
        s"SELECT window, a.k, count(*), sum(${if (isSemi) "a" else "b"}.v) $rows GROUP BY window(a.time, '$size seconds'), a.k"
      else s"SELECT $time, a.k, a.v${if (isSemi) "" else s", $other AS other, b.k AS k2, b.d"} $rows"
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
        if (isPlain) plain
        else
          s"WITH x AS ($plain) SELECT * FROM x${if (aggregates.nonEmpty && chance(2)) " WHERE a0 IS NOT NULL" else ""}"
      }
    }

    def query: RandomQuery = {
      val isPlain        = chance(2)
      val state          = random.nextLong()
      def at(moved: Int) = { random.setSeed(state); text(moved, isPlain) }
      RandomQuery(at(0), if (isUpdate) "update" else "append", delay, Nil, at(1))
    }
  }
}
