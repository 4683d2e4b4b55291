package windrow.spark.ui

import windrow.ErrorConditions

/** Shortens an error to its cause, as `wr.status(query).error` does. */
private[ui] object FailureLine {
  private val Code = """\[([A-Z][A-Z0-9_]*)\] """.r

  private val Traceback = "Traceback (most recent call last)"

  /** Returns Windrow's own sentence, else the error of a user's Python function, else Spark's first line. */
  def apply(error: String): String = {
    val lines = error.linesIterator.toSeq
    def ours = lines.iterator.flatMap(line =>
      Code.findAllMatchIn(line).find(m => isOurs(m.group(1))).map(m => line.drop(m.start)))
    def raised = lines.dropWhile(!_.contains(Traceback)).drop(1).find(line => line.nonEmpty && !line.head.isWhitespace)
    ours.nextOption().orElse(raised).orElse(lines.headOption).getOrElse(error).trim
  }

  private def isOurs(code: String): Boolean = ErrorConditions.codes(code)
}
