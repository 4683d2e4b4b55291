package windrow

/** Short texts from errors of Spark and Hadoop for errors of Windrow. */
private[windrow] object ErrorText {
  private val Condition = """^\[[A-Z0-9_.]+] """.r
  private val Keys      = """://[^@\s]*@""".r
  private val State     = """ SQLSTATE: \w+$""".r

  /** Removes secrets from URLs of storage. */
  def withoutKeys(text: String): String = Keys.replaceAllIn(text, "://…@")

  /** Returns the first line of an error, because errors of Spark and Hadoop also contain plans and stack traces.
    * Removes Spark's error code, which would look like one of Windrow's.
    */
  def firstLine(wrong: Throwable): String = {
    val line = Option(wrong.getMessage).flatMap(_.linesIterator.find(_.nonEmpty)).getOrElse(wrong.toString)
    State.replaceFirstIn(Condition.replaceFirstIn(line, ""), "").stripSuffix(";")
  }
}
