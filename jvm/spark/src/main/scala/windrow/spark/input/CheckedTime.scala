package windrow.spark.input

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.types.{DataType, LongType}
import windrow.{ErrorConditions, MessageError}

/** The event time of rows that must all have one. The first row without one, or with one too far ahead, fails the query
  * (SEMANTICS A7). Evaluated while the rows are read, because their place in the input is known only then.
  *
  * @param time
  *   in microseconds, or null if the row lacks a usable event time
  * @param tooFar
  *   whether the time is too far ahead of processing time
  * @param stream
  *   the name of the row's stream
  * @param where
  *   values of the columns of `place`
  * @param columns
  *   the user's names of the time columns, starting with the event time
  */
private[spark] final case class CheckedTime(
    time: Expression,
    tooFar: Expression,
    stream: Expression,
    where: Seq[Expression],
    place: MessagePlace,
    columns: Seq[String])
    extends Expression
    with Nondeterministic
    with CodegenFallback {
  @transient private var rows: RowCounter = _

  override def children: Seq[Expression] = Seq(time, tooFar, stream) ++ where
  override def dataType: DataType        = LongType
  override def nullable: Boolean         = false

  protected override def initializeInternal(partition: Int): Unit = rows = new RowCounter(partition)

  protected override def evalInternal(row: InternalRow): Any = {
    rows.next()
    val micros = time.eval(row)
    if (micros == null)
      refuse(ErrorConditions.message(
        "MESSAGE_INVALID.TIME",
        "stream" -> of(row),
        "place"  -> at(row),
        "column" -> called(columns)))
    if (tooFar.eval(row) == true)
      refuse(ErrorConditions.message(
        "MESSAGE_INVALID.FUTURE",
        "stream" -> of(row),
        "place"  -> at(row),
        "column" -> called(columns.take(1))))
    micros
  }

  private def refuse(text: String): Nothing = throw new MessageError(text)

  private def of(row: InternalRow): Any    = stream.eval(row)
  private def at(row: InternalRow): String = MessagePlace.text(place, where.map(_.eval(row)), rows)

  private def called(columns: Seq[String]): String = columns.map(name => s"'$name'").mkString(" and ")

  override protected def withNewChildrenInternal(all: IndexedSeq[Expression]): Expression =
    copy(time = all(0), tooFar = all(1), stream = all(2), where = all.drop(3))
}

private[spark] object CheckedTime {

  /** Creates the check.
    *
    * @param time
    *   valid or null
    * @param stated
    *   the columns that contain the event time
    * @param identity
    *   source, partition and offset, or empty
    */
  def of(
      input: LogicalPlan,
      stream: Expression,
      time: Expression,
      tooFar: Option[Expression],
      stated: Seq[Expression],
      identity: Seq[Expression]): Expression = {
    val place = MessagePlace.of(input, identity)
    CheckedTime(
      time,
      tooFar.getOrElse(Literal(false)),
      stream,
      place.columns,
      place,
      stated.map(called(input, _)))
  }

  /** Returns the user's name of a column. Builders copy it into a column with a name of Windrow's, and co-groups
    * combine the columns of all streams.
    */
  private def called(input: LogicalPlan, stated: Expression): String = stated match {
    case mark: Attribute if mark.name.startsWith(CoGroupMarks.Marker) => mark.name.stripPrefix(CoGroupMarks.Marker)
    case mark: Attribute if mark.name.startsWith(Marks.Prefix) =>
      input.collectFirst(Function.unlift {
        case Project(columns, _) =>
          columns.collectFirst { case alias: Alias if alias.exprId == mark.exprId => alias.child }
        case _: LogicalPlan => None
      }).getOrElse(mark).sql
    case plain => plain.sql
  }
}
