package windrow.spark.accelerate

import org.apache.spark.sql.SparkSession
import windrow.SpecError
import windrow.spark.SparkSuite

/** Tests the lateness of accelerated queries (SEMANTICS R156). */
final class LatenessSuite extends SparkSuite {
  private implicit lazy val session: SparkSession = spark

  private def lately[T](value: String)(run: => T): T = {
    session.conf.set(AcceleratedSettings.Lateness, value)
    try run
    finally session.conf.unset(AcceleratedSettings.Lateness)
  }

  private def query(sql: String, input: Seq[Seq[Event]], delay: Int, mode: String = "update") =
    new Compared(spark, mode, s"$delay seconds", Seq(input), _.sql(sql))

  /** The same rows in other micro-batches. */
  private def cut(input: Seq[Seq[Event]], batches: Int): Seq[Seq[Event]] = {
    val all = input.flatten
    all.grouped((all.size / batches).max(1)).toSeq
  }

  private val queries = Seq(
    "SELECT window, k, count(*) AS n, sum(v) AS s, max(d) FROM t0 GROUP BY window(time, '20 seconds'), k",
    "SELECT window.start, min(v), sum(v) FILTER (WHERE b) FROM t0 GROUP BY window(time, '30 seconds', '7 seconds')",
    "SELECT k, b, window, avg(v) FROM t0 WHERE v > 10 GROUP BY k, b, window(time, '1 minute', '15 seconds', '5 seconds') HAVING count(*) > 1")

  test("rows and updates are those of Spark with a longer delay of the watermark") {
    val cases = if (isFull) for (sql <- queries; seed <- 1 to 2; batches <- Seq(2, 5, 12)) yield (sql, seed, batches)
    else Seq((queries(1), 1, 5))
    cases.foreach { case (sql, seed, batches) =>
      val input = cut(Compared.events(seed.toLong, 8, 80), batches)
      val late  = Seq(5, 60, 200)(seed % 3)
      val starts =
        if (seed % 2 == 0) Seq(0 -> true) else Seq(0 -> true, (batches / 2) -> true)
      val spark   = query(sql, input, 10 + late).run(starts.map(_._1 -> false))
      val windrow = lately(s"$late seconds")(query(sql, input, 10).run(starts))
      assert(windrow.codes == Seq("accelerated") && spark.operators == Seq("stateStoreSave"))
      assert(windrow.differsFrom(spark).isEmpty, s"$sql, seed $seed, $batches micro-batches")
      if (batches == 12) assert(query(sql, input, 10).on.differsFrom(spark).isDefined, "the lateness has an effect")
    }
  }

  private val plain = queries.head

  test("a restart accepts a longer lateness, and refuses a shorter one and none before the query starts") {
    val input = Compared.events(3, 4, 40)
    def restarted(first: Option[String], second: Option[String]) = {
      var starts = 0
      try new Compared(
          spark,
          "update",
          "10 seconds",
          Seq(input),
          session => {
            starts += 1
            (if (starts == 1) first else second).fold(session.conf.unset(AcceleratedSettings.Lateness))(
              session.conf.set(AcceleratedSettings.Lateness, _))
            session.sql(plain)
          }).run(Seq(0 -> true, 2 -> false))
      finally session.conf.unset(AcceleratedSettings.Lateness)
    }
    assert(restarted(None, Some("20 seconds")).codes == Seq("accelerated"))
    if (isFull) assert(restarted(Some("20 seconds"), Some("1 minute")).codes == Seq("accelerated"))
    (None +: Option.when(isFull)(Some("19 seconds")).toSeq).foreach { second =>
      val wrong = intercept[windrow.CheckpointError](restarted(Some("20 seconds"), second))
      assert(wrong.getMessage.contains("SPEC_CHANGED") && wrong.getMessage.contains("lateness"))
    }
  }

  test("a lateness that cannot be honored is an error before the query starts") {
    val input = Compared.events(3, 1, 10)
    def message(sql: String, mode: String, value: String = "10 minutes") =
      intercept[SpecError](lately(value)(query(sql, input, 10, mode).on)).getMessage
    val append = message(plain, "append")
    Seq("LATENESS_NOT_ACCELERATED", "spark.windrow.accelerate.lateness", "10 minutes", "append", "RESET").foreach(
      part =>
        assert(append.contains(part)))
    assert(message("SELECT DISTINCT time, k FROM t0", "update").contains("OPERATOR_NOT_ACCELERATED"))
    assert(message(plain.replace("max(d)", "first(d)"), "update").contains("AGGREGATE_ORDER"))
    assert(message(plain, "complete").contains("COMPLETE_MODE"))
    assert(message(plain, "update", "10").contains("DURATION_WITHOUT_UNIT"))
    assert(message(plain, "update", "-1 minute").contains("LATENESS"))
    assert(message(plain, "update", "soon").contains("DURATION_NOT_UNDERSTOOD"))
    // Without acceleration, and for a query without state, the setting has no effect.
    lately("10 minutes")(assert(query(plain, input, 10).off.operators == Seq("stateStoreSave")))
    lately("10 minutes")(session.conf.set(AccelerationRule.Setting, "true"))
  }
}
