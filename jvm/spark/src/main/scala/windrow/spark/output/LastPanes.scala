package windrow.spark.output

import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.StructType

/** Which pane of a batch a table keeps that has one row for each value of some columns (SEMANTICS B3). */
private[spark] object LastPanes {

  /** Name of the column with the [[marks]] of the windows that a batch withdrew. */
  val Withdrawn = "__windrow_withdrawn"

  /** Hexadecimal digits of a mark, which end a place. */
  val MarkLength = 64

  /** The columns that tell a window of a key from all others. */
  def identity(panes: StructType): Seq[String] = {
    val names = panes.fieldNames.toSeq
    names.takeWhile(_ != "window") :+ (if (names.contains("message")) "message" else "window")
  }

  /** Whether rows found by these columns are each of one window; else windows compete for a row. */
  def isOfOneWindow(panes: StructType, on: Seq[String]): Boolean =
    !panes.fieldNames.contains("window") || identity(panes).forall(on.contains) || on == Seq("message")

  /** The last pane of each value of `on`, or the retraction after which none holds. */
  def ofEach(panes: DataFrame, on: Seq[String]): DataFrame = {
    val last = max_by(whole(panes), struct(col("pane.index"), col("pane.is_retraction")))
    panes.groupBy(named(on): _*).agg(last.as("last")).select("last.*")
  }

  /** The pane of the newest window of each value of `on`, or a retraction if the batch has no pane for it; with [[Withdrawn]]. */
  def ofNewest(panes: DataFrame, on: Seq[String]): DataFrame = {
    val last                    = ofEach(panes, identity(panes.schema))
    val gone                    = col("pane.is_retraction")
    val order                   = place(last.schema)
    def greatest(which: Column) = max_by(when(which, whole(last)), when(which, order))
    last.groupBy(named(on): _*)
      .agg(
        coalesce(greatest(!gone), greatest(gone)).as("last"),
        collect_set(when(gone, mark(last.schema))).as(Withdrawn))
      .select("last.*", Withdrawn)
  }

  /** Text that sorts as windows compete: by their end, their start, the pane's index, and the [[mark]] of the window. */
  def place(panes: StructType): Column = {
    val window = panes("window").dataType.asInstanceOf[StructType]
    def edge(names: String*) = names.find(window.fieldNames.contains).fold(lit(""))(name =>
      sortable(col(s"window.$name"), window(name).dataType == LongType))
    concat(edge("end", "last", "number"), edge("start", "first"), sortable(col("pane.index"), true), mark(panes))
  }

  /** A digest of a window and its key. */
  def mark(panes: StructType): Column = sha2(ExactJson.of(panes, identity(panes)), 256)

  private def sortable(column: Column, isNumber: Boolean): Column = {
    val number = if (isNumber) column else unix_micros(column.cast("timestamp"))
    coalesce(lpad(hex(number.bitwiseXOR(lit(Long.MinValue))), 16, "0"), lit("-" * 16))
  }

  private def whole(panes: DataFrame): Column =
    struct(panes.columns.toSeq.map(name => col(quoteIdentifier(name))): _*)

  private def named(on: Seq[String]): Seq[Column] =
    on.zipWithIndex.map { case (name, i) => col(quoteIdentifier(name)).as(s"on$i") }
}
