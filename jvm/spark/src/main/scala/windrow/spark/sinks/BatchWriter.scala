package windrow.spark.sinks

import java.util.concurrent.atomic.AtomicBoolean
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, count, count_if, lit}

/** Writes the micro-batches of one run to its sinks. */
private[spark] final class BatchWriter(sinks: Seq[(String, Sink)]) {

  /** Whether no micro-batch has been written since the start. The first one may repeat one that was written before with
    * other rows.
    */
  private val isNew = new AtomicBoolean(true)

  /** Writes one micro-batch. */
  def write(batch: DataFrame, number: Long): Unit = {
    val isFirst = isNew.getAndSet(false)
    batch.persist()
    try writeCached(batch, number, isFirst)
    finally { batch.unpersist(); () }
  }

  /** Writes one micro-batch that the caller has cached. Spark fails a micro-batch if its readers read only some of its
    * partitions, because the state of the others would not be committed. The count reads all partitions.
    */
  def writeCached(batch: DataFrame, number: Long, isFirst: Boolean): Unit = {
    val counting = sinks.map { case (kind, _) => count_if(col("kind") === kind) }
    val counts   = batch.select(counting :+ count(lit(1)): _*).head() // the last one if there is no sink
    sinks.zipWithIndex.foreach { case ((kind, sink), i) =>
      if (counts.getLong(i) > 0 || isFirst || sink.takesEmpty)
        sink.write(batch.where(col("kind") === kind).select(s"$kind.*"), number)
    }
  }
}
