package windrow

/** A limit that only a mistake reaches (SEMANTICS S9): one clear error in the place of a query that would take all memory
  * or never end.
  *
  * @param name
  *   of its field; its Spark setting is `spark.windrow.<name>`
  * @param code
  *   of the error, for example `TOO_MANY_KEYS`
  */
sealed abstract class Guard(val name: String, val code: String, val default: Long) {
  def setting: String = s"spark.windrow.$name"
}

object Guard {

  /** Windows that keep a record of their panes for each message: those that fire early or late. */
  case object WindowsPerMessage extends Guard(
        "maxWindowsPerMessage",
        "TOO_MANY_WINDOWS",
        10000)

  /** Messages that one value needs all of: of a window of an aggregate to which order shows, or in a window of messages. */
  case object MessagesPerWindow extends Guard(
        "maxMessagesPerWindow",
        "TOO_MANY_MESSAGES",
        10000000)

  /** Keys that are kept by a shard at the same time. */
  case object KeysPerShard extends Guard(
        "maxKeysPerShard",
        "TOO_MANY_KEYS",
        10000000)

  /** Rows that one step of a shard owes at its end, or that wait to be sent. */
  case object PendingOutput extends Guard(
        "maxPendingOutput",
        "TOO_MUCH_OUTPUT",
        100000000)

  val All: Seq[Guard] = Seq(WindowsPerMessage, MessagesPerWindow, KeysPerShard, PendingOutput)
}

/** The limits of all guards. They are no part of a checkpoint: a query that has met one goes on once it is higher. */
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

  /** What of a spec can be seen before anything comes. */
  def problems(spec: WindowOperatorSpec): Seq[SpecProblem] = spec.window match {
    case fixed: FixedWindows if spec.early != Never || !spec.onTime =>
      problem(Guard.WindowsPerMessage, (fixed.size.micros - 1) / fixed.step.micros + 1).toSeq
    case _ => Nil
  }

  /** What is wrong with a number that a guard looks at, if it is above the limit. */
  def problem(guard: Guard, found: Long): Option[SpecProblem] = Option.when(found > limit(guard))(SpecProblem(
    guard.code,
    "found"   -> found,
    "limit"   -> limit(guard),
    "setting" -> guard.setting,
    "name"    -> guard.name))

  /** @param where
    *   what has so many: windows and operators by name and bounds, never a value of a key or a message
    * @throws windrow.GuardError
    *   if there are more than the limit allows
    */
  def check(guard: Guard, found: Long, where: => String): Unit =
    if (found > limit(guard)) problem(guard, found).foreach(wrong => throw new GuardError(wrong, where))
}

object Guards {
  val Default: Guards = Guards()
}

/** A step that a guard has stopped; nothing of it is kept. */
final class GuardError(val problem: SpecProblem, where: String)
    extends IllegalStateException(s"[${problem.code}] $where: ${problem.text}")
