package windrow.replay

/** An accepted message and its sequence number in its key: 0, 1, 2, … in order of acceptance. */
private[windrow] final case class Held(message: Message, sequence: Long) {
  def time: Long   = message.time.get
  def offset: Long = message.offset.get
}

private[windrow] object Held {

  /** The order on the axis of time. */
  val ByTime: Ordering[Held] = Ordering.by[Held, Message](_.message)(Message.Order).orElseBy(_.sequence)
}

/** A window of one key, as its panes show it: positions on its axis, with an exclusive end only for half-open kinds.
  *
  * @param partition
  *   the partition of a window on offsets
  * @param of
  *   the message of a window of `Over`
  */
private[windrow] final case class Bounds(
    start: Long,
    end: Long,
    partition: Option[Int] = None,
    of: Option[Held] = None) {

  /** The identity, which stays the same while the bounds change: a window of `Over` is identified by its message,
    * wherever it starts.
    */
  def identity: Bounds = if (of.isDefined) Bounds(0, 0, of = of) else this
}

private[windrow] object Bounds {
  val Order: Ordering[Bounds] = Ordering.by(bounds => (bounds.start, bounds.end, bounds.partition))

  /** Whether a message may have this time, or a session may end there (SEMANTICS T1). */
  def canHold(time: BigInt): Boolean = time.abs < BigInt(2).pow(62)

  /** Whether a message forms a session (SEMANTICS W3). */
  def canMakeSession(message: Message, gap: Option[Long]): Boolean =
    message.gap.orElse(gap).exists(own => own > 0 && canHold(BigInt(message.time.get) + own))

  /** Adds two positions. A sum beyond 64 bits becomes the greatest or least position. */
  def plus(a: Long, b: Long): Long =
    try Math.addExact(a, b)
    catch { case _: ArithmeticException => if (b > 0) Long.MaxValue else Long.MinValue }
}
