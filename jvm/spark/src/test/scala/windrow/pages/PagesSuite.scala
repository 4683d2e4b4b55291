package windrow.pages

import java.nio.file.Files.readString
import java.nio.file.Paths
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQuery
import org.scalatest.tags.Slow
import windrow.api._
import windrow.spark.SparkSuite

/** Analyzes the Scala code of README and docs/looking-into-a-query.md. Each line of their code blocks occurs in this
  * file. `tests/python/docs/test_pages.py` runs the code of the other pages.
  */
@Slow
final class PagesSuite extends SparkSuite {
  private lazy val orders: DataFrame = stream("time timestamp, product string, price double, id bigint, value string")
  private lazy val quotes: DataFrame = stream("time timestamp, symbol string, price double")

  private def stream(columns: String): DataFrame = spark.readStream.schema(columns).json(SparkSuite.folder())

  test("a window that corrects itself") {
    val minutes =
      Windrow.stream(orders, time = "time", key = Seq("product"), watermark = Some("10 seconds"))
        .lateness("10 minutes")
        .window(Tumbling("1 minute"))
        .accumulationMode(Accumulating)
        .aggregate(avg("price").as("price"))
    assert(minutes.panes.columns.toSeq == Seq("product", "window", "price", "pane"))
  }

  test("three windows") {
    val o =
      Windrow.stream(orders, time = "time", key = Seq("product"), watermark = Some("1 minute")).lateness("10 minutes")
    val minutes = o.window(Tumbling("1 minute")).accumulationMode(Accumulating).aggregate(avg("price"))
    val found = Seq(
      minutes.panes,
      o.window(Hopping("1 hour", step = "1 minute")).accumulationMode(Accumulating).aggregate(max("price")).panes,
      o.window(Session("30 minutes")).accumulationMode(Accumulating).aggregate(count("*")).panes)
    assert(found.map(_.columns.toSeq).map(columns => (columns.take(2), columns.last)).distinct ==
      Seq((Seq("product", "window"), "pane")))
  }

  def started(minutes: Output): StreamingQuery =
    minutes.start("checkpoint", panes = Table("minutes"), rejected = Files("dead"))

  test("corrections of windows that belong to a message each, held by a table") {
    val o = Windrow.stream(orders, time = "time", key = Seq("product"), watermark = Some("1 minute"))
    val held = o.lateness("5 minutes").window(Over(range = "10 minutes")).trigger(early = Every("10 seconds"))
      .accumulationMode(Accumulating).aggregate(avg("price"))
    def refused = held.start(
      SparkSuite.folder(),
      panes = Upsert("averages", on = Seq("product", "message")),
      rejected = Table("dead"))
    assert(intercept[SpecError](refused).problems.map(_.code) == Seq("TABLE_NOT_MERGEABLE"))
    assert(Seq(Over(), Over(rows = 3)).map(_.toString) == Seq("Over()", "Over(rows=3)"))
  }

  test("windows by policies") {
    val found =
      Windrow.stream(
        quotes,
        time = "time",
        key = Seq("symbol")).policy(Eviction.Sliding(ByCount(20), ByDelta("price", 1.0))).aggregate(avg("price"))
    assert(found.events.columns.toSeq == Seq("symbol", "window", "event", "sequence", "messages"))
  }

  test("a join") {
    def side(name: String) =
      Windrow.stream(orders, time = "time", watermark = Some("1 minute"), name = name).lateness("0 seconds")
    val (o, s) = (side("o"), side("s"))
    val found =
      Windrow.join(o, s)(on = Seq("id"), within = Within("0 minutes", "5 minutes"), how = JoinKind.Left).rows
    assert(found.columns.toSeq == Seq("id", "o", "s"))
  }

  def asked(path: String): DataFrame =
    Windrow.state(path).getMessages(start = Some(lit("2025-01-01 08:59:00")), by = Map("id" -> lit(9)))

  test("a lookup stream") {
    val calls = stream("customer bigint, time timestamp")
    val o     = Windrow.stream(this.orders, time = "time", key = Seq("id"), watermark = Some("1 minute"))
    val orders =
      o.lateness("5 minutes").retain(time = Some("2 hours")).window(Tumbling("1 minute")).keepRows()
    val found =
      orders.getMessages(calls, end = "time", key = Map("id" -> col("customer"))).answers
    assert(found.columns.toSeq == Seq("customer", "time", "messages"))
  }

  test("the pages show this code") {
    val root                   = Paths.get("").toAbsolutePath
    def squeezed(text: String) = text.replaceAll("\\s", "")
    val text                   = readString(root.resolve("jvm/spark/src/test/scala/windrow/pages/PagesSuite.scala"))
    val here                   = squeezed(text)
    for (page <- Seq("README.md", "docs/looking-into-a-query.md")) {
      val blocks = "(?s)```scala\n(.*?)```".r.findAllMatchIn(readString(root.resolve(page))).map(_.group(1)).toSeq
      assert(blocks.nonEmpty)
      for (line <- blocks.flatMap(_.linesIterator)) assert(here.contains(squeezed(line)), s"$page: $line")
    }
    assert("(?m)^import windrow.*$".r.findAllIn(text).toSeq.filterNot(_.endsWith("Suite")) ==
      Seq("import windrow.api._"))
  }
}
