package windrow.core.trigger

import org.scalatest.funsuite.AnyFunSuite
import windrow._

/** Laws of the panes of any window (SEMANTICS R15, R16, R79, R80), checked on every short life of a window under every
  * policy.
  */
class FiringRuleLaws extends AnyFunSuite {
  import FiringRuleLaws._

  private val lives = for {
    messages <- Seq.fill(Steps)(0 to 2).foldLeft(Seq(Seq.empty[Int]))((all, some) => all.flatMap(l => some.map(l :+ _)))
    complete <- 0 to Steps
    closed   <- complete to Steps
  } yield Life(messages, complete, closed)

  private def law(name: String)(holds: (Rules, Life, Seq[Pane]) => Boolean): Unit = test(name) {
    var tried = 0
    for (rules <- all; life <- lives if life.messages.sum > 0) {
      val panes = life.under(rules)
      assert(holds(rules, life, panes), s"$rules $life: $panes")
      tried += 1
    }
    assert(tried > 50000)
  }

  law("early panes come before a window is complete, late ones after, one on time between them") { (_, _, panes) =>
    val timings = panes.map(_.timing)
    timings == timings.sortBy(_.code) && timings.count(_ == Timing.OnTime) <= 1
  }

  law("a window fires on time, once, if it is asked to and has messages by then") { (rules, life, panes) =>
    val isThere = life.complete < Steps && life.messages.take(life.complete + 1).sum > 0
    panes.count(_.timing == Timing.OnTime) == (if (rules.onTime && isThere) 1 else 0)
  }

  law("no pane but the one on time tells nothing new") { (_, _, panes) =>
    panes.forall(pane => pane.news > 0 || pane.timing == Timing.OnTime)
  }

  law("of a window that closes every message is told, once") { (_, life, panes) =>
    val told = panes.map(_.news).sum
    if (life.closed < Steps) told == life.taken else told <= life.taken
  }

  law("a window whose first message is late tells it at once, or at the end of the step if late panes do so") {
    (rules, life, panes) =>
      val first  = life.messages.indexWhere(_ > 0)
      val isLate = life.complete < first && first <= life.closed
      !isLate || !rules.onTime || panes.headOption.exists { pane =>
        pane.timing == Timing.Late && pane.step == first && (rules.late == EachBatch || pane.news == 1)
      }
  }
}

private object FiringRuleLaws {

  /** Number of steps in the life of a window. */
  val Steps = 4

  private val triggers = Seq(Never, EachMessage, EachBatch, Every(2), EveryPeriod(TimeSpan(2)))

  final case class Rules(onTime: Boolean, early: PaneTrigger, late: PaneTrigger)

  val all: Seq[Rules] = for (onTime <- Seq(true, false); early <- triggers; late <- triggers)
    yield Rules(onTime, early, late)

  /** @param news
    *   number of messages that no earlier pane included
    */
  final case class Pane(step: Int, timing: Timing, news: Long)

  /** @param messages
    *   number of messages in each step
    * @param complete
    *   the step at which the window is complete; from [[Steps]] on never
    * @param closed
    *   the step at which the window is closed
    */
  final case class Life(messages: Seq[Int], complete: Int, closed: Int) {
    def taken: Int = messages.take(closed + 1).sum

    def under(rules: Rules): Seq[Pane] = {
      val rule      = new FiringRule(rules.onTime, new WindowTrigger(rules.early, rules.late))
      var paneState = PaneState[Unit]()
      var isNew     = true
      messages.indices.flatMap { step =>
        val now = Some(step.toLong)
        def pane(timing: Option[Timing]) = timing.map { timing =>
          val pane = Pane(step, timing, paneState.unsent)
          paneState = paneState.copy(index = paneState.index + 1, unsent = 0, since = None)
          pane
        }
        val wasComplete = step > complete
        val ofMessages = Seq.range(0, if (step > closed) 0 else messages(step)).flatMap { _ =>
          paneState = paneState.copy(unsent = paneState.unsent + 1, since = paneState.since.orElse(now))
          val timing = rule.withMessage(wasComplete, isNew, completes = false, paneState.unsent)
          isNew = false
          pane(timing)
        }
        val stage = Stage(isComplete = step >= complete, isClosed = step >= closed)
        val ended =
          if (isNew) None else rule.atStepEnd(stage, stage.isComplete && !wasComplete, paneState, now, isTouched = true)
        ofMessages ++ pane(ended)
      }
    }
  }
}
