package windrow.testkit

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.replay._

/** Checks that the random cases are useful: the situations that the rules describe happen in them often enough. */
class RandomCaseSuite extends AnyFunSuite {

  private final class Run(val transcript: TranscriptCase, outcome: Outcome.Ran) {
    val spec: WindowOperatorSpec = transcript.operator match {
      case Right(OperatorSpec.Aggregate(spec, _)) => spec
      case other                                  => fail(other.toString)
    }
    val feeds: Seq[Step.Feed]  = transcript.steps.collect { case feed: Step.Feed => feed }
    val messages: Seq[Message] = feeds.flatMap(_.messages)
    val watermarks: Seq[Long]  = feeds.flatMap(_.watermark)
    val counters: Map[String, Long] = outcome.results.collect { case StepResult.Answered(Answer.Counters(counters)) =>
      counters
    }.last
    private val emissions                = outcome.results.collect { case StepResult.Emitted(e) => e } ++ outcome.atEnd
    val panes: Seq[Emission.ContentPane] = emissions.flatMap(_.panes)
    val late: Seq[Emission.ContentPane]  = panes.filter(_.timing == Timing.Late)
    val rejected: Seq[RejectedMessage]   = emissions.flatMap(_.rejected)

    def isHopping(which: Hopping => Boolean): Boolean = spec.window match {
      case hopping: Hopping => which(hopping)
      case _                => false
    }
  }

  private val runs = (1L to 1000L).map(seed => RandomCase(seed, offsets = seed % 5 != 0)).map { transcript =>
    ReferenceEngine.run(transcript) match {
      case ran: Outcome.Ran => new Run(transcript, ran)
      case other            => fail(s"${transcript.id}: $other")
    }
  }

  private val happenings = Seq[(String, Run => Boolean)](
    "windows of one microsecond" -> (_.spec.window match { case w: Tumbling => w.size.micros == 1; case _ => false }),
    "steps that do not divide the size" -> (_.isHopping(h =>
      h.size.micros > h.step.micros && h.size.micros % h.step.micros != 0)),
    "many windows for a message"          -> (_.isHopping(h => h.size.micros >= 9 * h.step.micros)),
    "messages in gaps"                    -> (_.counters("gaps") > 0),
    "sessions"                            -> (_.spec.window.isInstanceOf[Session]),
    "a gap for each message"              -> (_.spec.window == Session.OfMessage),
    "retractions"                         -> (_.panes.exists(_.isRetraction)),
    "several late panes of a window"      -> (_.late.exists(_.index > 1)),
    "windows that are late at once"       -> (_.late.exists(_.index == 0)),
    "late panes as lateness ends"         -> (_.late.exists(_.isLast)),
    "on-time panes that are not the last" -> (_.panes.exists(pane => pane.timing == Timing.OnTime && !pane.isLast)),
    "late panes, never"                   -> (run => run.spec.late == Never && run.late.exists(_.index > 0)),
    "late panes, each message"            -> (run => run.spec.late == EachMessage && run.late.exists(_.index > 0)),
    "late panes, each step"               -> (run => run.spec.late == EachBatch && run.late.exists(_.index > 0)),
    "late panes, every n"                 -> (run => run.spec.late.isInstanceOf[Every] && run.late.exists(_.index > 0)),
    "messages of no time"                 -> (_.rejected.exists(_.reason == Reason.InvalidTime)),
    "messages too far ahead"              -> (_.rejected.exists(_.reason == Reason.TooFarAhead)),
    "messages too late"                   -> (_.rejected.exists(_.reason == Reason.TooLate)),
    "negative times"                      -> (_.panes.exists(_.start < 0)),
    "null keys"                           -> (_.panes.exists(_.key == Value.Null)),
    "several keys"                        -> (_.panes.map(_.key).distinct.size > 2),
    "ties"                                -> (_.messages.flatMap(_.time).groupBy(identity).exists(_._2.size > 2)),
    "duplicates"                          -> (_.counters("duplicates") > 0),
    "past and future messages"            -> (run => run.counters("past") > 0 && run.counters("future") > 0),
    "offsets out of order" -> (_.messages.filter(_.partition.contains(0)).flatMap(_.offset).distinct.sliding(2).exists(
      o =>
        o.last < o.head)),
    "steps without messages" -> (_.feeds.exists(_.messages.isEmpty)),
    "jumps of the watermark" -> (_.watermarks.sliding(2).exists(w => w.last - w.head > 30)),
    "messages before any watermark" -> (_.feeds.headOption.exists(feed =>
      feed.watermark.isEmpty && feed.messages.nonEmpty)),
    "restarts" -> (_.transcript.steps.contains(Step.Restart)))

  for ((what, happens) <- happenings) test(s"of 1000 cases 20 or more have $what") {
    assert(runs.count(happens) >= 20)
  }

