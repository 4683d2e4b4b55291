package windrow

/** A limit that only a mistake reaches (SEMANTICS S9): one clear error in the place of a query that would take all memory
  * or never end.
  *
  * @param name
  *   of its field; its Spark setting is `spark.windrow.<name>`
  * @param code
  *   of the error, for example `TOO_MANY_KEYS`
  * @param counted
  *   what the limit counts, in words
  * @param remedy
  *   what to do rather than to raise it
  */
sealed abstract class Guard(
    val name: String,
    val code: String,
    val default: Long,
    val counted: String,
    val remedy: String) {
  def setting: String = s"spark.windrow.$name"
}

object Guard {

  /** Windows that keep a record of their panes for each message: those that fire early or late. */
  case object WindowsPerMessage extends Guard(
        "maxWindowsPerMessage",
        "TOO_MANY_WINDOWS",
        10000,
        "windows for each message",
        "Take a longer step, or a shorter window")

  /** Messages that one value needs all of: of a window of an aggregate to which order shows, or in a window of messages. */
  case object MessagesPerWindow extends Guard(
        "maxMessagesPerWindow",
        "TOO_MANY_MESSAGES",
        10000000,
        "messages in one window",
        "Take shorter windows, more keys, or an aggregate that need not keep them")

  /** Keys that are kept by a shard at the same time. */
  case object KeysPerShard extends Guard(
        "maxKeysPerShard",
        "TOO_MANY_KEYS",
        10000000,
        "keys in one shard",
        "Let keys go by a lateness, a retention or limits, or begin a new checkpoint with more shards")

  /** Rows that one step of a shard owes at its end, or that wait to be sent. */
  case object PendingOutput extends Guard(
        "maxPendingOutput",
        "TOO_MUCH_OUTPUT",
        100000000,
        "rows from one step of a shard",
        "Take longer windows, a shorter retention, or smaller steps")

  val All: Seq[Guard] = Seq(WindowsPerMessage, MessagesPerWindow, KeysPerShard, PendingOutput)
}

/** The limits of all guards. They are no part of a checkpoint: a query that has met one goes on once it is higher. */
final case class Guards(
    maxWindowsPerMessage: Long = Guard.WindowsPerMessage.default,
    maxMessagesPerWindow: Long = Guard.MessagesPerWindow.default,
    maxKeysPerShard: Long = Guard.KeysPerShard.default,
    maxPendingOutput: Long = Guard.PendingOutput.default) {
  Guard.All.foreach(guard => require(limit(guard) > 0, s"${guard.name} is ${limit(guard)}; it must be 1 or more"))

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
    s"there are $found ${guard.counted}; at most ${limit(guard)} may be. ${guard.remedy}; or raise ${guard.setting} " +
      s"(a standalone operator: ${guard.name}), with which a query that has stopped here goes on."))

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
