package windrow.testkit

import windrow.replay._

import scala.collection.mutable
import scala.util.Random
import windrow.core.state.DamagedStateError

/** The core, with faults between and inside its steps. What comes out must be what comes out without them.
  *
  * A step is a batch: it is tried until an attempt ends well, as Spark does, and each attempt begins with what the batch
  * before left. Damage that a store does not notice is tried on a copy: the steps after it end in an error that names the
  * damaged value, or come out right.
  *
  * The faults follow from the case's id alone, so that a case that failed fails again.
  */
final class SimulatedEngine(
    val counts: SimulationCounts = new SimulationCounts,
    shards: Int = 3,
    tell: String => Unit = _ => ())
    extends CoreEngine(shards) {

  /** As `java.util.ServiceLoader` makes it. */
  def this() = this(new SimulationCounts)

  override def name: String = "simulated"

  private var attempt = new Attempt(None, 0, counts)

  override private[windrow] def stores: CoreStores.Wrap = new FaultyStore(_, () => attempt)

  override private[windrow] def drive(transcript: TranscriptCase, operator: CoreOperator): Outcome = {
    val random  = new Random(transcript.id.hashCode.toLong)
    val text    = new ResultText(new UnitJson(transcript.timeUnit, transcript.specJson))
    val compare = new EmissionComparison(text)
    val shape   = transcript.operator.fold(_ => Expected.Panes, _.shape)
    val feeds   = transcript.steps.zipWithIndex.collect { case (feed: Step.Feed, index) => index -> feed }

    /** What came of steps that ran behind a damage, to be compared when they run without it. */
    val behindDamage = mutable.HashMap.empty[Int, Seq[Emission]].withDefaultValue(Nil)

    def same(what: String, expected: Emission, came: Emission): Unit = {
      val found = compare(expected.asExpected(shape), came)
      if (found.nonEmpty) throw new IllegalStateException(s"$what: ${found.mkString("; ")}")
    }

    def trying[A](fault: Option[FaultPoint], at: Int)(run: => A): (Option[A], Boolean) = {
      attempt = new Attempt(fault, at, counts)
      counts.steps += 1
      val came =
        try Some(run)
        catch { case _: StoreFault => None }
      val isHit = attempt.isHit
      attempt = new Attempt(None, 0, counts)
      (came, isHit)
    }

    /** Some of the steps from one on, on a state that may be damaged. */
    def behind(from: Int, fault: FaultPoint, at: Int): Unit =
      try {
        val some       = feeds.dropWhile(_._1 < from).take(3)
        val (_, isHit) = trying(Some(fault), at)(operator.step(some.head._2))
        if (isHit) {
          operator.restart()
          some.tail.foreach { case (index, feed) => behindDamage(index) :+= operator.step(feed) }
        }
      } catch { case _: DamagedStateError => counts.found += 1 }

    def faults(index: Int, feed: Step.Feed): Unit = {
      val before = operator.mark()
      def at     = random.nextInt(1 << random.nextInt(5))
      while (random.nextInt(3) == 0) {
        val point = FaultPoint.All(random.nextInt(FaultPoint.All.size))
        tell(s"step ${index + 1}: $point")
        point match {
          case point @ (FaultPoint.WriteFails | FaultPoint.ReadFails) => trying(Some(point), at)(operator.step(feed))
          case FaultPoint.AttemptLost =>
            trying(None, 0)(operator.step(feed))
            counts.hit(FaultPoint.AttemptLost)
          case FaultPoint.Restart =>
            operator.restart()
            counts.hit(FaultPoint.Restart)
          case FaultPoint.BatchRepeated => ()
          case silent                   => behind(index, silent, at)
        }
        operator.back(before)
      }
    }

    def step(index: Int, feed: Step.Feed): Emission = {
      faults(index, feed)
      val before        = operator.mark()
      val (emission, _) = trying(None, 0)(operator.step(feed))
      behindDamage.remove(index).toSeq.flatten.foreach(same(s"step ${index + 1} behind a damage", emission.get, _))
      if (random.nextInt(4) == 0) {
        operator.back(before)
        tell(s"step ${index + 1} comes again")
        val again = feed.copy(messages = random.shuffle(feed.messages))
        counts.hit(FaultPoint.BatchRepeated)
        trying(None, 0)(operator.step(again))._1.foreach(same(s"step ${index + 1}, repeated", emission.get, _))
      }
      if (random.nextInt(4) == 0) {
        tell(s"a restart after step ${index + 1}")
        operator.restart()
        counts.hit(FaultPoint.Restart)
      }
      emission.get
    }

    val times = feeds.flatMap(_._2.watermark)
    if (times.nonEmpty) counts.simulated += (times.max - times.min).toDouble
    val results = transcript.steps.zipWithIndex.map {
      case (feed: Step.Feed, index) => StepResult.Emitted(step(index, feed))
      case (Step.Restart, _) =>
        operator.restart()
        StepResult.Restarted
      case (Step.Ask(query, _), _) => StepResult.Answered(operator.ask(query))
    }
    Outcome.Ran(results, transcript.atEnd.filter(_.isFinal).map(_ => operator.finish()))
  }
}
