package windrow.spark.query

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import windrow.FullStateSpec
import windrow.Positions
import windrow.SpecProblem
import windrow.core.time.Axis
import windrow.spark.input.AggregateParts
import windrow.spark.output.OutputColumns

/** What a lookup stream asks for. */
private[spark] sealed abstract class Asked(val column: String)

private[spark] object Asked {
  case object Messages extends Asked("messages")
  case object Windows  extends Asked("windows")
}

/** A lookup stream as it comes: its columns, and marked what is asked: `start`, `end`, `session_key0`…, `join_key0`….
  *
  * @param sessionKey
  *   names of the key columns whose values are marked; none: the lookups have columns of these names
  * @param joinKeys
  *   names of the fields of messages whose values are marked
  */
private[spark] final case class Asking(
    asked: Asked,
    sessionKey: Seq[String],
    joinKeys: Seq[String],
    table: LogicalPlan) {
  import Asking._

  private val (marks, columns) = table.output.partition(_.name.startsWith(Marker))

  private def mark(name: String): Option[Attribute] = marks.find(_.name == Marker + name)

  private val bounds: Seq[(String, Attribute)] = Seq("start", "end").flatMap(name => mark(name).map(name -> _))

  /** What is asked of full state, or everything that is wrong with it.
    *
    * @param declared
    *   columns by which messages are asked for; none: by the key
    * @param time
    *   the event time of its messages
    */
  def of(
      session: SparkSession,
      spec: FullStateSpec,
      declared: Seq[String],
      time: Option[Expression],
      parts: AggregateParts): Either[Seq[SpecProblem], Questions] =
    new OfStore(session, spec, declared, time, parts).questions

  private final class OfStore(
      session: SparkSession,
      spec: FullStateSpec,
      declared: Seq[String],
      ofMessages: Option[Expression],
      parts: AggregateParts) {
    private val named    = new NamedValues(session)
    private val timeType = ofMessages.fold[DataType](TimestampType)(_.dataType)

    /** Without declared join keys they are the key. */
    private val byKey = declared.isEmpty

    private val byPosition = asked match {
      case Asked.Messages => bounds.exists { case (_, bound) => isWhole(bound.dataType) }
      case Asked.Windows  => spec.window.bounds == Positions
    }

    private val key = {
      val wanted = parts.keys.map(key => key.name -> key.dataType)
      if (byKey && joinKeys.nonEmpty) named("joinKeys", wanted, marked("join_key", joinKeys))
      else if (sessionKey.nonEmpty) named("sessionKey", wanted, marked("session_key", sessionKey))
      else named("sessionKey", wanted, named.among(wanted.map(_._1), columns))
    }

    private val fields = named.at(declared, parts.message)

    private val values =
      if (byKey || joinKeys.isEmpty) Right(Nil)
      else
        named("joinKeys", fields.map(parts.message(_)).map(of => of.name -> of.dataType), marked("join_key", joinKeys))

    private val range =
      bounds.map { case (name, bound) => name -> (if (byPosition) position(name, bound) else time(name, bound)) }

    def questions: Either[Seq[SpecProblem], Questions] = {
      val found = ofStreams ++ twice ++ taken ++ key.left.getOrElse(Nil) ++ values.left.getOrElse(Nil) ++
        range.flatMap(_._2.left.toOption)
      val checked = for { keyed <- key.toOption; wanted <- values.toOption } yield new Questions(
        asked.column,
        StructType(columns.map(a => StructField(a.name, a.dataType, a.nullable))),
        answering(wanted.nonEmpty),
        packets(keyed, wanted, _))
      checked.filter(_ => found.isEmpty).toRight(found)
    }

    private def marked(mark: String, names: Seq[String]): Seq[(String, Attribute)] =
      names.zipWithIndex.flatMap { case (name, i) => Asking.this.mark(s"$mark$i").map(name -> _) }

    private def answering(byJoinKeys: Boolean): Answering = asked match {
      case Asked.Messages =>
        Answering.Messages(
          parts.message,
          if (byPosition) Axis.Offset else Axis.Time,
          if (byJoinKeys) fields else Nil)
      case Asked.Windows =>
        val window = OutputColumns.windowOf(spec.window, timeType, Literal(0L), Literal(0L)).dataType
        Answering.Windows(spec.window, window.asInstanceOf[StructType])
    }

    private def packets(key: Seq[Expression], joinKeys: Seq[Expression], shards: Int): LogicalPlan = {
      def struct(values: Seq[Expression]) = CreateStruct(values.map(SparkInside.normalized))
      val ends                            = range.flatMap { case (name, bound) => bound.toOption.map(name -> _) }.toMap
      val open                            = Literal.create(null, LongType)
      val closed                          = CreateStruct(Seq("start", "end").map(ends.getOrElse(_, open)))
      Project(
        Seq(
          Alias(AsQuestion(struct(key), closed, struct(joinKeys), CreateStruct(columns)), "packet")(),
          Alias(AsShard(struct(key), shards), "shard")()),
        table)
    }

    private def position(name: String, bound: Attribute) = Either.cond(
      isWhole(bound.dataType),
      Cast(bound, LongType),
      notUnderstood(name, bound, "a whole number, an offset or a position"))

    private def time(name: String, bound: Attribute) = named.as(bound, timeType).filterNot(_ => isWhole(bound.dataType))
      .map(PreciseTimestampConversion(_, timeType, LongType))
      .toRight(notUnderstood(name, bound, s"a time, ${timeType.sql}"))

    private def notUnderstood(name: String, bound: Attribute, must: String) =
      SpecProblem("BOUND_NOT_UNDERSTOOD", s"$name is a ${bound.dataType.sql}; it must be $must.")

    private def ofStreams: Seq[SpecProblem] =
      Seq("lookups" -> table, "messages" -> parts.child).filterNot(_._2.isStreaming).map { case (what, _) =>
        SpecProblem(
          "NOT_STREAMING",
          s"the $what are a batch; what a running query keeps answers a stream. Join batches with Spark.")
      }

    private def twice: Seq[SpecProblem] = Option.when(byKey && joinKeys.nonEmpty && sessionKey.nonEmpty)(
      SpecProblem("KEYS_TWICE", "joinKeys are the key here; leave out sessionKey.")).toSeq

    private def taken: Seq[SpecProblem] = columns.map(_.name).filter(_.equalsIgnoreCase(asked.column)).map(name =>
      SpecProblem("NAME_TAKEN", s"a column of the lookups is called '$name', as that of the answers. Rename it."))
  }
}

/** Checked questions of an operator.
  *
  * @param column
  *   of the answers, beside those of the lookups
  * @param lookups
  *   columns of the lookup stream
  * @param packets
  *   `packet` binary, `shard` int, given the number of shards
  */
private[spark] final class Questions(
    val column: String,
    val lookups: StructType,
    val answering: Answering,
    val packets: Int => LogicalPlan)

private[spark] object Asking {
  private val Marker = "__windrow_"

  private def isWhole(of: DataType): Boolean = of match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _                                             => false
  }
}
