package windrow.spark.input

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import windrow.SpecProblem.when
import windrow.core.operator.Origin
import windrow.spark.functions.NullIfFails
import windrow.spark.watermark.{EventWatermark, InputWatermark}
import windrow.{InvalidMessages, SpecProblem, TimeSpan, WindowKind}

/** One of several streams, with its table. All expressions are over `table`.
  *
  * @param message
  *   the columns of its rows
  * @param time
  *   the event time, of type timestamp
  * @param sender
  *   partition and offset, or empty
  * @param source
  *   the source of the offset, if the stream can have several
  * @param watermark
  *   the watermark that Windrow sets; None if the table already has one
  * @param watermarkBy
  *   the partition of a row, if each partition has a watermark of its own
  */
private[spark] final case class StreamTable(
    name: String,
    table: LogicalPlan,
    message: Seq[Attribute],
    time: Expression,
    keys: Seq[Expression],
    sender: Seq[Expression],
    watermark: Option[EventWatermark],
    watermarkBy: Option[Expression] = None,
    source: Option[Expression] = None) {

  /** The source of a row, as text; empty if there is none. */
  def sourceText: Expression =
    source.fold[Expression](Literal(""))(column => Coalesce(Seq(Cast(column, StringType), Literal(""))))

  /** The source in the identity of a row: the stream, or a source of it (SEMANTICS R42). */
  def sourceInQuery: Expression = {
    val stream = Literal(Origin.sourceIn(name, ""))
    if (source.isEmpty) stream
    else If(EqualTo(sourceText, Literal("")), stream, Concat(Seq(stream, Literal("/"), sourceText)))
  }

  /** Whether the stream has event time. Without it, only windows on positions and `Global` windows work. */
  def hasTime: Boolean = time ne StreamTable.Timeless

  def hasWatermark: Boolean = watermark.isDefined || comesWithWatermark

  /** The number of watermarks that the stream adds to the query. */
  def marks: Int = if (table.isStreaming) math.max(1, WatermarkCheck.marks(table)) else 0

  private def comesWithWatermark = table.exists(_.isInstanceOf[EventTimeWatermark])

  /** The type of the stored rows. All columns are nullable, because a column that is never null now may have been null
    * when rows were stored (SEMANTICS S2).
    */
  def schema: StructType = SparkInside.nullable(StructType(message.map(a => StructField(a.name, a.dataType))))

  private def ofThis(problem: SpecProblem) = problem.in(s"stream '$name'")

  /** Returns the problems of the stream.
    *
    * @param isClocked
    *   whether the watermark of the query follows processing time
    */
  def problems(
      maxFuture: Option[TimeSpan],
      windows: Option[WindowKind] = None,
      isClocked: Boolean = false): Seq[SpecProblem] = {
    val isStreaming = table.isStreaming
    (Seq(
      MessageTime.problem(time, completes = isStreaming && hasTime).toSeq,
      when(isStreaming && !hasWatermark && !isClocked, "NO_WATERMARK.JOIN", "time"   -> time.sql),
      when(isStreaming && hasWatermark && isClocked, "WATERMARK_TWICE.CLOCK", "time" -> time.sql),
      when(isStreaming && hasTime && WatermarkCheck.isStuck(table), "WATERMARK_NOT_PASSED_ON"),
      when(isStreaming && watermark.isDefined && comesWithWatermark, "WATERMARK_TWICE.INPUT", "time" -> time.sql),
      when(isStreaming && watermark.isEmpty && comesWithWatermark && maxFuture.isDefined, "GUARD_TOO_LATE")).flatten ++
      (if (isStreaming && watermark.isEmpty && !isClocked) WatermarkCheck.ofOther(time, table) else None) ++
      (if (isStreaming) Nil else MessageTime.withoutZone(time.sql, time.dataType, windows, maxFuture)) ++
      Marks.reserved(message.map(_.name))).map(ofThis)
  }

  /** Returns the problems of partition and offset. */
  def senderProblems: Seq[SpecProblem] =
    Seq(
      "partition",
      "offset").zip(sender).flatMap { case (part, column) => WholeNumber.problem(part, column) }.map(ofThis)

  /** Returns the event time, which is null for a row that will be rejected; see [[CheckedTime]]. */
  def micros(maxFuture: Option[TimeSpan], invalid: InvalidMessages): Expression = {
    val micros = ValidTime.micros(time)
    if (invalid == InvalidMessages.Reject) micros
    else {
      val identity = if (sender.isEmpty) Nil else sourceInQuery +: sender
      CheckedTime.of(table, Literal(name), micros, tooFar(micros, maxFuture), Seq(time), identity)
    }
  }

  private def tooFar(micros: Expression, maxFuture: Option[TimeSpan]): Option[Expression] =
    maxFuture.map(ValidTime.isBeyond(micros, ValidTime.now, _))

  /** Adds the watermark. The `maxFuture` guard precedes it, as in `Messages` (SEMANTICS R73). */
  def watermarked(maxFuture: Option[TimeSpan]): LogicalPlan = watermark match {
    case Some(mark) if table.isStreaming =>
      val micros = ValidTime.micros(time)
      val beyond = tooFar(micros, maxFuture)
      val moves  = ValidTime.watermarkTime((IsNull(micros) +: beyond.toSeq).reduce(Or), time)
      InputWatermark(table, moves, mark, watermarkBy)
    case _ => table
  }
}

