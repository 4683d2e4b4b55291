package windrow.spark.standalone

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import windrow.operators.{Context, StreamStreamJoinOperator}
import windrow.{JoinKind, JoinSpec}

/** The operator that joins two or more streams. Its rows contain the common columns once, then a struct for each
  * stream.
  */
private[standalone] final class Join(
    session: SparkSession,
    spec: JoinSpec,
    inputs: IndexedSeq[Input],
    format: RowFormat)
    extends StandaloneOperator(
      session,
      inputs,
      Seq(
        s"${spec.streams.mkString(", ")}, ${spec.within}, ${spec.how}",
        inputs.map(_.stated).mkString("; "))) {

  protected type Output  = Vector[Option[Message]]
  protected type Running = StreamStreamJoinOperator[UnsafeRow, Message, Output]

  private val mayLack = Set[JoinKind](JoinKind.Left, JoinKind.Right, JoinKind.Full)(spec.how)

  private val rows = {
    val keys    = OutputTable.valuesOfKey(inputs.head)
    val structs = spec.how.shown(inputs).map(input => OutputTable.value(input.name, input.schema, nullable = mayLack))
    new OutputTable(keys ++ structs, keys ++ structs)
  }

  protected def make(context: Context[Message, Output]): Running =
    new StreamStreamJoinOperator(spec, format, Some(_), context)

  protected def written(outputs: Seq[Output]): Array[Byte] = rows.write(outputs.iterator.map { row =>
    val key = format.key(row.flatten.head)
    (OutputTable.ofKey(inputs.head, key) ++ row.map(_.map(_.row).orNull)).toArray
  })

  override protected def query(
      stream: String,
      start: Option[Long],
      end: Option[Long],
      byOffset: Boolean,
      key: Option[UnsafeRow]): Seq[Message] =
    if (byOffset) running.getMessagesByOffset(stream, start, end, key)
    else running.getMessages(stream, start, end, key)
}
