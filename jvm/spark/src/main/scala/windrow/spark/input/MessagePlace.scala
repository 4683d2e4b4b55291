package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside

/** Identifies where a row is in the input, so that a user can find it. Contains none of its values except its identity.
  *
  * @param columns
  *   columns whose values [[MessagePlace.text]] needs
  */
private[spark] sealed abstract class MessagePlace(val columns: Seq[Expression]) extends Serializable

private[spark] object MessagePlace {

  /** Source, partition and offset. */
  final case class Identity(parts: Seq[Expression]) extends MessagePlace(parts)

  /** Spark's `_metadata`: the path of a file and, for some formats, the number of the row in it, from 0. */
  final case class File(parts: Seq[Expression]) extends MessagePlace(parts)

  /** The file that the task is reading, and the number of the row in it. */
  case object FileBeingRead extends MessagePlace(Nil)

  /** The number of the row in its task. */
  case object Row extends MessagePlace(Nil)

  /** Returns the most precise place that is available.
    *
    * @param identity
    *   source, partition and offset, or empty
    */
  def of(input: LogicalPlan, identity: Seq[Expression]): MessagePlace =
    if (identity.nonEmpty) Identity(identity)
    else ofKafka(input).orElse(ofFile(input)).getOrElse(if (isInTurn(input)) FileBeingRead else Row)

  private def ofKafka(input: LogicalPlan): Option[MessagePlace] = {
    val parts = Seq("topic" -> StringType, "partition" -> IntegerType, "offset" -> LongType).flatMap {
      case (name, of) => input.output.find(column => column.name == name && column.dataType == of)
    }
    Option.when(parts.sizeIs == 3)(Identity(parts))
  }

  private def ofFile(input: LogicalPlan): Option[MessagePlace] =
    input.output.find(_.name == "_metadata").flatMap(column =>
      column.dataType match {
        case fields: StructType if fields.fieldNames.contains("file_path") =>
          Some(File(Seq("file_path", "row_index").filter(fields.fieldNames.contains).map(name =>
            GetStructField(column, fields.fieldIndex(name)))))
        case _ => None
      })

  /** Whether a task sees rows in the order of the file: no node sorts, collects or shuffles them before. */
  private def isInTurn(plan: LogicalPlan): Boolean = plan match {
    case _: LeafNode => true
    case _: Project | _: Filter | _: SubqueryAlias | _: View | _: EventTimeWatermark =>
      !plan.expressions.exists(_.exists(_.isInstanceOf[PythonFuncExpression])) && isInTurn(plan.children.head)
    case _ => false
  }

  /** Shows a place.
    *
    * @param values
    *   values of the columns
    * @param rows
    *   how many rows of the file and of the task have been read
    */
  def text(place: MessagePlace, values: Seq[Any], rows: RowCounter): String = (place, values) match {
    case (_: Identity, Seq(source, partition, offset)) =>
      s"source '${shortened(source)}' partition $partition offset $offset"
    case (_: File, Seq(path))                  => s"file '$path'"
    case (_: File, Seq(path, row))             => s"file '$path' row ${row.asInstanceOf[Long] + 1}"
    case (FileBeingRead, _) if rows.ofFile > 0 => s"file '${rows.file}' row ${rows.ofFile}${rows.within}"
    case _                                     => s"row ${rows.ofTask} of partition ${rows.partition}"
  }

  private def shortened(source: Any): String = {
    val text = String.valueOf(source)
    if (text.length <= 200) text else s"${text.take(200)}…"
  }
}

/** Counts the rows that a task has read. */
private[spark] final class RowCounter(val partition: Int) {
  private var start = 0L

  var (file, ofFile, ofTask) = ("", 0L, 0L)

  def next(): Unit = {
    ofTask += 1
    SparkInside.fileBeingRead.foreach { case (path, from) =>
      if (path != file || from != start) {
        file = path
        start = from
        ofFile = 0
      }
      ofFile += 1
    }
  }

  def within: String = if (start > 0) s" from byte $start on" else ""
}
