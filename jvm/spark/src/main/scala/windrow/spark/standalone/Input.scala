package windrow.spark.standalone

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import windrow.spark.input.{ColumnNames, KeyCheck, MessageTime, PlainText, RowValueColumn, SessionMarks, WholeNumber}
import windrow.{RowValue, SpecProblem, TimeSpan, WindowKind}

/** A stream of rows with resolved columns.
  *
  * @param declared
  *   the schema as the user wrote it
  * @param time
  *   the event time, a long in microseconds
  * @param timeType
  *   the type of the event-time column
  * @param value
  *   the value for the windows of a row, a long, if each row has its own
  * @param marks
  *   the columns that end sessions; see [[windrow.spark.input.SessionMarks]]
  * @param origin
  *   source string, partition long, offset long; or empty
  * @param keyColumns
  *   the key as the spec names it
  */
final class Input(
    val name: String,
    val declared: StructType,
    val relation: LocalRelation,
    val time: Expression,
    val timeType: DataType,
    val value: Option[Expression],
    val marks: Seq[Expression],
    val origin: Seq[Expression],
    val key: Seq[(String, Expression)],
    val keyColumns: Seq[String]) {

  /** The type of stored rows. All columns are nullable, regardless of the declaration. */
  val schema: StructType = SparkInside.nullable(declared)

  def attributes: Seq[Attribute] = relation.output

  def column(session: SparkSession, name: String): Option[Expression] =
    SparkInside.column(session, relation, name)

  /** Describes the properties on which the state depends. */
  private[standalone] def stated: String =
    s"stream '$name' of ${PlainText.of(schema)}, key (${keyColumns.mkString(", ")}), time ${time.sql}"

  def describeOrigin: String = {
    val by = Seq("offset" -> origin, "gap" -> value.toSeq).collect {
      case (what, some) if some.nonEmpty =>
        s"$what (${some.map(Input.asCast).mkString(", ")})"
    }
    s"'$name' by ${if (by.isEmpty) "no offset" else by.mkString(", ")}"
  }
}

object Input {

  /** Shows an identity. The evaluation mode of a cast does not change it. */
  private def asCast(part: Expression): String = part match {
    case cast: Cast => s"CAST(${cast.child.sql} AS ${cast.dataType.sql})"
    case other      => other.sql
  }

  private val Taken = Set("window", "pane", "message", "messages")

  /** Resolves the columns of an input.
    *
    * @param needsTime
    *   whether the windows need event time; windows of positions and policy windows do not
    * @param windows
    *   the windows of its rows
    * @param maxFuture
    *   how far its rows may be ahead
    */
  def resolve(
      session: SparkSession,
      spec: InputSpec,
      needsTime: Boolean,
      windows: Option[WindowKind] = None,
      maxFuture: Option[TimeSpan] = None): Either[Seq[SpecProblem], Input] = {
    val value = windows.fold[RowValue](RowValue.NoValue)(_.rowValue)
    val found = spec.problems(needsTime, value)
    val read  = parsed(spec).flatMap(new Resolution(session, spec, _, value, windows, maxFuture).result)
    if (found.isEmpty) read else Left(found ++ (if (spec.schema.isBlank) Nil else read.left.getOrElse(Nil)))
  }

  private def parsed(spec: InputSpec): Either[Seq[SpecProblem], StructType] = {
    def refuse(condition: String, parameters: (String, Any)*) =
      Left(Seq(SpecProblem(condition, parameters: _*).in(s"stream '${spec.name}'")))
    try {
      val schema =
        CharVarcharUtils.replaceCharVarcharWithString(StructType.fromDDL(spec.schema)).asInstanceOf[StructType]
      val twice = schema.map(_.name.toLowerCase(java.util.Locale.ROOT)).groupBy(identity).collectFirst {
        case (name, all) if all.size > 1 => name
      }
      if (schema.isEmpty) refuse("SCHEMA_NOT_UNDERSTOOD.EMPTY")
      else twice.fold[Either[Seq[SpecProblem], StructType]](Right(schema))(name =>
        refuse("NAME_TWICE.SCHEMA", "name" -> name))
    } catch {
      case wrong: ParseException =>
        val why = wrong.getMessage.linesIterator.next()
        refuse(
          "SCHEMA_NOT_UNDERSTOOD.TEXT",
          "schema" -> spec.schema,
          "why"    -> why)
    }
  }

