package windrow.spark.query

import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeProjection}
import windrow.CheckpointError
import windrow.core.state.{DamagedStateError, InMemoryShardStore, ShardStore}
import windrow.spark.rows.RowPacket

/** Answers a question from the stored state of a shard with packets of rows, each preceded by its place.
  *
  * @param path
  *   the path of the checkpoint
  */
private[query] final class StoredAnswers[S](
    open: ShardStore => S,
    answer: Answer[S],
    question: Question,
    path: String)
    extends ((Int, Iterator[StoredValue]) => IterableOnce[Array[Byte]])
    with Serializable {

  @transient private lazy val written =
    UnsafeProjection.create((answer.under ++ answer.rowType.map(_.dataType)).toArray)

  def apply(shard: Int, values: Iterator[StoredValue]): Iterator[Array[Byte]] = {
    val store = new InMemoryShardStore
    values.foreach(value =>
      if (value.space == null) store.putHeader(value.bytes) else store.space(value.space).put(value.id, value.bytes))
    val packets = Vector.newBuilder[Array[Byte]]
    val out     = new RowPacket.Writer(0)
    try {
      answer.find(open(store), question).foreach { one =>
        out.put(StoredAnswers.Kind, written(new JoinedRow(one.under, one.row)))
        if (out.isFull) packets += out.result()
      }
      (packets += out.result()).result().iterator
    } catch {
      case wrong: DamagedStateError =>
        throw new CheckpointError(s"${wrong.getMessage} It is in shard $shard of '$path'.")
    }
  }
}

private[query] object StoredAnswers {

  /** The only kind of rows in these packets. */
  val Kind = 0
}
