package windrow

/** Windows of positions instead of time. */
sealed trait TupleWindows extends WindowKind {
  private[windrow] final def bounds: WindowBounds = Positions
}

/** Windows on the offsets of a source partition, which the messages of all keys share. */
sealed trait SourceWindows extends TupleWindows {
  private[windrow] final override def needsRows: Boolean     = true // offsets decide which messages are late for them
  private[windrow] final override def goesByOffsets: Boolean = true
}

private object TupleWindows {
  val LastIsIn: Option[String] = Some("its last position is in")

  /** The form of kinds with a number of positions and a step between windows. */
  def form(name: String, function: String)(make: (Long, Long) => WindowKind): WindowForm =
    WindowForm(name, function, "n", "step")(_.steps.map(make.tupled))

  def shown(name: String, n: Long, step: Long): String = if (step == n) s"$name($n)" else s"$name($n, step=$step)"

  def numbered(of: String, n: Long, step: Long): String =
    s"$of: windows of $n, first and last included, one every $step."
}

/** `[first, last]` windows of `n` messages of a key, one every `step`, by sequence number 0, 1, 2, … in order of
  * acceptance. With 3 messages every 2: the messages 0, 1, 2, then 2, 3, 4.
  */
final case class Count(n: Long, step: Long) extends TupleWindows {
  def problems: Seq[SpecProblem] = WindowKind.atLeastOne("n", n, "step", step)

  private[windrow] def form: WindowForm           = Count.Form
  private[windrow] def fields: Seq[(String, Any)] = Seq("n" -> n, "step" -> step)
  private[windrow] def inWords: String = TupleWindows.numbered(
    "For each key, by the numbers 0, 1, 2, … of its messages in order of acceptance",
    n,
    step)
  private[windrow] override def order: ContentOrder         = ContentOrder.ByArrival
  private[windrow] override def isSliced: Boolean           = true
  private[windrow] override def completedBy: Option[String] = TupleWindows.LastIsIn
  override def toString: String                             = TupleWindows.shown("Count", n, step)
}

object Count {
  def apply(n: Long): Count = Count(n, n)

  private[windrow] val Form: WindowForm = TupleWindows.form("count", "windrow_count")(Count(_, _))
}

/** `[first, last]` windows of `n` offsets of a source partition, one every `step`, from its start offset on. With 100
  * offsets: the offsets 0 to 99, whatever the keys of their messages, then 100 to 199.
  */
final case class OffsetRange(n: Long, step: Long) extends SourceWindows {
  def problems: Seq[SpecProblem] = WindowKind.atLeastOne("n", n, "step", step)

  private[windrow] def form: WindowForm           = OffsetRange.Form
  private[windrow] def fields: Seq[(String, Any)] = Seq("n" -> n, "step" -> step)
  private[windrow] def inWords: String =
    TupleWindows.numbered("For each source partition, by offset from its start offset on", n, step)
  private[windrow] override def isSliced: Boolean           = true
  private[windrow] override def isSide: Boolean             = true
  private[windrow] override def boundsSide: Boolean         = false
  private[windrow] override def canBeLate: Boolean          = true
  private[windrow] override def isLateByOffsets: Boolean    = true
  private[windrow] override def completedBy: Option[String] = TupleWindows.LastIsIn
  override def toString: String                             = TupleWindows.shown("OffsetRange", n, step)
}

object OffsetRange {
  def apply(n: Long): OffsetRange = OffsetRange(n, n)

  private[windrow] val Form: WindowForm = TupleWindows.form("offset_range", "windrow_offset_range")(OffsetRange(_, _))
}

/** `[first, last]` windows of offsets: a session of a key ends when more than `gap` rows of the partition pass without
  * the key.
  */
final case class OffsetSession(gap: Long) extends SourceWindows {
  def problems: Seq[SpecProblem] =
    Option.when(gap < 0)(SpecProblem("GAP_NEGATIVE", "gap" -> gap)).toSeq

  private[windrow] def form: WindowForm           = OffsetSession.Form
  private[windrow] def fields: Seq[(String, Any)] = Seq("gap" -> gap)
  private[windrow] def inWords: String =
    "For each key and source partition, from the offset of a first message to that of the last before more than " +
      s"$gap offsets pass without the key."
  private[windrow] override def isReplaceable: Boolean      = true
  private[windrow] override def completedBy: Option[String] = Some("more offsets than it bridges have passed")
  override def toString: String                             = s"OffsetSession(gap=$gap)"
}

object OffsetSession {
  private[windrow] val Form: WindowForm = WindowForm("offset_session", "windrow_offset_session", "gap") { said =>
    if (said.isSaid("gap")) said.countIfSaid("gap").map(OffsetSession(_)) else said.refuse("GAP_NOT_STATED.OFFSETS")
  }
}
