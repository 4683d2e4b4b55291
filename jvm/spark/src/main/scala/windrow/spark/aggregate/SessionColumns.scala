package windrow.spark.aggregate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Count
import org.apache.spark.sql.catalyst.expressions.aggregate.Max
import org.apache.spark.sql.catalyst.expressions.aggregate.Min
import org.apache.spark.sql.types.LongType
import windrow.spark.functions.FunctionSet

/** Of what sessions are made.
  *
  * @param gap
  *   microseconds
  * @param alone
  *   the message stays by itself
  * @param functions
  *   number of messages, first and last time, and those of the query
  * @param rest
  *   what goes along with a message that stays by itself
  */
private[spark] final case class SessionColumns(
    keys: Seq[Attribute],
    gap: Long,
    alone: Attribute,
    functions: FunctionSet,
    inputs: Seq[Attribute],
    rest: Seq[Attribute],
    buffers: Seq[AttributeReference]) {
  def count: Attribute = buffers(SessionColumns.CountAt)
  def first: Attribute = buffers(SessionColumns.FirstAt)
  def last: Attribute  = buffers(SessionColumns.LastAt)

  /** Buffers of the functions of the query. */
  def values: Seq[Attribute] = buffers.drop(SessionColumns.Own)
}

private[spark] object SessionColumns {
  val CountAt = 0
  val FirstAt = 1
  val LastAt  = 2
  val Own     = 3

  /** @param time
    *   event time, long microseconds
    * @param functions
    *   of the query, whose buffers have a fixed width, over `inputs`
    */
  def apply(
      keys: Seq[Attribute],
      time: Attribute,
      gap: Long,
      alone: Attribute,
      functions: FunctionSet,
      inputs: Seq[Attribute],
      rest: Seq[Attribute]): SessionColumns = {
    val of  = BoundReference(inputs.size, LongType, nullable = true)
    val own = Seq(Count(Literal(1)), Min(of), Max(of))
    val all = new FunctionSet(own ++ functions.functions, own.map(_ => None) ++ functions.filters)
    // Instances of a function have buffers of their own ids; these stand for them.
    val buffers = all.functions.flatMap(_.aggBufferAttributes).map(_.newInstance())
    SessionColumns(keys, gap, alone, all, inputs :+ time, rest, buffers)
  }
}
