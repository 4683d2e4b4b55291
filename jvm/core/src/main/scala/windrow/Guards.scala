package windrow

/** A limit that only a mistake exceeds (SEMANTICS S9). A clear error then replaces a query that would use all memory or
  * never end.
  *
  * @param name
  *   name of its field; its Spark setting is `spark.windrow.<name>`
  * @param code
  *   code of the error, for example `TOO_MANY_KEYS`
  */
sealed abstract class Guard(val name: String, val code: String, val default: Long) {
  def setting: String = s"spark.windrow.$name"
}

object Guard {

  /** Number of windows that store pane state for each message, which are those that fire early or late. */
  case object WindowsPerMessage extends Guard(
        "maxWindowsPerMessage",
        "TOO_MANY_WINDOWS",
        10000)

  /** Number of messages that one value needs: in a window of an aggregate that depends on their order, or in a window
    * of messages.
    */
  case object MessagesPerWindow extends Guard(
        "maxMessagesPerWindow",
        "TOO_MANY_MESSAGES",
        10000000)

  /** Number of keys that a shard keeps at the same time. */
  case object KeysPerShard extends Guard(
        "maxKeysPerShard",
        "TOO_MANY_KEYS",
        10000000)

  /** Number of rows that one step of a shard emits at its end, or that wait to be sent. */
  case object PendingOutput extends Guard(
        "maxPendingOutput",
        "TOO_MUCH_OUTPUT",
        100000000)

  val All: Seq[Guard] = Seq(WindowsPerMessage, MessagesPerWindow, KeysPerShard, PendingOutput)
}

/** The limits of all guards. They are not part of a checkpoint, so a query that has exceeded one continues with a
  * higher one.
  */
final case class Guards(
    maxWindowsPerMessage: Long = Guard.WindowsPerMessage.default,
    maxMessagesPerWindow: Long = Guard.MessagesPerWindow.default,
    maxKeysPerShard: Long = Guard.KeysPerShard.default,
    maxPendingOutput: Long = Guard.PendingOutput.default) {
  Guard.All.foreach(guard => require(limit(guard) > 0, s"${guard.name} is ${limit(guard)}. It must be 1 or more."))

  def limit(guard: Guard): Long = guard match {
    case Guard.WindowsPerMessage => maxWindowsPerMessage
    case Guard.MessagesPerWindow => maxMessagesPerWindow
    case Guard.KeysPerShard      => maxKeysPerShard
    case Guard.PendingOutput     => maxPendingOutput
  }

  /** Violations that a spec shows before any messages arrive. */
  def problems(spec: WindowOperatorSpec): Seq[SpecProblem] =
    (spec.window.family match {
      case aligned: WindowFamily.Aligned if spec.early != Never || !spec.onTime =>
        problem(Guard.WindowsPerMessage, aligned.grid.windowsPerPosition)
      case _: WindowFamily.Aligned | WindowFamily.SingleWindow | _: WindowFamily.GapFamily | _: WindowFamily.Inherited |
          _: WindowFamily.Run | _: WindowFamily.Numbered | _: WindowFamily.OffsetFamily | _: WindowFamily.Several =>
        None
    }).toSeq ++ spec.named.flatMap { case (name, own) => problems(own).map(_.in(s"window '$name'")) }

  /** The problem if a number exceeds the limit of a guard. */
  def problem(guard: Guard, found: Long): Option[SpecProblem] = Option.when(found > limit(guard))(SpecProblem(
    guard.code,
    "found"   -> found,
    "limit"   -> limit(guard),
    "setting" -> guard.setting,
    "name"    -> guard.name))

  /** Checks a number against the limit of a guard.
    *
    * @param where
    *   the windows or operator concerned, with bounds, but never the value of a key or a message
    * @throws windrow.GuardError
    *   if the number exceeds the limit
    */
  def check(guard: Guard, found: Long, where: => String): Unit =
    if (found > limit(guard)) problem(guard, found).foreach(wrong => throw new GuardError(wrong, where))
}

object Guards {
  val Default: Guards = Guards()
}

/** A step was stopped by a guard; none of its changes are kept. */
final class GuardError(val problem: SpecProblem, where: String)
    extends IllegalStateException(s"[${problem.code}] $where: ${problem.text}")
