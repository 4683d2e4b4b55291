package windrow.spark

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.SaveMode
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType
import scala.language.implicitConversions
import windrow.SpecProblem

/** Where the rows of a query go, batch by batch. After a crash the last batch comes again with the same number. */
trait Sink {
  def write(rows: DataFrame, batch: Long): Unit

  /** Refuses what cannot be written to, before the query begins, and makes nothing. */
  private[spark] def verify(session: SparkSession, rows: StructType): Unit = ()

  /** The same, once no sink of the query was refused; makes the tables that are not there. */
  private[spark] def check(session: SparkSession, rows: StructType): Unit = ()

  /** The same, told which query, with which checkpoint, writes which kind of rows to it. */
  private[spark] def of(query: String, checkpoint: String, kind: String): Sink = this

  /** Why the key and window of panes do not say which row is theirs, if it keeps one of each.
    *
    * @param condition
    *   see [[windrow.SpecProblem]]
    */
  private[spark] def unclear(condition: String): Option[SpecProblem] = None

  /** It is told of batches without rows, too. */
  def takesEmpty: Boolean = false
}

object Sink {
  implicit def stated(sink: Sink): Option[Sink] = Some(sink)
}

/** A table; a batch that is repeated is in it twice, unless its format prevents that. */
final case class Table(name: String) extends Sink {
  def write(rows: DataFrame, batch: Long): Unit = rows.write.mode(SaveMode.Append).saveAsTable(name)
}

/** A folder with one folder for each batch, `batch=<number>`, which a repeated batch overwrites. Batches without rows leave
  * none, but for the first after a start, which shows the columns. The folder is one checkpoint's own, and no column may be
  * called `batch`.
  */
final case class Files(path: String, format: String = "parquet") extends Sink {
  def write(rows: DataFrame, batch: Long): Unit =
    rows.write.mode(SaveMode.Overwrite).format(format).save(s"${path.stripSuffix("/")}/batch=$batch")
}

/** What a function makes of them. */
final case class Each(function: (DataFrame, Long) => Unit) extends Sink {
  def write(rows: DataFrame, batch: Long): Unit = function(rows, batch)
  override def takesEmpty: Boolean              = true
}
