package windrow.spark.panes

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.version.Arithmetic
import windrow.{SpecProblem, WindowKind}

/** The pane of another operator that a row contains (SEMANTICS R55).
  *
  * @param start
  *   the start of the window, a timestamp
  * @param fields
  *   start and end in microseconds, timing, index, is_retraction; each may be null
  * @param content
  *   identifies the pane that a retraction withdraws: the pane's position in its window, and the values that the
  *   aggregates read
  */
private[spark] final case class IncomingPanes(start: Expression, fields: Seq[Alias], content: Alias) {
  def end: Expression = fields(1).child
}

private[spark] object IncomingPanes {

  /** The pane column, which accompanies the window column. */
  private val Pane = "pane"

  /** Reads the columns of the panes.
    *
    * @param in
    *   the column that contains the window
    * @param read
    *   the inputs of the aggregates
    */
  def of(
      session: SparkSession,
      windows: WindowKind,
      in: String,
      input: LogicalPlan,
      read: Seq[Expression]): Either[Seq[SpecProblem], IncomingPanes] = {
    def column(name: String, what: String, fields: Fields): Either[SpecProblem, Expression] =
      SparkInside.column(session, input, name).toRight(SpecProblem(
        "PANE_COLUMN_MISSING",
        "windows" -> windows,
        "what"    -> what,
        "name"    -> name,
        "columns" -> names(input))).filterOrElse(
        fits(_, fields),
        SpecProblem(
          "PANE_COLUMN_STRANGE",
          "windows" -> windows,
          "name"    -> name,
          "what"    -> what,
          "fields"  -> fields.map(_._1).mkString(", ")))
    (column(in, "the window", Window), column(Pane, "the description of the pane", PaneFields)) match {
      case (Right(_), Right(pane)) if read.exists(_.exists(_.semanticEquals(field(pane, "is_retraction")))) =>
        Left(Seq(Corrections.readTwice))
      case (Right(window), Right(pane)) => Right(of(window, pane, read))
      case (window, pane)               => Left(Seq(window, pane).flatMap(_.left.toOption))
    }
  }

  private type Fields = Seq[(String, Seq[DataType])]

  private val Times          = Seq(TimestampType, TimestampNTZType)
  private val Window: Fields = Seq("start" -> Times, "end" -> Times)
  private val Closed: Fields = Seq("start" -> Times, "last" -> Times)
  private val Repeated       = Seq("timing", "index")
  private val PaneFields: Fields =
    Seq("timing" -> Seq(StringType), "index" -> Seq(LongType), "is_retraction" -> Seq(BooleanType))

  private def names(input: LogicalPlan) = input.output.map(_.name).mkString(", ")

  private def fits(column: Expression, fields: Fields): Boolean = column.dataType match {
    case struct: StructType => fields.forall { case (name, types) =>
        struct.fields.exists(field => field.name == name && types.contains(field.dataType))
      }
    case _ => false
  }

  /** Returns the last instant in the window of a pane, if the rows are panes of time windows (SEMANTICS B2). */
  def lastInstant(session: SparkSession, input: LogicalPlan): Option[Expression] = for {
    window <- SparkInside.column(session, input, "window")
    pane   <- SparkInside.column(session, input, Pane) if fits(pane, PaneFields)
    time   <- if (fits(window, Window)) Some(before(field(window, "end"))) else closing(window)
  } yield time

  private def closing(window: Expression) = Option.when(fits(window, Closed))(field(window, "last"))

  private def before(time: Expression) =
    PreciseTimestampConversion(Arithmetic.subtract(micros(time), Literal(1L)), LongType, time.dataType)

  private def field(of: Expression, name: String): Expression =
    GetStructField(of, of.dataType.asInstanceOf[StructType].fieldIndex(name), Some(name))

  private def micros(time: Expression): Expression = PreciseTimestampConversion(time, time.dataType, LongType)

  private def of(
      window: Expression,
      pane: Expression,
      read: Seq[Expression]): IncomingPanes = {
    val fields = Seq("start", "end").map(name => Alias(micros(field(window, name)), name)()) ++
      PaneFields.map { case (name, _) => Alias(field(pane, name), name)() }
    val repeated = read ++ Repeated.map(field(pane, _))
    IncomingPanes(field(window, "start"), fields, Alias(CreateStruct(repeated), "content")())
  }
}
