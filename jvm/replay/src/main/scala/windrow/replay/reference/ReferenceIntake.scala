package windrow.replay

import windrow.{Reason, TimeSpan}

/** Handles messages before their windows do, in the order of SEMANTICS A, and counts them. All references share it. */
private[windrow] final class ReferenceIntake(maxFuture: Option[TimeSpan]) {
  private var applied              = Set.empty[(Option[String], Int, Long)]
  private var counts               = Map.empty[String, Long].withDefaultValue(0L)
  private var rejected             = Vector.empty[RejectedMessage]
  var processingTime: Option[Long] = None

  def count(name: String): Unit = counts = counts.updated(name, counts(name) + 1)

  def counters: Map[String, Long] = Answer.CounterNames.map(name => name -> counts(name)).toMap

  /** Passes a message to `use` if it is not a replay and has a valid time. */
  def apply(message: Message)(use: Long => Unit): Unit =
    if (message.identity.exists(applied)) count("duplicates")
    else {
      applied ++= message.identity
      message.time match {
        case Some(time) if !Bounds.canHold(time) => reject(message, Reason.InvalidTime)
        case Some(time) if isTooFarAhead(time)   => reject(message, Reason.TooFarAhead)
        case Some(time)                          => use(time)
        case None                                => reject(message, Reason.InvalidTime)
      }
    }

  private def isTooFarAhead(time: Long): Boolean =
    maxFuture.zip(processingTime).exists { case (ahead, now) => time > Bounds.plus(now, ahead.micros) }

  def reject(message: Message, reason: Reason): Unit = {
    count("rejected")
    rejected :+= message.rejected(reason)
  }

  /** Drops a message as a duplicate by its contents. A replay, in contrast, is not returned. */
  def duplicate(message: Message): Unit = {
    count("duplicates")
    rejected :+= message.rejected(Reason.Duplicate)
  }

  def takeRejected(): Seq[RejectedMessage] = {
    val taken = rejected
    rejected = Vector.empty
    taken
  }
}
