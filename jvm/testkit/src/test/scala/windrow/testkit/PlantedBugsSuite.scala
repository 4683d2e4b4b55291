package windrow.testkit

import org.scalatest.funsuite.AnyFunSuite
import windrow.core.state.{DamagedStateError, InMemoryShardStore}
import windrow.replay._

/** Checks the simulator itself: it must detect an operator with a bug of each kind within a few cases. */
class PlantedBugsSuite extends AnyFunSuite {

  /** An operator that delegates everything, as the base of operators with a bug. */
  private abstract class Planted(inner: CoreOperator) extends CoreOperator {
    def step(feed: Step.Feed): Emission   = inner.step(feed)
    def finish(): Emission                = inner.finish()
    def restart(): Unit                   = inner.restart()
    def ask(query: Query): Answer         = inner.ask(query)
    def mark(): CoreStores.Mark           = inner.mark()
    def back(mark: CoreStores.Mark): Unit = inner.back(mark)
  }

  private def found(bug: String, point: String)(plant: CoreOperator => CoreOperator): Unit =
    test(s"found: $bug ($point)") {
      assert((1L to 600L).exists(Simulate.breached(_, new SimulationCounts, tellings = 2, plant).isDefined))
    }

  found("what was written before a write or read failed stays", "a write fails, a read fails")(inner =>
    new Planted(inner) {
      private var failed = false
      override def step(feed: Step.Feed): Emission =
        try super.step(feed)
        catch { case fault: StoreFault => failed = true; throw fault }
      override def back(mark: CoreStores.Mark): Unit = if (failed) failed = false else super.back(mark)
    })

  found("what an attempt has written stays though it is lost", "an attempt is lost at its end")(inner =>
    new Planted(inner) {
      private var steps = 0
      override def step(feed: Step.Feed): Emission = {
        steps += 1
        super.step(feed)
      }
      override def back(mark: CoreStores.Mark): Unit = if (steps > 0) steps = 0 else super.back(mark)
    })

  found("a batch that comes again lacks a message", "a committed batch is repeated")(inner =>
    new Planted(inner) {
      private var last = Seq.empty[Message]
      override def step(feed: Step.Feed): Emission = {
        val again = feed.messages.nonEmpty && feed.messages.toSet == last.toSet
        last = feed.messages
        super.step(if (again) feed.copy(messages = feed.messages.tail) else feed)
      }
    })

  found("what was applied is forgotten", "a committed batch is delivered again with the next, a duplicate")(inner =>
    new Planted(inner) {
      override def step(feed: Step.Feed): Emission =
        super.step(feed.copy(messages = feed.messages.map(_.copy(partition = None, offset = None))))
    })

  found("a restart loses a shard", "a restart")(inner =>
    new Planted(inner) {
      override def restart(): Unit = {
        val mark = inner.mark()
        inner.back(mark.copy(stores = mark.stores.init :+ new InMemoryShardStore))
      }
    })

  found("another operator begins anew", "a restart with other sizes, with a longer lateness")(inner =>
    new Planted(inner) {
      private var own = false
      override def step(feed: Step.Feed): Emission = {
        own = true
        super.step(feed)
      }
      override def back(mark: CoreStores.Mark): Unit = if (own) super.back(mark)
    })

  found("damage is taken for nothing", "a short write, a torn write, a bit that flips")(inner =>
    new Planted(inner) {
      override def step(feed: Step.Feed): Emission =
        try super.step(feed)
        catch { case _: DamagedStateError => Emission.Nothing }
      override def restart(): Unit =
        try super.restart()
        catch { case _: DamagedStateError => () }
    })

  found("a watermark that falls ends the query", "a watermark set back")(inner =>
    new Planted(inner) {
      private var greatest = Long.MinValue
      override def step(feed: Step.Feed): Emission = {
        if (feed.watermark.exists(_ < greatest)) throw new IllegalStateException("the watermark has fallen")
        greatest = math.max(greatest, feed.watermark.getOrElse(Long.MinValue))
        super.step(feed)
      }
    })

  found("a clock that is set back ends the query", "a clock set back")(inner =>
    new Planted(inner) {
      private var latest = Long.MinValue
      override def step(feed: Step.Feed): Emission = {
        if (feed.processingTime.exists(_ < latest)) throw new IllegalStateException("the clock has gone back")
        latest = feed.processingTime.getOrElse(latest)
        super.step(feed)
      }
    })

  found("refused messages are lost", "a late message, one of the future, one without a time")(inner =>
    new Planted(inner) {
      override def step(feed: Step.Feed): Emission = super.step(feed).copy(rejected = Nil)
    })

  test("without a bug there is no breach, and each breach is a line for scripts/replay") {
    assert((1L to 40L).forall(Simulate.breached(_, new SimulationCounts, tellings = 2).isEmpty))
    val told = (1L to 600L).iterator.flatMap(Simulate.breached(
      _,
      new SimulationCounts,
      tellings = 2,
      inner =>
        new Planted(inner) {
          override def step(feed: Step.Feed): Emission = super.step(feed).copy(rejected = Nil)
        })).next()
    val line = told.linesIterator.toSeq.last
    assert(TranscriptReader.read(line).steps.collect { case feed: Step.Feed => feed.messages.size }.sum <= 3)
  }
}
