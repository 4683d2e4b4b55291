package windrow.spark.gauges

import windrow.spark.output.CountColumns

/** What a batch tells of an operator's open windows (SEMANTICS S16).
  *
  * @param all
  *   None: not all shards have told of theirs
  * @param change
  *   None: a shard does not know it
  */
private[gauges] final case class OpenFigures(all: Option[Long], change: Option[Long]) {

  /** How many there are, with what was known before; in the first batch of a checkpoint there were none. */
  def after(batch: Long, before: Option[Long]): Option[Long] =
    all.orElse(for (was <- if (batch == 0) Some(0L) else before; more <- change) yield was + more)
}

private[gauges] object OpenFigures {
  val Names: Seq[String] = Seq(CountColumns.OpenWindows, CountColumns.OpenChange)

  def apply(counts: Map[String, Any]): OpenFigures = {
    def told(name: String) = Option(counts(name)).collect { case n: Long => n }
    OpenFigures(told(CountColumns.OpenWindows), told(CountColumns.OpenChange))
  }
}