  private val withPolicies = for (family <- RandomFamily.All; seed <- 1L to 60L) yield {
    val transcript = RandomCase(seed, family)
    ReferenceEngine.run(transcript) match {
      case ran: Outcome.Ran => (family, new Run(transcript, ran))
      case other            => fail(s"${transcript.id}: $other")
    }
  }

  private val policies = Seq[(String, Run => Boolean)](
    "early panes"             -> (_.panes.exists(_.timing == Timing.Early)),
    "several early panes"     -> (_.panes.exists(pane => pane.timing == Timing.Early && pane.index > 1)),
    "periods that fire"       -> (run => hasPeriod(run.spec.early) && run.panes.exists(_.timing == Timing.Early)),
    "one of several triggers" -> (run => run.spec.early.isInstanceOf[AnyOf] && run.panes.exists(_.index > 0)),
    "no panes on time"        -> (run => !run.spec.onTime && run.panes.nonEmpty),
    "parts that discard"      -> (run => run.spec.accumulation == Discarding && run.panes.exists(_.index > 0)),
    "retractions by the mode" -> (run =>
      run.spec.accumulation == AccumulatingAndRetracting && run.panes.exists(_.isRetraction)),
    "updated panes only"            -> (run => run.spec.skipUnchanged && run.panes.exists(_.index > 0)),
    "messages out of retention"     -> (_.rejected.exists(_.reason == Reason.OutOfRetention)),
    "windows that are late at once" -> (_.late.exists(_.index == 0)),
    "final ends that fire"          -> (run => run.transcript.atEnd.isDefined && run.panes.exists(_.isLast)),
    "windows without messages" -> (run =>
      run.spec.fillsGaps && run.panes.exists(pane => pane.timing == Timing.OnTime && isEmpty(pane))),
    "late panes of windows without messages" -> (run =>
      run.spec.fillsGaps && run.panes.exists(isEmpty) && run.late.exists(_.index > 0)),
    "windows above a stated number" -> (_.counters.get(Answer.OverRetention).exists(_ > 0)),
    "windows complete by a message" -> (run =>
      run.spec.closeOn == CloseOn.NextRow && run.panes.exists(p =>
        p.timing == Timing.OnTime && !p.isLast)))

  private def isEmpty(pane: Emission.ContentPane): Boolean = pane.value match {
    case Content.Values(values, _) => values("all") == Value.Items(Nil)
    case _                         => false
  }

  for ((what, happens) <- policies) test(s"of ${withPolicies.size} cases of all families 15 or more have $what") {
    assert(withPolicies.count { case (_, run) => happens(run) } >= 15)
  }

  test("panes of inherited windows are withdrawn") {
    val runs = withPolicies.collect { case (RandomFamily.Inherited, run) => run }
    assert(runs.count(_.messages.exists(_.pane.exists(_.isRetraction))) >= 5)
  }

  for (family <- RandomFamily.All)
    test(s"${family.name}: two cases of three give panes, one of six gives late ones or has none") {
      val runs = withPolicies.collect { case (`family`, run) => run }
      assert(runs.count(_.panes.nonEmpty) * 3 >= runs.size * 2)
      assert(runs.count(_.late.nonEmpty) * 6 >= runs.size || !RandomFamily.Timed.contains(family) ||
        family == RandomFamily.Everything)
    }

  private def hasPeriod(trigger: PaneTrigger): Boolean = trigger match {
    case EveryPeriod(_)  => true
    case AnyOf(triggers) => triggers.exists(hasPeriod)
    case _               => false
  }

  test("the same seed gives the same case, another seed another") {
    assert(RandomCase(7) == RandomCase(7))
    assert(RandomCase(7).copy(id = "") != RandomCase(8).copy(id = ""))
  }

  test("every message is counted once: read = accepted + rejected + duplicates + gaps") {
    runs.foreach { run =>
      def sum(names: String*) = names.map(run.counters).sum
      assert(sum("accepted", "rejected", "duplicates", "gaps") == run.messages.size, run.transcript.id)
      assert(sum("in_time", "past", "future") == run.counters("accepted"), run.transcript.id)
      assert(run.rejected.size == run.counters("rejected"), run.transcript.id)
    }
  }

  test("panes of a window are numbered, ON_TIME before LATE, and a retraction ends them") {
    runs.foreach { run =>
      run.panes.groupBy(pane => (pane.key, pane.start, pane.end)).values.foreach { panes =>
        val (withdrawn, fired) = panes.partition(_.isRetraction)
        assert(fired.map(_.index) == fired.indices.map(_.toLong), run.transcript.id)
        assert(fired.map(_.timing.code) == fired.map(_.timing.code).sorted, run.transcript.id)
        assert(fired.count(_.timing == Timing.OnTime) <= 1, run.transcript.id)
        assert(withdrawn.isEmpty || panes.last == fired.last.copy(isRetraction = true), run.transcript.id)
      }
    }
  }
}
