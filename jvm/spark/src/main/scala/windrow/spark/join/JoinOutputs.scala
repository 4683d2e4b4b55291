package windrow.spark.join

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import windrow.JoinKind
import windrow.spark.input.StreamTable
import windrow.spark.output.Observed
import windrow.spark.pack.Unpack
import windrow.spark.output.OutputColumns

/** From what the shards of a join give to the columns that users see. */
private[spark] object JoinOutputs {

  /** Under which a join counts. */
  def name(streams: Seq[String]): String = streams.mkString("_")

  def apply(
      session: SparkSession,
      options: JoinOptions,
      inputs: Seq[StreamTable],
      filter: Option[Expression],
      schema: JoinSchema,
      shards: LogicalPlan): LogicalPlan = {
    val columns = schema.types.map(AttributeReference("column", _)())
    val kind    = EqualTo(columns.head, _: Expression)
    val all = Observed(
      session,
      OutputColumns.metrics(name(schema.streams.map(_._1))),
      Unpack(shards.output.head, columns, shards),
      columns.slice(schema.countsAt, schema.windowAt).zip(JoinSchema.Counts.names),
      Observed.reasonOf(kind(Literal(JoinSchema.RejectedKind)), columns(schema.rejectionAt + 1)))
    val rows     = rowColumns(options, schema, all.output, inputs.head.time.dataType)
    val rejected = rejectedColumns(schema, all.output)
    val isRow    = kind(Literal(JoinSchema.RowKind))
    val isShown  = filter.fold[Expression](isRow)(more => And(isRow, over(more, inputs, schema, all.output)))
    val isLost   = kind(Literal(JoinSchema.RejectedKind))
    options.part match {
      case JoinPart.Rows     => Project(rows, Filter(isShown, all))
      case JoinPart.Rejected => Project(rejected, Filter(isLost, all))
      case JoinPart.All =>
        def optional(when: Expression, fields: Seq[Alias], name: String) = {
          val struct = OutputColumns.structOf(fields.map(field => field.name -> field.child): _*)
          Alias(If(when, struct, Literal.create(null, struct.dataType)), name)()
        }
        Project(
          Seq(
            Alias(If(isRow, Literal("rows"), Literal("rejected")), "kind")(),
            optional(isRow, rows, "rows"),
            optional(isLost, rejected, "rejected")),
          Filter(Or(isShown, isLost), all))
    }
  }

  /** The equality fields once, then a struct for each stream, of semi and anti joins the first only, then the window by
    * which they are joined.
    */
  private def rowColumns(
      options: JoinOptions,
      schema: JoinSchema,
      columns: Seq[Attribute],
      timeType: DataType): Seq[Alias] = {
    val how   = options.spec.how
    val shown = if (how == JoinKind.Semi || how == JoinKind.Anti) schema.streams.take(1) else schema.streams
    def mayLack(stream: Int) = how match {
      case JoinKind.Full  => true
      case JoinKind.Left  => stream == 1
      case JoinKind.Right => stream == 0
      case _              => false
    }
    options.on.zipWithIndex.map { case (name, i) => Alias(columns(1 + i), name)() } ++
      shown.zipWithIndex.map { case ((name, _), stream) =>
        val message = columns(schema.messagesAt + stream)
        Alias(if (mayLack(stream)) message else KnownNotNull(message), name)()
      } ++ schema.windows.map { kind =>
        def edge(at: Int): Expression = KnownNotNull(columns(schema.windowAt + at))
        Alias(OutputColumns.windowOf(kind, timeType, edge(0), edge(1)), "window")()
      }
  }

  /** The message is a struct with a field for each stream, of which one is not null. */
  private def rejectedColumns(schema: JoinSchema, columns: Seq[Attribute]): Seq[Alias] = {
    def at(field: Int): Expression = columns(schema.rejectionAt + field)
    val messages = schema.streams.zipWithIndex.map { case ((name, _), stream) =>
      name -> columns(schema.messagesAt + stream)
    }
    Seq(
      "stream"          -> KnownNotNull(at(0)),
      "reason"          -> KnownNotNull(at(1)),
      "watermark"       -> OutputColumns.instant(at(2), TimestampType),
      "processing_time" -> OutputColumns.instant(KnownNotNull(at(3)), TimestampType),
      "message"         -> OutputColumns.structOf(messages: _*)).map { case (name, value) => Alias(value, name)() }
  }

  /** A condition on messages of the inputs, as one on those of a row. */
  private def over(
      condition: Expression,
      inputs: Seq[StreamTable],
      schema: JoinSchema,
      columns: Seq[Attribute]): Expression = {
    val fields = AttributeMap(inputs.zipWithIndex.flatMap { case (input, stream) =>
      input.message.zipWithIndex.map { case (attribute, i) =>
        attribute -> GetStructField(columns(schema.messagesAt + stream), i, Some(attribute.name))
      }
    })
    condition.transform { case attribute: Attribute => fields.getOrElse(attribute, attribute) }
  }
}
