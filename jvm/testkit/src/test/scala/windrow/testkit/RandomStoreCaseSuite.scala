package windrow.testkit

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.replay._

/** Checks that the random cases of operators that store messages are useful: the situations that the rules describe
  * happen in them.
  */
class RandomStoreCaseSuite extends AnyFunSuite {

  private final class Run(val transcript: TranscriptCase, outcome: Outcome.Ran) {
    val operator: OperatorSpec           = transcript.operator.fold(found => fail(found.mkString), identity)
    val feeds: Seq[Step.Feed]            = transcript.steps.collect { case feed: Step.Feed => feed }
    val emissions: Seq[Emission]         = outcome.results.collect { case StepResult.Emitted(e) => e } ++ outcome.atEnd
    val panes: Seq[Emission.ContentPane] = emissions.flatMap(_.panes)
    val rows: Seq[Emission.Row]          = emissions.flatMap(_.rows)
    val rejected: Seq[RejectedMessage]   = emissions.flatMap(_.rejected)
    val answers: Seq[Answer]             = outcome.results.collect { case StepResult.Answered(answer) => answer }
    val counters: Map[String, Long]      = answers.collect { case Answer.Counters(counters) => counters }.last
    val kept: Seq[StoredMessage] =
      answers.collect { case Answer.Messages(messages) => messages }.lastOption.getOrElse(Nil)

    def isFullState(which: FullStateSpec => Boolean): Boolean = operator match {
      case OperatorSpec.FullState(spec) => which(spec)
      case _                            => false
    }

    def isJoin(which: JoinSpec => Boolean): Boolean = operator match {
      case OperatorSpec.Join(spec) => which(spec)
      case _                       => false
    }
  }

  private def runs(make: Long => TranscriptCase): Seq[Run] = (1L to 1000L).map(make).map { transcript =>
    ReferenceEngine.run(transcript) match {
      case ran: Outcome.Ran => new Run(transcript, ran)
      case other            => fail(s"${transcript.id}: $other")
    }
  }

  private val fullState = runs(RandomStoreCase.fullState(_))
  private val joins     = runs(RandomStoreCase.join(_))
  private val coGroups  = runs(RandomStoreCase.coGroup(_))

  private def happens(kind: String, all: Seq[Run], happenings: (String, Run => Boolean)*): Unit =
    for ((what, happens) <- happenings) test(s"of 1000 cases of $kind 20 or more have $what") {
      assert(all.count(happens) >= 20)
    }

  happens(
    "full state",
    fullState,
    "sessions"               -> (_.isFullState(_.window.isInstanceOf[Session])),
    "a window of everything" -> (_.isFullState(_.window == Global)),
    "windows of messages" -> (run =>
      run.isFullState(spec =>
        spec.window.isInstanceOf[Sliding] || spec.window.isInstanceOf[Over]) && run.panes.size > 3),
    "windows of positions" -> (run => run.isFullState(_.window.isInstanceOf[TupleWindows]) && run.panes.size > 3),
    "windows of positions that are on time" -> (run =>
      run.isFullState(_.window.isInstanceOf[TupleWindows]) && run.panes.exists(_.timing == Timing.OnTime)),
    "early panes"                 -> (_.panes.exists(_.timing == Timing.Early)),
    "panes on time"               -> (_.panes.exists(_.timing == Timing.OnTime)),
    "late panes after others"     -> (_.panes.exists(p => p.timing == Timing.Late && p.index > 0)),
    "late panes as lateness ends" -> (_.panes.exists(p => p.timing == Timing.Late && p.isLast)),
    "periods that fire" -> (run =>
      run.isFullState(_.early.isInstanceOf[EveryPeriod]) && run.panes.exists(_.timing == Timing.Early)),
    "messages out of retention"               -> (_.rejected.exists(_.reason == Reason.OutOfRetention)),
    "messages too late, but inside retention" -> (_.rejected.exists(_.reason == Reason.TooLate)),
    "messages that retention took"            -> (run => run.kept.size < run.counters("accepted")),
    "messages that remain"                    -> (_.kept.size > 2),
    "counts that are exceeded" -> (run =>
      run.isFullState(_.retention.messages.exists(n =>
        run.kept.groupBy(_.key).values.exists(_.size > n)))),
    "windows found" -> (_.answers.exists { case Answer.Windows(windows) => windows.size > 1; case _ => false }),
    "duplicates"    -> (_.counters("duplicates") > 0),
    "restarts"      -> (_.transcript.steps.contains(Step.Restart)))

  happens(
    "join",
    joins,
    "three streams with rows" -> (run => run.isJoin(_.streams.size == 3) && run.rows.nonEmpty),
    "ranges"                  -> (run => run.isJoin(_.within.isInstanceOf[Within.Ranges]) && run.rows.nonEmpty),
    "own windows on both sides" -> (run =>
      run.isJoin(_.streams.forall(_.window.exists(_ != Over.Everything))) && run.rows.nonEmpty),
    "sessions of all streams"     -> (run => run.isJoin(_.within.isInstanceOf[Within.SameWindow]) && run.rows.nonEmpty),
    "rows without equal fields"   -> (run => run.isJoin(!_.hasKeys) && run.rows.nonEmpty),
    "rows that wait for a period" -> (run => run.isJoin(_.early.isInstanceOf[EveryPeriod]) && run.rows.nonEmpty),
    "small ranges"                -> (run => run.isJoin(_.expect.toString == "Small") && run.rows.nonEmpty),
    "no stated retention"         -> (run => run.isJoin(!_.retention.isStated) && run.rows.nonEmpty),
    "messages of no window"       -> (_.counters("gaps") > 0),
    "messages too late"           -> (_.rejected.exists(_.reason == Reason.TooLate)),
    "messages out of retention"   -> (_.rejected.exists(_.reason == Reason.OutOfRetention)),
    "null keys" -> (run => run.isJoin(_.hasKeys) && run.feeds.exists(_.messages.exists(_.key == Value.Null))),
    "messages that retention took" -> (run => run.kept.size < run.counters("accepted")))

  for (how <- JoinKind.All)
    happens("join", joins, s"rows of a $how join" -> (run => run.isJoin(_.how == how) && run.rows.nonEmpty))

  for (how <- Seq(JoinKind.Left, JoinKind.Right, JoinKind.Full))
    happens(
      "join",
      joins,
      s"rows with and without a partner in a $how join" -> (run =>
        run.isJoin(_.how == how) && run.rows.exists(_.values.exists(_.isEmpty)) && run.rows.exists(
          _.values.forall(_.isDefined))))

  happens(
    "co-group",
    coGroups,
    "panes with messages of two streams" -> (_.panes.exists(_.value match {
      case Content.ByStream(messages) => messages.values.count(_.nonEmpty) > 1
      case _                          => false
    })),
    "retractions" -> (_.panes.exists(_.isRetraction)))

  test("the core runs these cases, all of full state and joins and most co-groups") {
    val core               = new CoreEngine
    def ran(all: Seq[Run]) = all.count(run => core.run(run.transcript).isInstanceOf[Outcome.Ran])
    assert(ran(fullState.take(200)) == 200)
    assert(ran(joins.take(200)) == 200)
    assert(ran(coGroups.take(200)) >= 100)
  }

  test("every message is counted once: read = accepted + rejected + duplicates + gaps") {
    (fullState ++ joins ++ coGroups).foreach { run =>
      val told = Seq("accepted", "rejected", "duplicates", "gaps").map(run.counters).sum
      assert(told == run.feeds.map(_.messages.size).sum, run.transcript.id)
    }
  }
}
