package windrow.replay

import windrow._

/** The progress of the stream.
  *
  * @param watermark
  *   in microseconds
  * @param seen
  *   the greatest offset of each partition
  * @param sequences
  *   the sequence number of the next message of each key
  * @param isOver
  *   whether the input has ended
  */
private[windrow] final case class ReferenceProgress(
    watermark: Option[Long] = None,
    seen: Map[Int, Long] = Map.empty,
    sequences: Map[Scalar, Long] = Map.empty,
    isOver: Boolean = false) {

  /** Moves the watermark, which never falls. */
  def advanced(to: Option[Long]): ReferenceProgress = copy(watermark = (watermark ++ to).maxOption)

  def over: ReferenceProgress = copy(watermark = Some(Long.MaxValue), isOver = true)

  def seeing(message: Message): ReferenceProgress =
    message.partition.zip(message.offset).fold(this) { case (partition, offset) =>
      copy(seen = seen + (partition -> math.max(offset, seen.getOrElse(partition, offset))))
    }

  def sequence(key: Scalar): Long = sequences.getOrElse(key, 0L)

  def numbering(key: Scalar): ReferenceProgress = copy(sequences = sequences + (key -> (sequence(key) + 1)))
}

/** Decides when windows are complete, and when they accept no more messages (SEMANTICS E, R7, R21, R47, R53). */
private[windrow] final class ReferenceCompletion(spec: WindowOperatorSpec, windows: ReferenceWindows) {
  private val lateness       = spec.lateness.micros
  private val byFirstMessage = spec.closeOn == CloseOn.NextRow

  /** @param held
    *   all messages that the key has accepted
    */
  def isComplete(key: Scalar, window: Bounds, held: Seq[Held], progress: ReferenceProgress): Boolean =
    if (byFirstMessage) hasPassed(key, window, progress) || isBeyond(window, held)
    else spec.window match {
      case _: Inherit =>
        hasPassed(key, window, progress) || (isPastOnTime(window, held) && hasReached(key, window, 0, progress))
      case _ => hasReached(key, window, 0, progress)
    }

  /** Whether the upstream operator has already fired the window on time (SEMANTICS R55). */
  private def isPastOnTime(window: Bounds, held: Seq[Held]): Boolean =
    held.flatMap(_.message.pane).exists(pane =>
      pane.timing != Timing.Early && Bounds(pane.start, pane.end) == window)

  /** Whether a window was complete before its first message. An inherited window was if that message is a late pane. */
  def wasComplete(key: Scalar, window: Bounds, held: Seq[Held], news: Seq[Held], progress: ReferenceProgress): Boolean =
    isComplete(key, window, held, progress) && (spec.window match {
      case _: Inherit => news.exists(_.message.pane.exists(_.timing == Timing.Late))
      case _: Session => // a cut can complete a session of a message whose own window is open
        news.forall(one => windows.own(one.message, one.sequence).forall(isComplete(key, _, held, progress)))
      case _ => true
    })

  /** Whether the window is past its lateness, so that its state is removed. */
  def hasLeft(key: Scalar, window: Bounds, held: Seq[Held], progress: ReferenceProgress): Boolean = spec.window match {
    case _: Count if byFirstMessage => progress.isOver || isBeyond(window, held)
    case _                          => hasPassed(key, window, progress)
  }

  /** Whether the window rejects the message, judged by the progress before the step. */
  def isRefused(message: Message, window: Bounds, before: ReferenceProgress): Boolean = spec.window match {
    case _: OffsetSession => window.partition.flatMap(before.seen.get).exists(window.end <= _)
    case _: Count         => before.isOver
    case Global           => before.isOver || isOutOfRetention(message, before)
    case _                => hasPassed(message.key, window, before)
  }

  def isOutOfRetention(message: Message, before: ReferenceProgress): Boolean =
    (for (kept <- spec.retention.time; watermark <- before.watermark; time <- message.time)
      yield time < Bounds.plus(watermark, -kept.micros)).contains(true)

  private def hasPassed(key: Scalar, window: Bounds, progress: ReferenceProgress): Boolean =
    spec.window match {
      case _: OffsetRange if byFirstMessage =>
        progress.isOver || window.partition.flatMap(progress.seen.get).exists(_ > Bounds.plus(window.end, lateness))
      case _: Count if byFirstMessage => progress.isOver // its own messages complete it, full or not
      case _                          => hasReached(key, window, lateness, progress)
    }

  /** @param more
    *   distance beyond the end of the window
    */
  private def hasReached(key: Scalar, window: Bounds, more: Long, progress: ReferenceProgress): Boolean = {
    def seen = window.partition.flatMap(progress.seen.get)
    progress.isOver || (spec.window match {
      case Global           => false
      case _: Count         => progress.sequence(key) > window.end
      case _: OffsetRange   => seen.exists(_ >= Bounds.plus(window.end, more))
      case OffsetSession(n) => seen.exists(_ - window.end > n)
      case _ =>
        val end = Bounds.plus(window.end, more)
        progress.watermark.exists(mark => if (windows.isHalfOpen) mark >= end else mark > end)
    })
  }

  /** Whether the key has accepted a message past the end that arrived, in its own partition, after the first message of
    * the window (R7).
    */
  private def isBeyond(window: Bounds, held: Seq[Held]): Boolean = {
    def partition(one: Held) = (one.message.stream, one.message.partition)
    val first = windows.contents(window, held).groupMapReduce(partition)(_.message.offset)((a, b) => (a ++ b).minOption)
    held.filter(isPast(_, window)).exists { one =>
      val start = first.get(partition(one)).flatten
      one.message.offset.zip(start).forall { case (offset, start) => offset > start }
    }
  }

  private def isPast(one: Held, window: Bounds): Boolean =
    window.partition.forall(one.message.partition.contains(_)) &&
      windows.position(one).exists(at =>
        if (windows.isHalfOpen) at >= window.end else at > window.end)
}
