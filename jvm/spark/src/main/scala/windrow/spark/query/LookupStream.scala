package windrow.spark.query

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import windrow.core.time.Axis
import windrow.spark.input.{AggregateParts, Marks}
import windrow.{FullStateSpec, Positions, SpecProblem}

/** The kind of result that a lookup stream requests. */
private[spark] sealed abstract class LookupKind(val column: String)

private[spark] object LookupKind {
  case object Messages extends LookupKind("messages")
  case object Windows  extends LookupKind("windows")
}

/** A lookup stream: its columns, and the marked columns of its questions, `start`, `end`, `key0`…, `by0`….
  *
  * @param keyValues
  *   names of the key columns whose values are marked; if empty, the lookups have columns of these names
  * @param by
  *   names of the fields of stored rows whose values are marked
  */
private[spark] final case class LookupStream(
    asked: LookupKind,
    keyValues: Seq[String],
    by: Seq[String],
    table: LogicalPlan) {
  import LookupStream._

  private val (marks, columns) = table.output.partition(_.name.startsWith(Marks.Prefix))

  private def mark(name: String): Option[Attribute] = marks.find(_.name == Marks.Prefix + name)

  private val bounds: Seq[(String, Attribute)] = Seq("start", "end").flatMap(name => mark(name).map(name -> _))

  /** Returns the questions to full state, or all problems.
    *
    * @param declared
    *   columns by which stored rows are queried; if empty, the key columns
    * @param time
    *   the event time of the stored rows
    */
  def of(
      session: SparkSession,
      spec: FullStateSpec,
      declared: Seq[String],
      time: Option[Expression],
      parts: AggregateParts): Either[Seq[SpecProblem], Questions] =
    new StoreQuestions(session, spec, declared, time, parts).questions

  private final class StoreQuestions(
      session: SparkSession,
      spec: FullStateSpec,
      declared: Seq[String],
      ofMessages: Option[Expression],
      parts: AggregateParts) {
    private val values   = new Values(session)
    private val timeType = ofMessages.fold[DataType](TimestampType)(_.dataType)

    private val byPosition = asked match {
      case LookupKind.Messages => bounds.exists { case (_, bound) => isWhole(bound.dataType) }
      case LookupKind.Windows  => spec.window.bounds == Positions
    }

    private val resolver = SparkInside.resolver(session)
    private val fields   = declared.map(name => parts.message.fieldNames.indexWhere(resolver(_, name))).filter(_ >= 0)

    /** Values of the key and of the index columns, with the types of those columns. */
    private val keys: Either[Seq[SpecProblem], (Seq[Expression], Seq[Expression])] = {
      val named = new NamedValues(session, parts.keys.map(_.name), declared)
      val usual = named.ofKey(columns.map(column => column.name -> column))
      named(marked("key", keyValues), marked("by", by), Some(usual)).flatMap { found =>
        val key  = found.key.fold(none)(values.as(_, parts.keys.map(_.dataType)))
        val join = found.by.fold(none)(values.as(_, fields.map(parts.message(_).dataType)))
        (key, join) match {
          case (Right(one), Right(other)) => Right((one, other))
          case _                          => Left(key.left.getOrElse(Nil) ++ join.left.getOrElse(Nil))
        }
      }
    }

    private def none: Either[Seq[SpecProblem], Seq[Expression]] = Right(Nil)

    private val range =
      bounds.map { case (name, bound) => name -> (if (byPosition) position(name, bound) else time(name, bound)) }

    def questions: Either[Seq[SpecProblem], Questions] = {
      val found = ofStreams ++ taken ++ keys.left.getOrElse(Nil) ++ range.flatMap(_._2.left.toOption)
      keys.filterOrElse(_ => found.isEmpty, Nil).left.map(_ => found).map { case (key, wanted) =>
        new Questions(
          asked.column,
          StructType(columns.map(a => StructField(a.name, a.dataType, a.nullable))),
          answer(wanted.nonEmpty),
          packets(key, wanted, _))
      }
    }

    private def marked(mark: String, names: Seq[String]): Seq[(String, Attribute)] =
      names.zipWithIndex.flatMap { case (name, i) => LookupStream.this.mark(s"$mark$i").map(name -> _) }

    private def answer(isByIndex: Boolean): Answer[FullStateReader] = asked match {
      case LookupKind.Messages =>
        Answer.Messages(
          parts.message,
          if (byPosition) Axis.Offset else Axis.Time,
          if (isByIndex) fields else Nil)
      case LookupKind.Windows => Answer.Windows(spec.window, timeType, Answer.Count, new StructType())
    }

    private def packets(key: Seq[Expression], by: Seq[Expression], shards: Int): LogicalPlan = {
      def struct(values: Seq[Expression]) = CreateStruct(values.map(SparkInside.normalized))
      val ends                            = range.flatMap { case (name, bound) => bound.toOption.map(name -> _) }.toMap
      val open                            = Literal.create(null, LongType)
      val closed                          = CreateStruct(Seq("start", "end").map(ends.getOrElse(_, open)))
      Project(
        Seq(
          Alias(QuestionExpression(struct(key), closed, struct(by), CreateStruct(columns)), "packet")(),
          Alias(ShardExpression(struct(key), shards), "shard")()),
        table)
    }

    private def position(name: String, bound: Attribute) = Either.cond(
      isWhole(bound.dataType),
      Cast(bound, LongType),
      notUnderstood(name, bound, "an integer (an offset or a position)"))

    private def time(name: String, bound: Attribute) =
      values.as(bound, timeType).filterNot(_ => isWhole(bound.dataType))
        .map(PreciseTimestampConversion(_, timeType, LongType))
        .toRight(notUnderstood(name, bound, s"a time of type ${timeType.sql}"))

    private def notUnderstood(name: String, bound: Attribute, must: String) =
      SpecProblem("BOUND_NOT_UNDERSTOOD", "name" -> name, "type" -> bound.dataType.sql, "expected" -> must)

    private def ofStreams: Seq[SpecProblem] =
      Seq("lookups" -> table, "messages" -> parts.child).filterNot(_._2.isStreaming).map { case (what, _) =>
        SpecProblem(
          "NOT_STREAMING.LOOKUPS",
          "what" -> what)
      }

    private def taken: Seq[SpecProblem] = columns.map(_.name).filter(_.equalsIgnoreCase(asked.column)).map(name =>
      SpecProblem("NAME_TAKEN.LOOKUP", "name" -> name))
  }
}

