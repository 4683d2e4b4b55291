package windrow.spark.aggregate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{Count, Max, Min}
import org.apache.spark.sql.types.LongType
import windrow.spark.functions.FunctionSet

/** The columns and functions from which sessions are built.
  *
  * @param gap
  *   in microseconds
  * @param alone
  *   whether a row stays separate
  * @param functions
  *   the number of rows, the first and the last time, and the functions of the query
  * @param rest
  *   columns that accompany a row that stays separate
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

  /** The buffers of the query's functions. */
  def values: Seq[Attribute] = buffers.drop(SessionColumns.Own)
}

private[spark] object SessionColumns {
  val CountAt = 0
  val FirstAt = 1
  val LastAt  = 2
  val Own     = 3

  /** Creates the columns of sessions.
    *
    * @param time
    *   the event time, a long in microseconds
    * @param functions
    *   those of the query, over `inputs`. Their buffers have a fixed width.
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
    // Each instance of a function has buffers with its own ids. These replace them.
    val buffers = all.functions.flatMap(_.aggBufferAttributes).map(_.newInstance())
    SessionColumns(keys, gap, alone, all, inputs :+ time, rest, buffers)
  }
}
