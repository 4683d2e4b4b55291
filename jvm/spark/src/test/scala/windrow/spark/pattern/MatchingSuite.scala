package windrow.spark.pattern

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions._
import org.scalatest.tags.Slow
import windrow._
import windrow.spark.{SparkSuite, Windrow}

/** Tests the Scala API of patterns (SEMANTICS R140, R141, R151). `test_match.py` compares their matches. */
@Slow
final class MatchingSuite extends SparkSuite {
  private lazy val prices = Windrow.stream(
    spark.createDataFrame(Seq(5, 4, 6, 3, 7, 7).zipWithIndex.map { case (price, i) => ("tea", i * 60L, price) })
      .toDF("product", "seconds", "price").withColumn("time", timestamp_seconds(col("seconds"))),
    time = "time",
    key = Seq("product")).lateness("0 seconds")

  test("conditions as SQL and as a Column, measures in order") {
    val found = prices.matching(
      "A DOWN up",
      define = Map("down" -> "price < PREV(price)", "UP" -> (col("price") > 5)),
      measures = Seq("low" -> "last(down.price)", "names" -> "collect_list(classifier())", "n" -> "count(up.*)"))
    assert(found.rows.columns.toSeq == Seq("product", "match", "low", "names", "n"))
    assert(found.rows.drop("match").collect().toSeq == Seq(Row("tea", 4, Seq("A", "DOWN", "up"), 1)))
    assert(found.rejected.isEmpty)
    val rows = prices.matching("A down", define = Map("down" -> "price < PREV(price)"), after = AfterMatch.NextRow)
    assert(rows.rows.select(transform(col("rows"), _.getField("row").getField("price"))).collect().toSet ==
      Set(Row(Seq(5, 4)), Row(Seq(6, 3))))
  }

  test("R158: conditions and measures read earlier rows") {
    val found = prices.matching(
      "A LOW+ HIGH",
      define = Map("LOW" -> "price <= A.price", "HIGH" -> "price > FIRST(low.price)"),
      measures = Seq("rise" -> "HIGH.price - A.price"))
    assert(found.rows.select("rise").collect().toSeq == Seq(Row(1)))
  }

  test("all problems of a pattern are reported together") {
    val refused = intercept[SpecError](
      prices.retain(time = Some("1 hour")).matching("A* (", define = Map("A" -> "true"), within = Some("-1 minutes")))
    assert(refused.problems.map(_.code) == Seq("VALUE_NOT_SUPPORTED", "PATTERN_NOT_UNDERSTOOD", "SIZE_NEGATIVE"))
    val both =
      intercept[SpecError](prices.matching("A (", define = Map("A" -> "prices > 1"), measures = Seq("n" -> "(")))
    assert(both.problems.map(_.code) == Seq("PATTERN_NOT_UNDERSTOOD", "MATCH_EXPRESSION", "MATCH_EXPRESSION"))
    val wrong = intercept[SpecError](
      prices.matching("A B", Map("A" -> "prices > 1", "B" -> "C.price > 1"), Seq("product" -> "count(*)")))
    assert(wrong.problems.map(_.code) == Seq("MATCH_EXPRESSION", "MATCH_EXPRESSION", "NAME_TWICE"))
  }
}
