package windrow.testkit

import scala.collection.mutable
import scala.util.Random
import windrow.core.state.DamagedStateError
import windrow.replay._

/** Runs one case under faults. A step is a batch: like Spark, the simulation repeats it until an attempt succeeds, and
  * each attempt starts with the state after the batch before. Damage that a store does not notice is applied to a copy:
  * the later steps must fail with an error that names the damaged value, or give the right output. After out-of-date
  * values they may end in any way.
  *
  * @param another
  *   creates an operator of another spec, which takes over the state of this one
  */
private[testkit] final class Simulation(
    transcript: TranscriptCase,
    first: CoreOperator,
    another: (TranscriptCase, CoreStores.Sizes) => CoreOperator,
    faults: Faults,
    random: Random,
    log: String => Unit) {
  private val counts   = faults.counts
  private val compare  = new EmissionComparison(new ResultText(new UnitJson(transcript.timeUnit, transcript.specJson)))
  private val shape    = transcript.operator.fold(_ => Expected.Panes, _.shape)
  private val feeds    = transcript.steps.zipWithIndex.collect { case (feed: Step.Feed, index) => index -> feed }
  private val judged   = feeds.indexWhere(_._2.watermark.isDefined)
  private val shorter  = if (random.nextInt(4) == 0 && judged > 0) OtherSpec.before(transcript, random) else None
  private var operator = shorter.fold(first)(another(_, sizes()))

  /** Checks of the output of steps that ran after a fault. They run once the same step has run without the fault. */
  private val behind = mutable.HashMap.empty[Int, Vector[Emission => Unit]].withDefaultValue(Vector.empty)

  def run(): Outcome.Ran = {
    val results = transcript.steps.zipWithIndex.map {
      case (feed: Step.Feed, index) =>
        if (shorter.isDefined && feeds(judged)._1 == index) {
          log(s"a longer lateness from step ${index + 1} on")
          move(first)
          counts.hit(FaultPoint.Longer)
        }
        StepResult.Emitted(step(index, feed))
      case (Step.Restart, _) =>
        restart()
        StepResult.Restarted
      case (Step.Ask(query, _), _) => StepResult.Answered(operator.ask(query))
    }
    Outcome.Ran(results, transcript.atEnd.filter(_.isFinal).map(_ => operator.finish()))
  }

  private def sizes() = CoreStores.Sizes(
    page = 40 << random.nextInt(8),
    piece = 16 << random.nextInt(9),
    large = 1 << random.nextInt(6))

  private def back(mark: CoreStores.Mark): Unit = {
    faults.reopen()
    operator.back(mark)
  }

  private def restart(): Unit = {
    faults.reopen()
    operator.restart()
  }

  /** Continues with another operator on the same state. */
  private def move(to: CoreOperator): Unit = {
    val mark = operator.mark()
    operator = to
    back(mark)
  }

  private def step(index: Int, feed: Step.Feed): Emission = {
    while (random.nextInt(3) == 0) befall(index, feed)
    val before        = operator.mark()
    val (emission, _) = faults.during(None, 0, commits = true)(operator.step(feed))
    val came          = emission.get
    behind.remove(index).toSeq.flatten.foreach(_(came))
    if (random.nextInt(4) == 0) {
      back(before)
      log(s"step ${index + 1} is repeated")
      counts.hit(FaultPoint.BatchRepeated)
      val again = feed.copy(messages = random.shuffle(feed.messages))
      faults.during(None, 0, commits = true)(operator.step(again))._1
        .foreach(same(s"step ${index + 1}, repeated", came, _))
    }
    if (random.nextInt(8) == 0) {
      log(s"a restart after step ${index + 1}")
      restart()
      counts.hit(FaultPoint.Restart)
    }
    came
  }

  /** Causes one fault, then restores the state before it. */
  private def befall(index: Int, feed: Step.Feed): Unit = {
    val before = operator.mark()
    val own    = operator
    val at     = random.nextInt(1 << random.nextInt(5))
    val point  = FaultPoint.OfAttempts(random.nextInt(FaultPoint.OfAttempts.size))
    log(s"step ${index + 1}: $point")
    point match {
      case FaultPoint.WriteFails | FaultPoint.ReadFails => faults.during(Some(point), at)(operator.step(feed))
      case FaultPoint.AttemptLost =>
        faults.during(None, 0)(operator.step(feed))
        counts.hit(point)
      case FaultPoint.Restart => counts.hit(point)
      case FaultPoint.OtherSizes =>
        if (!isEarly(index)) {
          operator = another(transcript, sizes())
          counts.hit(point)
        }
      case FaultPoint.OtherSpec  => if (!isEarly(index)) otherSpec(before, feed)
      case FaultPoint.BatchRecut => recut(index, feed)
      case stale @ (FaultPoint.WriteDropped | FaultPoint.ReadStale) =>
        damaged(index, stale, at) { (_, _) => counts.staleShown += 1 }(counts.staleFound += 1)
      case damage =>
        damaged(
          index,
          damage,
          at) { (what, text) => throw new IllegalStateException(s"$what: $text") }(counts.found += 1)
    }
    if (point != FaultPoint.OtherSizes) operator = own
    back(before)
  }

  /** Whether the step runs before the spec of the case is in effect. */
  private def isEarly(index: Int): Boolean = shorter.isDefined && index < feeds(judged)._1

  private def otherSpec(before: CoreStores.Mark, feed: Step.Feed): Unit =
    OtherSpec.after(transcript, random).foreach { other =>
      operator = another(other, sizes())
      back(before)
      faults.during(None, 0)(operator.step(feed))
      counts.hit(FaultPoint.OtherSpec)
    }

  /** Repeats the messages of the last batch in this one. They are duplicates, whichever messages they arrive with. */
  private def recut(index: Int, feed: Step.Feed): Unit = {
    val last = feeds.takeWhile(_._1 < index).lastOption.fold(Seq.empty[Message])(_._2.messages)
    if (last.nonEmpty && last.forall(_.identity.isDefined)) {
      val (came, _) = faults.during(None, 0)(operator.step(feed.copy(messages = random.shuffle(last ++ feed.messages))))
      behind(index) :+= { (emission: Emission) =>
        came.foreach(again =>
          same(s"step ${index + 1} with the one before", emission.copy(rejected = Nil), again.copy(rejected = Nil)))
      }
      counts.hit(FaultPoint.BatchRecut)
    }
  }

  /** Runs some steps, from a given one on, on a state that contains a wrong value.
    *
    * @param shows
    *   called if a step gives a different output, with the place and the difference in words
    * @param found
    *   called if the damage is reported by an error that names the value
    */
  private def damaged(from: Int, fault: FaultPoint, at: Int)(shows: (String, String) => Unit)(found: => Unit): Unit = {
    val some = feeds.dropWhile(_._1 < from).takeWhile(one => isEarly(one._1) == isEarly(from)).take(3)
    def later(index: Int, came: Emission): Unit = behind(index) :+= { (emission: Emission) =>
      val differs = compare(emission.asExpected(shape), came)
      if (differs.nonEmpty) shows(s"step ${index + 1} behind $fault", differs.mkString("; "))
    }
    try {
      if (fault == FaultPoint.ReadStale) restart()
      val (came, isHit) = faults.during(Some(fault), at)(operator.step(some.head._2))
      if (isHit) {
        came.foreach(later(from, _))
        restart()
        some.tail.foreach { case (index, feed) => later(index, operator.step(feed)) }
      }
    } catch {
      case _: DamagedStateError                                    => found
      case _: RuntimeException if FaultPoint.Stale.contains(fault) => found
    }
  }

  private def same(what: String, expected: Emission, came: Emission): Unit = {
    val found = compare(expected.asExpected(shape), came)
    if (found.nonEmpty) throw new IllegalStateException(s"$what: ${found.mkString("; ")}")
  }
}
