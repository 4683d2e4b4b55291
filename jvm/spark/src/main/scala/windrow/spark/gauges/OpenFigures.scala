package windrow.spark.gauges

import windrow.spark.output.CountColumns

/** The open windows that an operator reports in one micro-batch (SEMANTICS S16).
  *
  * @param all
  *   their number, or None if not all shards reported theirs
  * @param change
  *   the change of their number, or None if a shard does not know it
  */
private[spark] final case class OpenFigures(all: Option[Long], change: Option[Long]) {

  /** Returns the number of open windows, from the previous number. Before the first micro-batch of a checkpoint it is
    * 0.
    */
  def after(batch: Long, before: Option[Long]): Option[Long] =
    all.orElse(for (was <- if (batch == 0) Some(0L) else before; more <- change) yield was + more)
}

private[spark] object OpenFigures {
  val Names: Seq[String] = Seq(CountColumns.OpenWindows, CountColumns.OpenChange)

  def apply(counts: Map[String, Any]): OpenFigures = {
    def reported(name: String) = Option(counts(name)).collect { case n: Number => n.longValue }
    OpenFigures(reported(CountColumns.OpenWindows), reported(CountColumns.OpenChange))
  }
}
