package windrow.spark.gauges

/** The names of the gauges that show present values and not counts of rows. */
private[spark] object Levels {
  val Batch          = "batch"
  val BatchMillis    = "batch_ms"
  val ShardsMillis   = "shards_ms"
  val StateRows      = "state_rows"
  val StateBytes     = "state_bytes"
  val StateFileBytes = "state_file_bytes"
  val Watermark      = "watermark_ms"
  val Behind         = "behind_ms"

  val All: Seq[String] =
    Seq(Batch, BatchMillis, ShardsMillis, StateRows, StateBytes, StateFileBytes, Watermark, Behind)
}