private[spark] object StreamTable {

  /** Returns a problem if some inputs are streams and others are batch tables. */
  def mixed(inputs: Seq[StreamTable]): Seq[SpecProblem] = {
    val (streaming, batch)          = inputs.partition(_.table.isStreaming)
    def names(of: Seq[StreamTable]) = of.map(input => s"'${input.name}'").mkString(", ")
    Option.when(streaming.nonEmpty && batch.nonEmpty)(SpecProblem(
      "STREAM_WITH_BATCH",
      "batches" -> names(batch),
      "streams" -> names(streaming))).toSeq
  }

  /** Returns the sender of a row. A stream without a partition has one (SEMANTICS R13). */
  def sender(partition: Option[Expression], offset: Option[Expression]): Seq[Expression] =
    offset.toSeq.flatMap(Seq(partition.getOrElse(Literal(0)), _))

  private def marks(keys: Int): Seq[String] =
    (Seq("time", "source", "partition", "offset", "watermark_by") ++ (0 until keys).map(i => s"key$i")).map(
      Marks.Prefix + _)

  /** The event time of streams without one. */
  val Timeless: Expression = Literal.create(null, TimestampType)

  /** Replaces marked times, partitions and offsets that cannot be converted by null (SEMANTICS R51, R13). */
  private def converted(table: LogicalPlan): LogicalPlan = {
    val names = marks(0).toSet
    val found = table.output.filter(column => names(column.name)).map(_.exprId).toSet
    table.transform { case Project(columns, child) =>
      Project(
        columns.map {
          case mark: Alias if found(mark.exprId) =>
            mark.withNewChildren(Seq(NullIfFails.of(mark.child))).asInstanceOf[NamedExpression]
          case other => other
        },
        child)
    }
  }

  /** Reads a table of the builders: the columns of the rows, and the marked columns `time`, `key0`…, `partition`,
    * `offset`.
    */
  def marked(name: String, columns: LogicalPlan, keys: Int, watermark: Option[EventWatermark]): StreamTable = {
    val table                = converted(columns)
    val (marks, message)     = table.output.partition(column => StreamTable.marks(keys).contains(column.name))
    def mark(column: String) = marks.find(_.name == Marks.Prefix + column)
    StreamTable(
      name,
      table,
      message,
      mark("time").getOrElse(Timeless),
      (0 until keys).flatMap(i => mark(s"key$i")),
      sender(mark("partition"), mark("offset")),
      watermark,
      mark("watermark_by"),
      mark("source"))
  }
}