  private final class Resolution(
      session: SparkSession,
      spec: InputSpec,
      declared: StructType,
      rowValue: RowValue,
      windows: Option[WindowKind],
      maxFuture: Option[TimeSpan]) {
    private val found = Seq.newBuilder[SpecProblem]
    private val zone  = session.conf.get("spark.sql.session.timeZone")
    private val relation = LocalRelation(SparkInside.nullable(declared).map(field =>
      AttributeReference(field.name, field.dataType, nullable = true)()))

    private def refuse(condition: String, parameters: (String, Any)*): None.type = {
      found += SpecProblem(condition, parameters: _*).in(s"stream '${spec.name}'")
      None
    }

    def result: Either[Seq[SpecProblem], Input] = {
      val time = spec.time.flatMap(column(_, "time")).filter(isTimestamp)
      found ++= time.toSeq.flatMap(of => MessageTime.withoutZone(spec.time.get, of.dataType, windows, maxFuture))
        .map(_.in(s"stream '${spec.name}'"))
      val origin = spec.rowId.toSeq.flatMap { case (source, partition, offset) =>
        column(source, "rowId.source").map(Cast(_, StringType, Some(zone))) ++
          Seq("partition" -> partition, "offset" -> offset).flatMap { case (what, name) =>
            column(name, s"rowId.$what").filter(isWhole(what, _)).map(WholeNumber(_))
          }
      }
      val key = spec.key.flatMap(name => column(name, "key").map(lastOf(name) -> SparkInside.normalized(_)))
      key.map(_._1).filter(Taken).foreach(name =>
        refuse("NAME_TAKEN.KEY", "name" -> name))
      found ++= KeyCheck.grouped(key.map { case (name, of) => s"'$name'" -> of }).map(_.in(s"stream '${spec.name}'"))
      val value = time.flatMap(valueOf)
      val marks = windows.toSeq.flatMap(SessionMarks.of(session, _, relation).fold(
        problems => {
          found ++= problems.map(_.in(s"stream '${spec.name}'"))
          Nil
        },
        identity))
      Either.cond(
        found.result().isEmpty,
        new Input(
          spec.name,
          declared,
          relation,
          time.fold[Expression](Literal(0L))(microsOf),
          time.fold[DataType](TimestampType)(_.dataType),
          value,
          marks.map(_.child),
          origin,
          key,
          spec.key),
        found.result())
    }

    private def column(name: String, what: String): Option[Expression] = {
      val read = ColumnNames.column(session, relation, what, name)
      found ++= read.left.toOption.map(_.in(s"stream '${spec.name}'"))
      read.toOption
    }

    private def isWhole(what: String, column: Expression): Boolean = {
      val wrong = WholeNumber.problem(what, column)
      found ++= wrong.map(_.in(s"stream '${spec.name}'"))
      wrong.isEmpty
    }

    /** Returns the last part of a name. A struct field is shown under its own name, as by Spark's `groupBy`. */
    private def lastOf(name: String): String = UnresolvedAttribute.parseAttributeName(name).last

    private def isTimestamp(time: Expression): Boolean = time.dataType match {
      case TimestampType | TimestampNTZType => true
      case other =>
        refuse("TIME_NOT_TIMESTAMP.COLUMN", "name" -> spec.time.get, "type" -> other.sql)
        false
    }

    private def microsOf(time: Expression): Expression = PreciseTimestampConversion(time, time.dataType, LongType)

    /** Returns the value of each row, if it has its own. */
    private def valueOf(time: Expression): Option[Expression] =
      RowValueColumn.stated(rowValue, Map.empty, spec.gap)(column).flatMap(own =>
        RowValueColumn.of(rowValue, time, Some(own), zone).fold(
          problem => {
            found += problem.in(s"stream '${spec.name}'")
            None
          },
          identity))
  }
}
