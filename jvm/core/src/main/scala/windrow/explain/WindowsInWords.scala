package windrow.explain

import windrow._

/** Which windows there are, and which of them hold a message. */
private[explain] object WindowsInWords {

  def apply(window: WindowKind): String = window match {
    case kind: Tumbling => sideBySide(kind.size.toString, aligned(kind))
    case Calendar(count, unit, zone) =>
      sideBySide(s"$count $unit${if (count == 1) "" else "s"}", s"as the calendar of $zone has them")
    case kind: Hopping =>
      s"Windows of ${kind.size}, start included, end not, one every ${kind.step}, ${aligned(kind)}. ${held(kind)}"
    case Session(gap) =>
      s"For each key, from a first message to ${gap.fold("the message's own gap")(_.toString)} after the last. " +
        "Messages at most that far apart share a session; a message between two sessions merges them."
    case Sliding(size, granularity) =>
      s"For each key, windows of $size, start and last included: one that ends at each message and, where that holds " +
        s"anything, one that starts $granularity after it. No two windows hold the same messages."
    case over: Over => s"For each message of a key a window that ends at it and holds ${held(over)}."
    case Count(n, step) =>
      numbered("For each key, by the numbers 0, 1, 2, … of its messages in order of acceptance", n, step)
    case Offsets(n, step) => numbered("For each source partition, by offset from its start offset on", n, step)
    case TupleSession(n) =>
      "For each key and source partition, from the offset of a first message to that of the last before more than " +
        s"$n offsets pass without the key."
    case Global          => "For each key one window that holds everything and never completes."
    case Inherit(column) => s"For each key the windows of the panes that come in, in their column '$column'."
  }

  private def sideBySide(size: String, aligned: String): String =
    s"Windows of $size side by side, start included, end not, $aligned. Every message is in one."

  private def aligned(kind: FixedWindows): String =
    s"aligned to ${if (kind.offset == TimeSpan.Zero) "" else s"${kind.offset} after "}1970-01-01 00:00:00 UTC"

  private def held(kind: Hopping): String = {
    val (size, step) = (kind.size.micros, kind.step.micros)
    if (size < step) s"Between two lie ${TimeSpan(step - size)} in no window: a message there is counted, not rejected."
    else s"A message is in ${size / step}${if (size % step == 0) "" else s" or ${size / step + 1}"} of them."
  }

  private def held(over: Over): String = over match {
    case Over.Range(range) => s"all of the $range before it, start included, and all of its own time"
    case Over.Rows(rows)   => s"it and the ${rows - 1} before it in event time"
    case Over.Everything   => "all up to its own time"
  }

  private def numbered(of: String, n: Long, step: Long): String =
    s"$of: windows of $n, first and last included, one every $step."
}
