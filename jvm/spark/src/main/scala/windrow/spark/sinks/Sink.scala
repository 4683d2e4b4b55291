package windrow.spark.sinks

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SaveMode, SparkSession}
import scala.language.implicitConversions

/** A destination for the rows of a query, one micro-batch at a time. */
trait Sink {

  /** Writes the rows of a micro-batch. After a crash, the last micro-batch is written again with the same number.
    *
    * @param rows
    *   the rows of the micro-batch
    * @param batch
    *   the number of the micro-batch
    */
  def write(rows: DataFrame, batch: Long): Unit

  /** Fails if this sink cannot be written to. Called before the query starts; creates nothing. */
  private[spark] def verify(session: SparkSession, rows: StructType): Unit = ()

  /** Returns the missing tables that `make` creates, and that a start that fails later removes. */
  private[spark] def missing(session: SparkSession): Option[String] = None

  /** Creates missing tables, after `verify` of every sink of the query has passed. */
  private[spark] def make(session: SparkSession, rows: StructType): Unit = ()

  /** Returns this sink bound to a query, its checkpoint and the kind of rows. */
  private[spark] def of(query: String, checkpoint: String, kind: String): Sink = this

  /** Whether this sink keeps one row for each window. */
  private[spark] def keepsLast: Boolean = false

  /** The columns that identify the row of a pane, if this sink keeps one row for each window and the user names them.
    */
  private[spark] def on: Seq[String] = Nil

  /** Whether this sink also receives micro-batches without rows. */
  def takesEmpty: Boolean = false
}

object Sink {
  implicit def stated(sink: Sink): Option[Sink] = Some(sink)
}

/** A folder that contains one folder for each micro-batch, `batch=<number>`. A repeated micro-batch overwrites its
  * folder. Micro-batches without rows create none, except for the first one after a start, whose files have the
  * columns. Each folder belongs to one checkpoint, and no column may have the name `batch`.
  * {{{
  * minutes.start("checkpoint", panes = Files("panes"))
  * }}}
  *
  * @param path
  *   the folder
  * @param format
  *   a format of Spark's `DataFrameWriter`
  */
final case class Files(path: String, format: String = "parquet") extends Sink {
  def write(rows: DataFrame, batch: Long): Unit =
    rows.write.mode(SaveMode.Overwrite).format(format).save(s"${path.stripSuffix("/")}/batch=$batch")
}

/** A function that receives each micro-batch and its number.
  * {{{
  * minutes.start("checkpoint", panes = Each((rows, batch) => rows.show()))
  * }}}
  *
  * @param function
  *   called with the rows, and with the same number again if a micro-batch is repeated
  */
final case class Each(function: (DataFrame, Long) => Unit) extends Sink {
  def write(rows: DataFrame, batch: Long): Unit = function(rows, batch)
  override def takesEmpty: Boolean              = true
}
