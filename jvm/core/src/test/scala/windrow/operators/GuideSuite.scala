package windrow.operators

import java.nio.file.{Files, Paths}
import org.scalatest.funsuite.AnyFunSuite
import windrow._

/** The code of docs/operators.md. Each of its blocks is in this file, line by line, and runs. */
class GuideSuite extends AnyFunSuite {
  import GuideSuite._

  test("a value for each window") {
    val spec =
      WindowOperatorDraft(Tumbling("1 minute"), lateness = Some("10 seconds"), accumulation = Some(Accumulating))
    val op = new AggregatedWindowOperator(spec.checked, Trade, Top, (trade: Trade) => trade.price)
    op.init()
    op.addMessages("messages", Seq(Trade("a", 10 * Second, 5), Trade("a", 50 * Second, 7)))
    op.advanceWatermark(60 * Second)
    op.addMessage("messages", Trade("a", 55 * Second, 9)) // late, and taken
    op.timeout(processingTime = 20 * Second)              // late panes come every 10 seconds
    assert(op.getResult().map(pane => (pane.timing, pane.value)) == Seq((Timing.OnTime, 7L), (Timing.Late, 9L)))
    op.flush() // they were taken: persists, and forgets them
    op.close()
  }

  test("messages that are kept") {
    val spec = FullStateDraft(Tumbling("1 minute"), Some(TimeSpan.Zero), retention = Retention(time = Some("1 hour")))
    val op   = new FullStateWindowOperator(spec.checked, Trade)
    op.init()
    op.addMessages("messages", Seq(Trade("a", 10 * Second, 5), Trade("b", 70 * Second, 7)))
    assert(op.getMessages(Some(0L), Some(60 * Second), key = Some("a")).map(_.price) == Seq(5L))
    assert(op.getWindows(None, None).map(window => (window.key, window.start, window.count)) ==
      Seq(("a", 0L, 1L), ("b", 60 * Second, 1L)))
    op.close()
  }

  test("a join") {
    val within =
      Within.Ranges(Map("fills" -> JoinRange(TimeSpan.Zero, "5 seconds"))) // after the order, at most so long
    val spec = JoinDraft(
      Seq(JoinStream("orders"), JoinStream("fills")),
      hasKeys = true,
      within,
      JoinKind.Left,
      lateness = Some(TimeSpan.Zero))
    val op = new StreamStreamJoinOperator[String, Trade, Seq[Long]](
      spec.checked,
      Trade,
      row => Some(row.map(_.fold(0L)(_.price))))
    op.init()
    op.addMessage("orders", Trade("a", 1 * Second, 5))
    op.addMessage("fills", Trade("a", 3 * Second, 4))
    op.addMessage("orders", Trade("b", 2 * Second, 6)) // nobody fills it
    op.finish()
    assert(op.getResult() == Seq(Seq(5L, 4L), Seq(6L, 0L)))
    op.close()
  }

  test("windows by policies") {
    val spec = PolicyWindowSpec.checked(Eviction.Sliding(ByCount(3), ByCount(2))) // the last three, at every second
    val op   = new PolicyWindowOperator(spec, Trade, Top, (trade: Trade) => trade.price)
    op.init()
    op.timeout(processingTime = 0)
    Seq(3L, 9, 1, 2, 4, 5).foreach(price => op.addMessage("messages", Trade("a", 0, price)))
    val tops = op.getResult().collect { case PolicyOutput.Fired(pane) => pane.value }
    assert(tops == Seq(9L, 9L, 5L))
    op.close()
  }

  test("the page shows this code") {
    val root =
      Iterator.iterate(Paths.get("").toAbsolutePath)(_.getParent).find(p => Files.exists(p.resolve("docs"))).get
    val source = Files.readString(root.resolve("jvm/core/src/test/scala/windrow/operators/GuideSuite.scala"))
    val page   = Files.readString(root.resolve("docs/operators.md"))
    def lines(text: String) = text.linesIterator.map(_.replaceAll("\\s+", " ").trim).filter(_.nonEmpty).toSeq
    val blocks              = "(?s)```scala\n(.*?)```".r.findAllMatchIn(page).map(block => lines(block.group(1))).toSeq
    assert(blocks.size >= 5)
    blocks.foreach(block => assert(lines(source).containsSlice(block), block.mkString("\n", "\n", "\n")))
  }
}

private object GuideSuite {
  import windrow.core.aggregate.Aggregation
  import windrow.core.state.{ByteReader, ByteWriter, Codec}

  val Second = 1000000L

  final case class Trade(symbol: String, time: Long, price: Long)

  object Trade extends MessageFormat[String, Trade] {
    def key(trade: Trade): String        = trade.symbol
    def time(trade: Trade): Option[Long] = Some(trade.time)

    object keys extends Codec[String] {
      def write(symbol: String, out: ByteWriter): Unit = out.bytes(symbol.getBytes("UTF-8"))
      def read(in: ByteReader): String                 = new String(in.bytes(), "UTF-8")
    }

    object messages extends Codec[Trade] {
      def write(trade: Trade, out: ByteWriter): Unit = {
        keys.write(trade.symbol, out)
        out.long(trade.time)
        out.long(trade.price)
      }
      def read(in: ByteReader): Trade = Trade(keys.read(in), in.long(), in.long())
    }
  }

  object Top extends Aggregation[Long, Long] {
    def zero: Long                                 = Long.MinValue
    def combine(left: Long, right: Long): Long     = math.max(left, right)
    def copy(buffer: Long): Long                   = buffer
    def lower(buffer: Long): Long                  = buffer
    def write(buffer: Long, out: ByteWriter): Unit = out.long(buffer)
    def read(in: ByteReader): Long                 = in.long()
  }
}
