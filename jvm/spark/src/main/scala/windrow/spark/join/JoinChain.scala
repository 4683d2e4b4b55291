package windrow.spark.join

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.types.StructType
import windrow.spark.input.{Marks, StreamTable}
import windrow.spark.output.{OutputColumns, OutputKind}
import windrow.{JoinKind, SpecError, SpecProblem}

/** A join of a chain. It joins the rows of the joins before it with further streams (SEMANTICS R143). Its expressions are
  * over the columns of all streams of the chain.
  *
  * @param options
  *   its spec, whose first stream stands for the rows of the joins before it, unless it is the first join
  * @param added
  *   the streams that it adds
  * @param keys
  *   for each equality column, its value in the rows of the joins before it
  * @param time
  *   the event time of these rows that the range is relative to; None in the first join
  */
private[join] final case class JoinStep(
    options: JoinOptions,
    added: Seq[StreamTable],
    keys: Seq[Expression],
    time: Option[Expression],
    condition: Option[Expression])

/** Plans a chain of joins, in which each join is an operator of the query.
  *
  * @param shown
  *   the equality columns that the output shows, by name
  */
private[join] final class JoinChain(session: SparkSession, steps: Seq[JoinStep], shown: Seq[(String, Expression)]) {

  private val last = steps.last.options

  /** The columns that marks of all streams only rename. */
  private val columns = AttributeMap(steps.flatMap(_.added).flatMap(JoinChain.renamed))

  private def plain(value: Expression): Expression =
    value.transform { case mark: Attribute => columns.getOrElse(mark, mark) }

  /** Returns a stream whose rows contain all columns that later joins read: its event time and its keys, too. */
  private def whole(input: StreamTable): StreamTable = {
    val (time, keys) = (plain(input.time), input.keys.map(plain))
    val more         = AttributeSet(time +: keys).toSeq.filterNot(input.message.contains)
    input.copy(time = time, keys = keys, message = input.message ++ more)
  }

  /** @throws SpecError
    *   with the problems of all streams
    */
  def plan: LogicalPlan = {
    val found = steps.flatMap(step => JoinPlan.ofStreams(step.options, step.added)) ++
      JoinPlan.together(session, steps.head.options, steps.head.added) ++ names ++ ofClock
    if (found.nonEmpty) throw SpecError("a join", found.distinct)
    val first = planned(steps.head, steps.head.added.map(whole), steps.head.condition)
    val start = new JoinedRows(steps.head, steps.head.added.map(whole), first, None)
    val all   = steps.tail.foldLeft(start)(next)
    all.output
  }

  /** The clock does not wait for the rows of the joins before, so these rows would be too late (SEMANTICS R144). */
  private def ofClock: Seq[SpecProblem] =
    if (steps.exists(_.options.behind.isDefined)) Seq(SpecProblem("OUTER_JOIN_OF_MANY.CLOCK")) else Nil

  /** Problems of names across all joins. */
  private def names: Seq[SpecProblem] = {
    val added = steps.flatMap(_.added)
    JoinPlan.ofNames(session, shown.map(_._1), added, last.spec)
  }

  private def planned(step: JoinStep, inputs: Seq[StreamTable], condition: Option[Expression]): LogicalPlan = {
    val kind = if (step.options eq last) last.output else OutputKind.Rows
    JoinPlan.planned(session, step.options.copy(output = kind), inputs, condition)
  }

  private def next(before: JoinedRows, step: JoinStep): JoinedRows = {
    val earlier = before.asStream(step)
    val added   = step.added.map(whole)
    val inputs  = JoinPlan.comparable(earlier +: added)
    val found   = JoinPlan.together(session, step.options, inputs)
    if (found.nonEmpty) throw SpecError("a join", found)
    // The time of a row without the stream that the range is relative to is that of another stream.
    val isThere   = step.time.filterNot(before.isCertain).map(time => IsNotNull(before.over(time)))
    val condition = (isThere ++ step.condition.map(before.over)).reduceOption(And)
    new JoinedRows(step, added, planned(step, inputs, condition), Some(before))
  }

  /** The rows of a join of the chain, and of the joins before it.
    *
    * @param rows
    *   the output of the join
    */
  private final class JoinedRows(
      val step: JoinStep,
      val added: Seq[StreamTable],
      rows: LogicalPlan,
      before: Option[JoinedRows]) {
    private val how  = step.options.spec.how
    private val keys = step.options.on.size

    /** The streams in the output, and whether each of them is in every row. */
    private val streams: Seq[(StreamTable, Boolean)] = {
      val left  = before.fold(added.take(1).map(_ -> true))(_.streams)
      val right = if (before.isEmpty) added.drop(1) else added
      val keeps = how != JoinKind.Right && how != JoinKind.Full
      left.map { case (one, isIn) => (one, isIn && keeps) } ++
        (if (how.isOfFirst) Nil else right.map(_ -> (how == JoinKind.Inner || how == JoinKind.Right)))
    }

    /** Returns the row of each stream, given the values of the columns of the output. */
    private def structs(columns: Seq[Expression]): Seq[Expression] = {
      val sides = columns.drop(keys)
      before.fold(sides.take(streams.size)) { earlier =>
        earlier.streams.indices.map(GetStructField(sides.head, _)) ++
          sides.slice(1, 1 + streams.size - earlier.streams.size)
      }
    }

    private lazy val flat: Project = Project(
      streams.zip(structs(rows.output)).map { case ((stream, isIn), row) =>
        Alias(if (isIn) KnownNotNull(row) else row, stream.name)()
      },
      rows)

    /** Converts an expression over the columns of the streams to one over the rows of this join. */
    def over(expression: Expression): Expression = over(expression, flat.output)

    private def over(expression: Expression, rows: Seq[Expression]): Expression =
      JoinCondition.over(plain(expression), streams.map(_._1), rows)

    /** Whether all columns of an expression belong to streams that are in every row. */
    def isCertain(expression: Expression): Boolean =
      plain(expression).references.subsetOf(AttributeSet(streams.collect { case (one, true) => one.message }.flatten))

    /** Returns the rows as an input of the next join. */
    def asStream(next: JoinStep): StreamTable = StreamTable(
      next.options.spec.names.head,
      flat,
      flat.output,
      timeOf(next),
      next.keys.map(over),
      Nil,
      None)

    /** The time that the range of the next join is relative to, or else that of the first stream with a row. */
    private def timeOf(next: JoinStep): Expression = {
      val all = (next.time.map(plain) ++ streams.map(_._1.time)).toSeq.distinctBy(_.canonicalized)
      JoinChain.first(next.time.filter(isCertain).fold(all)(Seq(_)).map(over))
    }

    /** The output of the last join, as users see it. */
    def output: LogicalPlan = last.output match {
      case OutputKind.Rows     => Project(named(joined(rows.output)), rows)
      case OutputKind.Rejected => Project(named(rejected(rows.output)), rows)
      case _ => Project(
          rows.output.map {
            case column if column.name == OutputKind.Rows.toString     => inside(column, joined)
            case column if column.name == OutputKind.Rejected.toString => inside(column, rejected)
            case column                                                => column
          },
          rows)
    }

    private def named(columns: Seq[(String, Expression)]): Seq[Alias] =
      columns.map { case (name, value) => Alias(value, name)() }

    /** Converts the fields of a struct. */
    private def inside(column: Attribute, convert: Seq[Expression] => Seq[(String, Expression)]): NamedExpression = {
      val fields = JoinChain.fields(column)
      Alias(JoinChain.unlessNull(column, convert(fields)), column.name)()
    }

    /** The columns of an output row. */
    private def joined(columns: Seq[Expression]): Seq[(String, Expression)] = {
      val all = structs(columns)
      shown.map { case (name, key) => name -> over(inTheOutput(key), all) } ++
        streams.zip(all).map { case ((stream, isIn), row) =>
          val shown = JoinChain.asUsersSee(stream, row)
          stream.name -> (if (isIn) KnownNotNull(shown) else shown)
        }
    }

    /** Returns the value of an equality column without the streams that a semi or anti join has left out. */
    private def inTheOutput(key: Expression): Expression = key match {
      case Coalesce(values) =>
        val known = AttributeSet(streams.flatMap(_._1.message))
        JoinChain.first(values.filter(plain(_).references.subsetOf(known)))
      case other => other
    }

    /** The columns of a rejected row, with one field for each stream of the chain in `message`. */
    private def rejected(columns: Seq[Expression]): Seq[(String, Expression)] = {
      val (own, passed) = columns.splitAt(JoinChain.MessageAt + 1)
      val operators     = steps.init.map(step => JoinOutputs.name(step.options.spec.names))
      val (ofChain, others) = passed.map {
        case column: NamedExpression => column.name            -> column
        case field: GetStructField   => field.extractFieldName -> field
        case other                   => other.sql              -> other
      }.partition { case (name, _) => operators.contains(name) }
      val byOperator = ofChain.toMap + (JoinOutputs.name(last.spec.names) -> own.last)
      val messages = all.map { stream =>
        stream.name -> JoinChain.asUsersSee(stream, JoinChain.first(chain.flatMap(_.messageOf(stream, byOperator))))
      }
      val isOfChain = byOperator.values.map(IsNotNull(_): Expression).reduce(Or)
      val message   = OutputColumns.structOf(messages: _*)
      JoinChain.Rejection.zip(own.init) ++
        Seq("message" -> If(isOfChain, message, Literal.create(null, message.dataType))) ++ others
    }

    /** All joins of the chain up to this one, and their streams. */
    private def chain: Seq[JoinedRows] = before.toSeq.flatMap(_.chain) :+ this
    private def all: Seq[StreamTable]  = chain.flatMap(_.added)

    /** Returns the row of a stream in a rejected row of this join. */
    private def messageOf(stream: StreamTable, rejected: Map[String, Expression]): Option[Expression] = {
      val message = rejected(JoinOutputs.name(step.options.spec.names))
      val at      = added.indexWhere(_.name == stream.name)
      if (at >= 0) Some(GetStructField(message, at + before.size))
      else before.map(_.streams.indexWhere(_._1.name == stream.name)).filter(_ >= 0)
        .map(GetStructField(GetStructField(message, 0), _))
    }
  }
}

