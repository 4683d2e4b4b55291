package windrow.spark.panes

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.windrow.SparkInside
import org.scalatest.tags.Slow
import windrow._
import windrow.spark.pack.SortStep
import windrow.spark.{SparkSuite, Windrow}

/** Tests which panes are passed from one operator to another, and whether they replace others (SEMANTICS B4). */
@Slow
final class UpstreamPanesSuite extends SparkSuite {
  private val once = "pane.timing = 'ON_TIME' AND NOT pane.is_retraction"

  private def panes(
      mode: AccumulationMode,
      early: PaneTrigger = Never,
      lateness: TimeSpan = "1 hour",
      aggregate: String = "sum(value)"): DataFrame = {
    val folder = java.nio.file.Files.createTempDirectory("windrow-panes").toString
    val input  = spark.readStream.schema("id string, time timestamp, value bigint").json(folder)
    Windrow.stream(input, time = "time", key = Seq("id"), watermark = Some("0 seconds"), name = "orders")
      .lateness(lateness).window(Tumbling("1 minute")).trigger(early = early).accumulationMode(mode)
      .aggregate(expr(aggregate).as("sold")).panes
  }

  private def before(table: DataFrame, reads: String*): Seq[UpstreamPanes] = {
    val read: Seq[Expression] = SparkInside.plan(table.select(reads.map(expr): _*)) match {
      case Project(columns, _) => columns.map { case Alias(value, _) => value; case column => column }
      case _                   => Nil
    }
    UpstreamPanes.of(SparkInside.plan(table), read)
  }

  private def comeOnce(table: DataFrame): Boolean = {
    val found = before(table)
    assert(found.size == 1)
    found.head.comeOnce
  }

  /** Whether the earlier operator retracts each pane that is replaced. */
  private def takenBack(table: DataFrame): Boolean = {
    val handed = Corrections.handed(SparkInside.plan(table), before(table))
    UpstreamPanes.of(handed).map(_.program.spec.retracts) == Seq(true)
  }

  test("panes of windows that fire once, in parts, or of which one is chosen, take no place") {
    assert(!comeOnce(panes(Accumulating)))
    assert(comeOnce(panes(Accumulating, lateness = TimeSpan.Zero)) && comeOnce(panes(Discarding)))
    assert(comeOnce(panes(Accumulating).where(once)))
    assert(!comeOnce(panes(Accumulating, EachBatch).where("pane.timing <> 'LATE' AND NOT pane.is_retraction")))
  }

  test("one may be chosen by the condition of a join") {
    val names = spark.range(3).selectExpr("CAST(id AS STRING) AS name")
    val all   = panes(Accumulating)
    assert(comeOnce(all.join(names, expr(s"id = name AND $once"))) && !comeOnce(all.join(names, expr("id = name"))))
  }

  test("a condition of a semi or anti join, or a derived column, can remove retractions") {
    val names                      = spark.range(3).selectExpr("CAST(id AS STRING) AS name")
    val all                        = panes(Accumulating)
    def complete(table: DataFrame) = before(table).map(_.comeWithRetractions)
    for (kind <- Seq("left_semi", "left_anti")) {
      assert(complete(all.join(names, expr("id = name"), kind)) == Seq(true))
      assert(complete(all.join(names, expr("id = name AND NOT pane.is_retraction"), kind)) == Seq(false))
    }
    assert(complete(all.selectExpr("pane", "explode(sequence(1, 3)) AS part")) == Seq(true))
    assert(complete(all.selectExpr("pane", "explode(array(sold)) AS part")) == Seq(true))
    assert(complete(all.selectExpr("pane", "explode(IF(pane.is_retraction, null, array(sold))) AS part")) == Seq(false))
    assert(complete(all.sample(0.5)) == Seq(false))
    val none = all.join(names, expr("NOT pane.is_retraction"), "left_anti")
    assert(!comeOnce(none)) // all panes arrive while there is no name
  }

  test("panes that come in several rows each take no less place") {
    val all   = panes(Accumulating).withColumn("more", expr("sold + 1"))
    val lists = all.selectExpr("*", "explode(sequence(1, 3)) AS part")
    val pairs = all.unpivot(Array(expr("pane"), expr("window")), Array(expr("sold"), expr("more")), "name", "of")
    all.createOrReplaceTempView("panes_in_rows")
    val named = spark.sql("WITH some AS (SELECT * FROM panes_in_rows) SELECT * FROM some")
    for (table <- Seq(lists, pairs, all.hint("rebalance"), named)) {
      assert(!comeOnce(table))
      assert(comeOnce(table.where(once)))
      assert(takenBack(table))
    }
    val signed = before(pairs, "IF(pane.is_retraction, -of, of)")
    assert(Corrections.aggregated(signed, "sums").isEmpty)
  }

  test("they are taken back if every aggregate sees retractions, and none was left out") {
    val signed                                  = "IF(pane.is_retraction, -sold, sold)"
    def codes(table: DataFrame, reads: String*) = Corrections.aggregated(before(table, reads: _*), "sums").map(_.code)
    val all                                     = panes(Accumulating)
    assert(codes(all, signed).isEmpty && codes(all, signed, "sold") == Seq("PANES_COME_AGAIN"))
    assert(codes(all.where("NOT pane.is_retraction"), signed) == Seq("RETRACTIONS_LEFT_OUT"))
  }

  test("SEMANTICS R90: packets have an order where it shows in the last digit of panes that are taken back") {
    def areOrdered(plan: LogicalPlan) = plan.exists(_.isInstanceOf[SortStep])
    for ((aggregate, shows) <- Seq("sum(value)" -> false, "avg(value)" -> true, "sum(CAST(value AS DOUBLE))" -> true)) {
      def plan(mode: AccumulationMode) = SparkInside.plan(panes(mode, aggregate = aggregate))
      assert(areOrdered(plan(AccumulatingAndRetracting)) == shows && !areOrdered(plan(Accumulating)))
      val handed = panes(Accumulating, aggregate = aggregate)
      assert(areOrdered(Corrections.handed(SparkInside.plan(handed), before(handed))) == shows)
    }
  }

  test("windows that are inherited take panes back themselves") {
    def codes(read: String) = Corrections.inherited(before(panes(Accumulating), read)).map(_.code)
    assert(codes("sold").isEmpty && codes("IF(pane.is_retraction, -sold, sold)") == Seq("RETRACTION_READ"))
  }
}
