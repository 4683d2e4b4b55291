package windrow.spark.query

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Encoder
import org.apache.spark.sql.Encoders
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.Max
import org.apache.spark.sql.catalyst.expressions.aggregate.Min
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import windrow.CheckpointError
import windrow.Positions
import windrow.SpecError
import windrow.SpecProblem
import windrow.WindowKind
import windrow.core.time.Axis
import windrow.spark.pack.PackStrategy
import windrow.spark.pack.ShardOf
import windrow.spark.pack.Unpack
import windrow.spark.output.OutputColumns

/** Reads what a query keeps from its checkpoint; see [[State]], here with literals, of which null is an open end. */
private[spark] final class StateReader(session: SparkSession, path: String, operator: Option[String]) {
  import StateReader._

  private implicit val bytes: Encoder[Array[Byte]] = Encoders.BINARY
  private implicit val int: Encoder[Int]           = Encoders.scalaInt

  SparkInside.addStrategy(session, PackStrategy(session))

  private def stored: StoredState = Checkpoint.operator(session, path, operator)

  stored // so that a wrong path shows at once

  def getWindows(start: Literal, end: Literal, sessionKey: Map[String, Literal]): DataFrame = {
    val state      = stored
    val descriptor = state.descriptor
    val all        = windowed(descriptor)
    val key        = keyOf(descriptor, sessionKey, "sessionKey")
    val asked =
      Sought(
        windowBound(all.window, descriptor, "start", start),
        windowBound(all.window, descriptor, "end", end),
        key.map(_.getBytes))
    all match {
      case held: StateDescriptor.Aggregates =>
        val read   = aggregates(descriptor, held)
        val answer = new AggregatedWindows(held.spec, read.functions, held.ordered, descriptor, asked)
        ask(state, key, answer) { columns =>
          val at = AttributeMap((read.keys ++ read.values).zip(columns.take(read.keys.size) ++ columns.drop(
            read.keys.size + Answer.Window.size)))
          windowColumns(descriptor, all.window, columns) ++ read.results.map(column =>
            Alias(valueOf(column).transform { case a: Attribute => at.getOrElse(a, a) }, column.name)())
        }(bounds(descriptor, _))
      case held: StateDescriptor.Messages =>
        ask(state, key, new KeptWindows(held.spec, descriptor, asked)) { columns =>
          windowColumns(descriptor, all.window, columns) :+ Alias(KnownNotNull(columns.last), "count")()
        }(bounds(descriptor, _))
    }
  }

  def getMessages(
      start: Literal,
      end: Literal,
      joinKeys: Map[String, Literal],
      sessionKey: Map[String, Literal]): DataFrame = {
    val state      = stored
    val descriptor = state.descriptor
    val axis       = axisOf(start, end)
    val kept       = keptMessages(descriptor, axis)
    val byKey      = kept.joinKeys.isEmpty
    if (byKey && joinKeys.nonEmpty && sessionKey.nonEmpty)
      throw SpecError("getMessages", Seq(SpecProblem("KEYS_TWICE", "joinKeys are the key here; leave out sessionKey.")))
    val key =
      if (byKey && joinKeys.nonEmpty) keyOf(descriptor, joinKeys, "joinKeys")
      else keyOf(descriptor, sessionKey, "sessionKey")
    val asked =
      Sought(bound(descriptor, axis, "start", start), bound(descriptor, axis, "end", end), key.map(_.getBytes))
    val wanted = if (byKey) Nil else joinColumns(kept, joinKeys)
    ask(state, key, kept.answer(asked), wanted) { columns =>
      kept.message.zipWithIndex.map { case (field, i) => Alias(GetStructField(columns.last, i), field.name)() }
    }(columns => if (axis == Axis.Time) columns.take(4) else Seq(columns(3), columns(1), columns(2)))
  }

  def pending(): DataFrame = {
    val state      = stored
    val descriptor = state.descriptor
    descriptor.holds match {
      case held: StateDescriptor.Aggregates =>
        val functions = aggregates(descriptor, held).functions
        paneStates(state, held.window, new AggregatedPending(held.spec, functions, held.ordered, descriptor))
      case held: StateDescriptor.Messages => paneStates(state, held.window, new KeptPending(held.spec, descriptor))
      case held: StateDescriptor.OfJoin   => comingRows(state, held)
    }
  }

  private def paneStates(state: StoredState, window: WindowKind, answer: Answer): DataFrame = {
    val descriptor = state.descriptor
    ask(state, None, answer) { columns =>
      val at = columns.drop(descriptor.keys.size)
      keyColumns(descriptor, columns) ++ Seq(
        Alias(
          OutputColumns.windowOf(window, descriptor.timeType, KnownNotNull(at.head), KnownNotNull(at(1))),
          "window")(),
        Alias(KnownNotNull(at(2)), "timing")()) ++ moments(at.drop(3))
    }(columns => columns.drop(descriptor.keys.size).drop(3) ++ columns.drop(descriptor.keys.size).take(2))
  }

  private def comingRows(state: StoredState, held: StateDescriptor.OfJoin): DataFrame = {
    val answer = new ComingRows(held, state.descriptor)
    ask(state, None, answer) { columns =>
      val at = columns.drop(state.descriptor.keys.size)
      keyColumns(state.descriptor, columns) ++
        answer.shown.zip(at).map { case ((name, _), message) => Alias(message, name)() } ++
        moments(at.drop(answer.shown.size))
    }(_.drop(state.descriptor.keys.size + answer.shown.size))
  }

  def replayOffsets(): DataFrame = {
    val state = stored
    val answer = state.descriptor.holds match {
      case held: StateDescriptor.Messages => new KeptOffsets(held.spec)
      case held: StateDescriptor.OfJoin   => new SideOffsets(held, state.descriptor)
      case _: StateDescriptor.Aggregates  => throw noMessages(state.descriptor)
    }
    val rows         = answered(state, None, answer)
    val part         = rows.output.take(2)
    val (kept, next) = (rows.output(2), rows.output(3))
    val least        = Alias(Min(kept).toAggregateExpression(), "kept")()
    val after        = Alias(Max(next).toAggregateExpression(), "next")()
    val all          = Aggregate(part, part ++ Seq(least, after), rows)
    frame(
      sorted(
        part,
        Project(
          part.zip(Seq("source", "partition")).map { case (column, name) =>
            Alias(KnownNotNull(column), name)(column.exprId)
          } :+ Alias(KnownNotNull(Coalesce(Seq(least.toAttribute, after.toAttribute))), "offset")(),
          all)))
  }

  // ---- what is asked

  private def windowed(descriptor: StateDescriptor): StateDescriptor.Windowed = descriptor.holds match {
    case held: StateDescriptor.Windowed => held
    case _: StateDescriptor.OfJoin => throw new CheckpointError(
        s"[NO_WINDOWS] '${descriptor.name}' of '$path' is a stream of a join, which keeps messages and no windows; ask for messages, pending rows or replay offsets.")
  }

  private def keptMessages(descriptor: StateDescriptor, axis: Axis): Kept = descriptor.holds match {
    case held: StateDescriptor.Messages =>
      Kept(held.message, held.joinKeys, new KeptMessages(held.spec, held.message, _, axis))
    case held: StateDescriptor.OfJoin =>
      if (axis == Axis.Offset && !held.side.hasOffsets)
        throw notUnderstood(
          "start and end",
          s"whole numbers are offsets, and messages of '${descriptor.name}' have none")
      Kept(held.side.message, Nil, new SideMessages(held, _, axis))
    case _: StateDescriptor.Aggregates => throw noMessages(descriptor)
  }

  private def noMessages(descriptor: StateDescriptor) = new CheckpointError(
    s"[NO_MESSAGE_STORE] operator '${descriptor.name}' of '$path' keeps aggregates, no messages; say messages() instead of aggregate(...).")

  private def aggregates(descriptor: StateDescriptor, held: StateDescriptor.Aggregates): Resolved = held.texts match {
    case Right(texts) => texts.resolve(session, descriptor.keys)
    case Left(unclear) => throw new CheckpointError(
        s"[AGGREGATE_NOT_READABLE] operator '${descriptor.name}' of '$path' keeps an aggregate that its text does not say whole: $unclear.")
  }

  /** The bytes of a key of which all columns are named. */
  private def keyOf(descriptor: StateDescriptor, named: Map[String, Literal], argument: String): Option[UnsafeRow] =
    Option.when(named.nonEmpty) {
      complete(descriptor.keys.map(_.name), named, argument)
      val values =
        descriptor.keys.map(field => SparkInside.normalized(cast(argument, named(field.name), field.dataType)))
      UnsafeProjection.create(values).apply(InternalRow.empty).copy()
    }

  private def complete(columns: Seq[String], named: Map[String, Literal], argument: String): Unit =
    if (named.keySet != columns.toSet) {
      val said = named.keys.toSeq.sorted.mkString(", ")
      val all  = if (columns.isEmpty) "there is none" else s"it names all of ${columns.mkString(", ")}"
      throw SpecError(argument, Seq(SpecProblem("KEYS_NOT_THOSE", s"it names $said; $all.")))
    }

  private def joinColumns(held: Kept, named: Map[String, Literal]): Seq[(Int, Literal)] =
    if (named.isEmpty) Nil
    else {
      complete(held.joinKeys, named, "joinKeys")
      held.joinKeys.map { name =>
        val at = held.message.fieldIndex(name)
        at -> cast("joinKeys", named(name), held.message(at).dataType)
      }
    }

  /** The value as another type; nothing of it may get lost. */
  private def cast(argument: String, value: Literal, to: DataType): Literal = {
    val zone = Some(session.conf.get("spark.sql.session.timeZone"))
    val read = SparkInside.inSession(session)(Cast(value, to, zone, EvalMode.TRY).eval())
    if (read == null && value.value != null)
      throw notUnderstood(argument, s"'$value' is no ${to.sql.toLowerCase(java.util.Locale.ROOT)}")
    Literal(read, to)
  }

  private def axisOf(start: Literal, end: Literal): Axis =
    Seq(start, end).filter(_.value != null).map(isPosition).distinct match {
      case Seq(true) => Axis.Offset
      case Seq(_, _) => throw notUnderstood("start and end", "one is an offset, the other a time; both are of one kind")
      case _         => Axis.Time
    }

  private def windowBound(
      window: WindowKind,
      descriptor: StateDescriptor,
      argument: String,
      value: Literal): Option[Long] = {
    val byPosition = window.bounds == Positions
    if (value.value != null && isPosition(value) != byPosition)
      throw notUnderstood(
        argument,
        if (byPosition) s"$value is a time; windows $window have positions, whole numbers"
        else s"$value is a whole number; windows $window have times")
    bound(descriptor, if (byPosition) Axis.Offset else Axis.Time, argument, value)
  }

  private def bound(descriptor: StateDescriptor, axis: Axis, argument: String, value: Literal): Option[Long] =
    Option.when(value.value != null)(
      cast(argument, value, if (axis == Axis.Offset) LongType else descriptor.timeType).value.asInstanceOf[Long])

  // ---- answers

  private def ask(state: StoredState, key: Option[UnsafeRow], answer: Answer, wanted: Seq[(Int, Literal)] = Nil)(
      columns: Seq[Attribute] => Seq[NamedExpression])(order: Seq[Attribute] => Seq[Expression]): DataFrame = {
    val rows = answered(state, key, answer)
    val those = wanted.foldLeft(rows) { case (all, (at, value)) =>
      Filter(EqualNullSafe(GetStructField(rows.output.last, at), value), all)
    }
    frame(Project(columns(rows.output), sorted(order(rows.output), those)))
  }

  /** In one partition: Spark's own order of all would read the state twice, once to find bounds. */
  private def sorted(by: Seq[Expression], rows: LogicalPlan): LogicalPlan =
    Sort(by.map(SortOrder(_, Ascending)), global = false, Repartition(1, shuffle = true, rows))

  private def answered(state: StoredState, key: Option[UnsafeRow], answer: Answer): LogicalPlan = {
    val values = state.operator.values(key.map(ShardOf(_, state.descriptor.shards)), answer.needs)
    val packed: Dataset[Array[Byte]] =
      values.groupByKey(_.shard).flatMapGroups(new AnswerShards(answer, path))
    val plan = SparkInside.plan(packed.toDF())
    Unpack(plan.output.head, answer.types.map(AttributeReference("column", _)()), plan)
  }

  private def frame(plan: LogicalPlan): DataFrame = SparkInside.frame(session, plan)
}