private[join] object JoinChain {

  /** The names of the columns of rejected rows before `message`, and their number. */
  private val Rejection = Seq("stream", "reason", "watermark", "processing_time")
  private val MessageAt = Rejection.size

  def first(values: Seq[Expression]): Expression = values match {
    case Seq(one) => one
    case several  => Coalesce(several)
  }

  private def fields(struct: Expression): Seq[Expression] =
    struct.dataType.asInstanceOf[StructType].fields.toSeq.zipWithIndex.map {
      case (field, i) => GetStructField(struct, i, Some(field.name))
    }

  private def unlessNull(row: Expression, fields: Seq[(String, Expression)]): Expression = {
    val struct = OutputColumns.structOf(fields: _*)
    If(IsNull(row), Literal.create(null, struct.dataType), struct)
  }

  /** Returns the marks of a stream that only rename one of its columns. */
  private def renamed(input: StreamTable): Seq[(Attribute, Attribute)] =
    renamed(input.table).filter { case (_, column) => input.message.contains(column) }

  private def renamed(table: LogicalPlan): Seq[(Attribute, Attribute)] = table match {
    case Project(columns, _) => columns.collect { case mark @ Alias(column: Attribute, _) =>
        mark.toAttribute -> column
      }
    case other => other.children match {
        case Seq(child) if other.output == child.output || other.output.map(_.exprId) == child.output.map(_.exprId) =>
          renamed(child)
        case _ => Nil
      }
  }

  /** Returns the row of a stream without the columns that [[whole]] has added. */
  private def asUsersSee(stream: StreamTable, row: Expression): Expression = {
    val shown = stream.message.zipWithIndex.filterNot { case (column, _) => column.name.startsWith(Marks.Prefix) }
    if (shown.size == stream.message.size) row
    else unlessNull(row, shown.map { case (column, i) => column.name -> GetStructField(row, i, Some(column.name)) })
  }
}
