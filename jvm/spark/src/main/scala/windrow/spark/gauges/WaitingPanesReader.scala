package windrow.spark.gauges

import org.apache.spark.sql.{SparkSession, functions}
import windrow.spark.query.{Checkpoint, StateReader}
import windrow.{CheckpointError, SpecError}

/** Reads from a checkpoint which panes wait. */
private[spark] object WaitingPanesReader {

  /** Returns the panes, or None if the state cannot be read yet.
    *
    * @param operator
    *   the name of its stream, if the query has several operators; the state of a join is not read then
    */
  def of(session: SparkSession, checkpoint: String, operator: Option[String]): Option[WaitingPanes] =
    try {
      val panes = new StateReader(session, checkpoint, operator).pending()
      def least(name: String) =
        if (panes.columns.contains(name)) functions.unix_micros(functions.min(name))
        else functions.lit(null).cast("bigint")
      val row               = panes.agg(functions.count("*"), least("watermark"), least("processing_time")).head()
      def time(column: Int) = Option.unless(row.isNullAt(column))(row.getLong(column))
      Some(WaitingPanes(
        row.getLong(0),
        time(1),
        time(2),
        WaitingPanes.kind(panes.columns.toSeq),
        Checkpoint.nextWatermark(session, checkpoint).map(_ * 1000)))
    } catch { case _: CheckpointError | _: SpecError => None }
}