private object StateReader {

  /** Messages that can be asked for.
    *
    * @param joinKeys
    *   columns of the message by which it is asked for; empty: by the key
    */
  private final case class Kept(message: StructType, joinKeys: Seq[String], answer: Sought => Answer)

  private def isPosition(value: Literal): Boolean = value.dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _                                             => false
  }

  private def notUnderstood(argument: String, why: String): SpecError =
    SpecError(argument, Seq(SpecProblem("VALUE_NOT_UNDERSTOOD", s"$why.")))

  private def valueOf(column: NamedExpression): Expression = column match {
    case Alias(child, _) => child
    case other           => other
  }

  private def keyColumns(descriptor: StateDescriptor, columns: Seq[Attribute]): Seq[NamedExpression] =
    descriptor.keys.zip(columns).map { case (field, column) => Alias(column, field.name)() }

  /** watermark and processing time */
  private def moments(columns: Seq[Attribute]): Seq[NamedExpression] =
    Seq("watermark", "processing_time").zip(columns).map { case (name, micros) =>
      Alias(PreciseTimestampConversion(micros, LongType, TimestampType), name)()
    }

  /** start and end */
  private def bounds(descriptor: StateDescriptor, columns: Seq[Attribute]): Seq[Expression] =
    columns.slice(descriptor.keys.size, descriptor.keys.size + 2)

  private def windowColumns(
      descriptor: StateDescriptor,
      window: WindowKind,
      columns: Seq[Attribute]): Seq[NamedExpression] = {
    val at = columns.drop(descriptor.keys.size)
    keyColumns(descriptor, columns) ++ Seq(
      Alias(
        OutputColumns.windowOf(window, descriptor.timeType, KnownNotNull(at.head), KnownNotNull(at(1))),
        "window")(),
      Alias(at(2), "first_offset")(),
      Alias(at(3), "last_offset")(),
      Alias(KnownNotNull(at(4)), "is_complete")())
  }
}
