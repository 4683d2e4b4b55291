package windrow.replay

import windrow.{DedupSpec, Reason}

/** The slow, obviously correct deduplication that keeps the first row (SEMANTICS D). It forgets nothing. */
private[windrow] final class ReferenceDedup(spec: DedupSpec) extends StepwiseOperator {
  private val intake = new ReferenceIntake(spec.maxFuture)

  private var watermark = Option.empty[Long]
  private var kept      = Vector.empty[(Scalar, Long)]
  private var rows      = Vector.empty[Emission.Row]

  private val order: Ordering[Message] =
    if (spec.orderBy.isEmpty) Message.Order
    else Ordering.by[Message, (Option[Long], Scalar)](m => (m.time, m.value)).orElse(Message.Order)

  def step(feed: Step.Feed): Emission = {
    intake.processingTime = feed.processingTime.orElse(intake.processingTime)
    feed.messages.sorted(order).foreach(message => intake(message)(place(message, _)))
    watermark = (watermark ++ feed.watermark).maxOption
    taken()
  }

  def finish(): Emission = {
    watermark = Some(Long.MaxValue)
    taken()
  }

  def restart(): Unit = ()

  private def place(message: Message, time: Long): Unit =
    if (watermark.exists(_ > Bounds.plus(time, spec.lateness.micros))) intake.reject(message, Reason.TooLate)
    else if (kept.exists { case (key, other) => key == message.key && (time - other).abs <= spec.within.micros })
      intake.duplicate(message)
    else {
      intake.count("accepted")
      kept :+= (message.key -> time)
      rows :+= Emission.kept(message)
    }

  private def taken(): Emission = {
    val emission = Emission(rejected = intake.takeRejected(), rows = rows)
    rows = Vector.empty
    emission
  }

  def ask(query: Query): Answer = query match {
    case Query.Counters => Answer.Counters(intake.counters)
    case _              => Answer.Refused("NO_MESSAGE_STORE")
  }
}
