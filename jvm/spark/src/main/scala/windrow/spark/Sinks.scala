package windrow.spark

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SaveMode, SparkSession}
import scala.language.implicitConversions
import windrow.SpecProblem

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

  /** Checks again, after no sink of the query has failed in `verify`, and creates missing tables. */
  private[spark] def check(session: SparkSession, rows: StructType): Unit = ()

  /** Returns this sink bound to a query, its checkpoint and the kind of rows. */
  private[spark] def of(query: String, checkpoint: String, kind: String): Sink = this

  /** Returns a problem if this sink keeps one row for each window, but the key and the window do not identify the row
    * of a pane.
    *
    * @param condition
    *   the condition of the problem; see [[windrow.SpecProblem]]
    */
  private[spark] def unclear(condition: String): Option[SpecProblem] = None

  /** Whether this sink also receives micro-batches without rows. */
  def takesEmpty: Boolean = false
}

object Sink {
  implicit def stated(sink: Sink): Option[Sink] = Some(sink)
}

/** A table to which each micro-batch is appended. After a crash it may contain the last micro-batch twice, unless its
  * format prevents that.
  *
  * @param name
  *   the name of the table
  */
final case class Table(name: String) extends Sink {
  def write(rows: DataFrame, batch: Long): Unit = rows.write.mode(SaveMode.Append).saveAsTable(name)
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
