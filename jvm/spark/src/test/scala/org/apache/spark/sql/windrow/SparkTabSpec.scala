package org.apache.spark.sql.windrow

import java.net.URI
import org.apache.spark.sql.execution.ui.StreamingQueryHistoryServerPlugin
import org.apache.spark.status.{AppStatusStore, ElementTrackingStore}
import org.apache.spark.ui.SparkUI
import org.apache.spark.util.JsonProtocol
import org.apache.spark.util.kvstore.InMemoryStore
import org.apache.spark.{SecurityManager, SparkConf}
import org.scalatest.funsuite.AnyFunSuite
import scala.io.Source
import scala.util.Using
import windrow.spark.ui.HistoryTab

/** Reads events as Spark's history server does, and fetches the pages of the tab by HTTP. */
final class SparkTabSpec extends AnyFunSuite {
  private val run     = "c805cef9-4acf-4587-9e4a-1d9bff83dcc7"
  private val query   = "5092090a-0cb0-47ac-bf39-62a6bfdb8234"
  private val hostile = "<script>alert(1)</script>"
  private val kinds   = "org.apache.spark.sql.streaming.StreamingQueryListener$"

  private val started =
    s"""{"Event":"${kinds}QueryStartedEvent","id":"$query","runId":"$run","name":"$hostile",
       |"timestamp":"2026-11-28T11:13:44.509Z"}""".stripMargin

  /** The progress of a micro-batch that accepts a row. */
  private def progress(batch: Int, metrics: String): String =
    s"""{"Event":"${kinds}QueryProgressEvent","progress":{"id":"$query","runId":"$run","name":"$hostile",
       |"timestamp":"2026-11-28T11:13:${"%05.2f".format(batch % 60.0)}0Z","batchId":$batch,"batchDuration":1,
       |"durationMs":{"triggerExecution":1},"eventTime":{"watermark":"2025-01-01T09:00:00.000Z"},"stateOperators":[],
       |"sources":[],"sink":{"description":"s","numOutputRows":-1,"metrics":{}},
       |"observedMetrics":{"$metrics":{"values":[1],"schema":{"type":"struct","fields":[{"name":"accepted","type":"long",
       |"nullable":false,"metadata":{}}]}}}}}""".stripMargin

  /** Shows the events in a UI, and calls `check` with its address, if it has the tab. */
  private def shown[T](events: Seq[String])(check: Option[String] => T): T = {
    val conf  = new SparkConf(false).set("spark.ui.port", "0")
    val store = new ElementTrackingStore(new InMemoryStore, conf)
    val spark = new StreamingQueryHistoryServerPlugin().createListeners(conf, store)
    events.map(JsonProtocol.sparkEventFromJson).foreach(event => spark.foreach(_.onOtherEvent(event)))
    store.doAsync(()) // waits for the removal of old entries
    val ui = SparkUI.create(None, new AppStatusStore(store), conf, new SecurityManager(conf), "app", "", 0L)
    try {
      new HistoryTab().setupUI(ui)
      ui.bind()
      ui.attachAllHandlers()
      check(Option.when(ui.getTabs.exists(_.prefix == "windrow"))(s"http://localhost:${ui.boundPort}/windrow/"))
    } finally {
      ui.stop()
      store.close()
    }
  }

  private def page(address: String): String = Using.resource(Source.fromURL(URI.create(address).toURL))(_.mkString)

  test("SEMANTICS R74: the tab shows the micro-batches that Spark stores, however many there were") {
    shown(started +: (0 until 1000).map(progress(_, "windrow_orders"))) { tab =>
      val list = page(tab.get)
      val of   = page(s"${tab.get}query/?run=$run&state=read")
      for (text <- Seq(list, of)) {
        assert(text.contains("WATERMARK_NOT_REACHED") && text.contains("micro-batch 999"))
        assert(text.contains("<dt>accepted</dt><dd>100</dd>"), "Spark stores 100 micro-batches")
        assert(text.contains("&lt;script&gt;alert(1)") && !text.contains("<script>alert"))
      }
      assert(page(s"${tab.get}query/?run=%3Cscript%3Ealert").contains("has no run of a Windrow query"))
    }
  }

  test("an application without a query of Windrow has no tab") {
    shown(Seq(started, progress(0, "others")))(tab => assert(tab.isEmpty))
  }
}
