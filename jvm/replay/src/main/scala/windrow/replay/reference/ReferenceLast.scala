package windrow.replay

import windrow.{DedupSpec, Reason}

/** The slow, obviously correct deduplication that keeps the last row (SEMANTICS R108, R109). It forgets nothing, and
  * compares every accepted row with every other one after each step.
  */
private[windrow] final class ReferenceLast(spec: DedupSpec) extends StepwiseOperator {
  import ReferenceLast.Accepted

  private val intake = new ReferenceIntake(spec.maxFuture)

  private var watermark = Option.empty[Long]
  private var step      = 0
  private var all       = Vector.empty[Accepted]
  private var last      = Set.empty[Accepted] // after the previous step
  private var emitted   = Set.empty[Accepted]

  private val order: Ordering[Message] =
    if (spec.orderBy.isEmpty) Message.Order
    else Ordering.by[Message, Scalar](_.value).orElse(Message.Order)

  def step(feed: Step.Feed): Emission = {
    intake.processingTime = feed.processingTime.orElse(intake.processingTime)
    feed.messages.sorted(order).foreach(message => intake(message)(accept(message, _)))
    end((watermark ++ feed.watermark).maxOption)
  }

  def finish(): Emission = end(Some(Long.MaxValue))

  def restart(): Unit = ()

  private def accept(message: Message, time: Long): Unit =
    if (watermark.exists(_ > Bounds.plus(time, spec.lateness.micros))) intake.reject(message, Reason.TooLate)
    else all :+= Accepted(message, time, step)

  private def isFollowed(row: Accepted): Boolean = all.zipWithIndex.exists { case (other, index) =>
    (other ne row) && other.message.key == row.message.key && (other.time - row.time).abs <= spec.within.micros && {
      val comparison = order.compare(row.message, other.message)
      comparison < 0 || comparison == 0 && all.indexWhere(_ eq row) > index // of equal rows, the first one stays
    }
  }

  private def end(now: Option[Long]): Emission = {
    val (gone, open) = all.partition(isFollowed)
    val (new_, old)  = open.partition(_.step == step)
    new_.foreach(_ => intake.count("accepted"))
    gone.filter(_.step == step).foreach(row => intake.duplicate(row.message))
    val replaced = last.toVector.filterNot(old.toSet)
    watermark = now
    val due = open.filter(row => now.exists(_ > Bounds.plus(row.time, spec.span.micros)) && !emitted(row))
    val rows =
      if (spec.retracts) replaced.map(row => Emission.retracted(row.message)) ++ new_.map(row =>
        Emission.kept(row.message))
      else due.map(row => Emission.kept(row.message))
    emitted ++= due
    last = open.toSet
    step += 1
    Emission(
      rejected = intake.takeRejected() ++ replaced.map(_.message.rejected(Reason.Duplicate)),
      rows = rows)
  }

  def ask(query: Query): Answer = query match {
    case Query.Counters => Answer.Counters(intake.counters)
    case _              => Answer.Refused("NO_MESSAGE_STORE")
  }
}

private object ReferenceLast {

  /** An accepted row, and the number of the step in which it arrived. */
  private final case class Accepted(message: Message, time: Long, step: Int)
}
