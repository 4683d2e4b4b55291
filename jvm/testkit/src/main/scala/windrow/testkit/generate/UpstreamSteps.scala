package windrow.testkit

import scala.util.Random
import windrow.replay._

/** The panes of a random operator as messages of another operator. Several keys become one, the watermark is that of
  * the first operator, and some panes arrive a step later, twice, or not at all.
  */
private[testkit] object UpstreamSteps {

  def apply(random: Random, offsets: Boolean): Seq[Step] = {
    val families = Seq(RandomFamily.InQueries, RandomFamily.Aligned, RandomFamily.Calendar, RandomFamily.Sessions)
    val upstream = RandomCase(random.nextLong(), families(random.nextInt(families.size)))
    val results = ReferenceEngine.run(upstream) match {
      case Outcome.Ran(results, _) => results
      case other                   => throw new IllegalStateException(s"${upstream.id}: $other")
    }
    var delayed    = Vector.empty[Message]
    var nextOffset = 0L
    upstream.steps.zip(results).flatMap {
      case (feed: Step.Feed, StepResult.Emitted(emission)) =>
        val panes = emission.panes.filter(_ => random.nextInt(15) > 0).map { pane =>
          nextOffset += 1
          message(pane, Option.when(offsets)(nextOffset))
        }
        val (later, now) = panes.partition(_ => random.nextInt(8) == 0)
        val again        = panes.filter(_ => random.nextInt(20) == 0)
        val messages     = delayed ++ now ++ again
        delayed = later.toVector
        Some(feed.copy(messages = messages))
      case (Step.Restart, _) => Some(Step.Restart)
      case _                 => None
    }
  }

  private def message(pane: Emission.ContentPane, offset: Option[Long]): Message = {
    val count = pane.value match {
      case Content.Values(values, _) => values("all") match {
          case Value.Items(all) => all.size.toLong
          case _                => 0L
        }
      case _ => 0L
    }
    val key = pane.key match {
      case Value.Text(text) if text.last % 2 == 0 => Scalar("even")
      case _: Value.Text => Scalar("odd")
      case other         => other
    }
    Message(
      key,
      Some(pane.start),
      Scalar(count),
      partition = offset.map(_ => 0),
      offset = offset,
      pane = Some(UpstreamPane(pane.start, pane.end, pane.timing, pane.isRetraction)))
  }
}