/** Checked questions to an operator.
  *
  * @param column
  *   the column of the answers, which follows those of the lookups
  * @param lookups
  *   columns of the lookup stream
  * @param packets
  *   returns `packet` binary, `shard` int for a number of shards
  */
private[spark] final class Questions(
    val column: String,
    val lookups: StructType,
    val answer: Answer[FullStateReader],
    val packets: Int => LogicalPlan)

/** Converts values to the types with which they are compared. */
private final class Values(session: SparkSession) {

  def as(named: ColumnValues[Attribute], types: Seq[DataType]): Either[Seq[SpecProblem], Seq[Expression]] = {
    val (wrong, right) = named.values.zip(named.columns.zip(types)).partitionMap { case (value, (name, to)) =>
      as(value, to).toRight(SpecProblem(
        "KEY_TYPES_DIFFER.COMPARED",
        "argument" -> named.argument,
        "name"     -> name,
        "type"     -> to.sql,
        "other"    -> value.dataType.sql))
    }
    Either.cond(wrong.isEmpty, right, wrong)
  }

  /** Converts a value to another type, if the conversion is lossless. */
  def as(value: Expression, to: DataType): Option[Expression] =
    if (DataType.equalsStructurally(value.dataType, to, ignoreNullability = true)) Some(value)
    else
      Option.when(Cast.canUpCast(value.dataType, to))(
        Cast(value, to, Some(session.conf.get("spark.sql.session.timeZone"))))
}

private[spark] object LookupStream {
  private def isWhole(of: DataType): Boolean = of match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _                                             => false
  }
}
