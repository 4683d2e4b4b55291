package windrow.spark.output

import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.{Column, DataFrame}

/** Selects the pane of a micro-batch that a table keeps, if it has one row for each value of some columns (SEMANTICS
  * B3).
  */
private[spark] object LastPanes {

  /** The name of the column with the [[mark]]s of the windows that a micro-batch withdrew. */
  val Withdrawn = "__windrow_withdrawn"

  /** The number of hexadecimal digits in a mark, which is the last part of a place. */
  val MarkLength = 64

  /** The columns that identify a window of a key. */
  def identity(panes: StructType): Seq[String] = {
    val names = panes.fieldNames.toSeq
    names.takeWhile(_ != "window") :+ (if (names.contains("message")) "message" else "window")
  }

  /** Whether these columns identify a single window. If not, windows compete for a row. */
  def isOfOneWindow(panes: StructType, on: Seq[String]): Boolean =
    !panes.fieldNames.contains("window") || identity(panes).forall(on.contains) || on == Seq("message")

  /** Returns the last pane for each value of `on`, or the retraction after which no pane is valid. */
  def ofEach(panes: DataFrame, on: Seq[String]): DataFrame = {
    val last = max_by(whole(panes), struct(col("pane.index"), col("pane.is_retraction")))
    panes.groupBy(named(on): _*).agg(last.as("last")).select("last.*")
  }

  /** Returns the pane of the newest window for each value of `on`, or a retraction if the micro-batch lacks a pane for
    * it, with the column [[Withdrawn]].
    */
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

  /** Returns text that sorts in the order in which windows compete: by their end, their start, the index of the pane,
    * and the [[mark]] of the window.
    */
  def place(panes: StructType): Column = {
    val window = panes("window").dataType.asInstanceOf[StructType]
    def edge(names: String*) = names.find(window.fieldNames.contains).fold(lit(""))(name =>
      sortable(col(s"window.$name"), window(name).dataType == LongType))
    concat(edge("end", "last", "number"), edge("start", "first"), sortable(col("pane.index"), true), mark(panes))
  }

  /** Returns a digest of a window and its key. */
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
