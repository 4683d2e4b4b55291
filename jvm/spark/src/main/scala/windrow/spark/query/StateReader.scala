package windrow.spark.query

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.{Max, Min}
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, SparkSession}
import windrow.advice.Advice
import windrow.core.join.JoinLateness
import windrow.core.state.{Key, ShardStore}
import windrow.core.store.LatenessCounts
import windrow.core.time.{Axis, Distance}
import windrow.spark.output.OutputColumns
import windrow.spark.pack.{PackStrategy, PacketRows, ShardHash, Unpack}
import windrow.spark.rows.Rows
import windrow.{CheckpointError, ErrorConditions, Positions, SpecError, SpecProblem, TimeSpan, WindowKind}

/** Reads the state of a query from its checkpoint; see [[windrow.spark.State]]. Bounds are literals here, and null
  * means no bound.
  */
private[spark] final class StateReader private (session: SparkSession, path: String, stored: () => StoredState) {
  import StateReader._

  /** Reads a checkpoint.
    *
    * @param operator
    *   the name of the operator's stream, or its number; None for the only one
    * @param whole
    *   whether a join is one operator, regardless of which of its streams is named
    */
  def this(session: SparkSession, path: String, operator: Option[String], whole: Boolean = false) =
    this(session, path, new LastState(session, path, operator, whole))

  /** Reads operators that are in memory. */
  def this(session: SparkSession, held: Seq[StoredOperator], operator: Option[String]) = this(
    session,
    StoredOperator.InMemory,
    () =>
      Checkpoint.chosen(
        held.zipWithIndex.map(_.swap).map { case (i, one) => i.toLong -> one },
        StoredOperator.InMemory,
        operator))

  private implicit val bytes: Encoder[Array[Byte]] = Encoders.BINARY
  private implicit val int: Encoder[Int]           = Encoders.scalaInt

  SparkInside.addStrategy(session, PackStrategy(session))

  stored() // reports a wrong path immediately

  /** Recommends a lateness that would have included this share of the rows (SEMANTICS S15). */
  def advise(share: Double): Advice = {
    def wrong(condition: String, parameters: (String, Any)*) =
      SpecError("advise(...)", Seq(SpecProblem(condition, parameters: _*)))
    if (!(share > 0 && share <= 1)) throw wrong("SHARE_NOT_UNDERSTOOD", "value" -> share)
    val state = stored()
    lazy val counts = {
      val all = new LatenessCounts
      state.operator.values(None, _ => false).collect().foreach(value => all.add(LatenessCounts.of(value.bytes)))
      all
    }
    def ofWindows(window: WindowKind, lateness: Distance[Axis.Time]) =
      if (Advice.knows(window)) Advice.of(window, TimeSpan(lateness.value), counts, share)
      else throw wrong("ADVICE_NOT_KEPT", "what" -> window)
    state.descriptor.holds match {
      case held: StateDescriptor.Aggregates => ofWindows(held.window, held.spec.latenessInTime)
      case held: StateDescriptor.Messages   => ofWindows(held.window, held.spec.latenessInTime)
      case held: StateDescriptor.KeyedState => Advice.ofRows(held.of.within, held.of.lateness, counts, share)
      case StateDescriptor.JoinState(join, _) =>
        val late = new JoinLateness(join.spec)
        if (!late.isKnown) throw wrong("ADVICE_NOT_KEPT", "what" -> "a join that is bounded only by its retention")
        Advice.ofRows(late.span, TimeSpan(join.spec.latenessInTime.value), counts, share)
    }
  }

  def getWindows(start: Literal, end: Literal, keyValues: Map[String, Literal]): DataFrame = {
    val state      = stored()
    val descriptor = state.descriptor
    val held       = windowed(descriptor)
    val arguments  = new Arguments(descriptor)
    val key        = arguments.keys("getWindows", Nil, keyValues, Map.empty)._1
    val question =
      Question(key, arguments.windowBound(held.window, "start", start), arguments.windowBound(held.window, "end", end))
    held match {
      case held: StateDescriptor.Aggregates =>
        val read   = resolved(descriptor, held)
        val values = StructType(read.values.map(one => StructField(one.name, one.dataType)))
        val answer = Answer.Windows(held.window, descriptor.timeType, values, descriptor.keys)
        val rows   = answered(state, question, answer)(ofAggregates(held, read))
        val own    = rows.row.size - read.values.size
        val at     = AttributeMap(read.keys.zip(rows.positions) ++ read.values.zip(rows.row.drop(own)))
        val results = read.results.map(column =>
          Alias(SparkInside.unnamed(column).transform { case a: Attribute => at.getOrElse(a, a) }, column.name)())
        table(rows, keyed(descriptor, rows) ++ rows.row.take(own) ++ results, rows.bounds)
      case held: StateDescriptor.Messages =>
        val answer = Answer.Windows(held.window, descriptor.timeType, Answer.Count, descriptor.keys)
        val rows   = answered(state, question, answer)(new FullStateReader(held.spec, _))
        table(rows, keyed(descriptor, rows) ++ rows.row, rows.bounds)
    }
  }

  def getMessages(
      start: Literal,
      end: Literal,
      by: Map[String, Literal],
      keyValues: Map[String, Literal]): DataFrame = {
    val state      = stored()
    val descriptor = state.descriptor
    val axis       = axisOf(start, end)
    val declared   = declaredOf(descriptor, axis)
    val arguments  = new Arguments(descriptor)
    val (key, row) = arguments.keys("getMessages", declared, keyValues, by)
    val question   = Question(key, arguments.bound(axis, "start", start), arguments.bound(axis, "end", end), row)
    val rows = descriptor.holds match {
      case held: StateDescriptor.Messages =>
        val answer = Answer.Messages(held.message, axis, held.indexed.map(held.message.fieldIndex))
        answered(state, question, answer)(new FullStateReader(held.spec, _))
      case held: StateDescriptor.JoinState =>
        answered(state, question, Answer.Messages(held.side.message, axis, Nil))(new JoinSideReader(held, _))
      case held: StateDescriptor.KeyedState if held.of.storesRows =>
        answered(state, question, Answer.Messages(held.message, axis, Nil))(KeyReader.of(held.of))
      case _ => throw noMessages(descriptor)
    }
    val order = if (axis == Axis.Time) rows.positions else Seq(rows.positions(3), rows.positions(1), rows.positions(2))
    table(rows, rows.row.map(column => Alias(column, column.name)()), order)
  }

  /** Returns the stored keys of an operator without windows, and the size of their state. */
  def getKeys(keyValues: Map[String, Literal]): DataFrame = {
    val state      = stored()
    val descriptor = state.descriptor
    val key        = new Arguments(descriptor).keys("getKeys", Nil, keyValues, Map.empty)._1
    descriptor.holds match {
      case held: StateDescriptor.KeyedState =>
        val answer = KeyAnswer.StoredKeys(held.of, descriptor.timeType, descriptor.keys)
        val rows   = answered(state, Question(key, None, None), answer)(KeyReader.of(held.of))
        val order  = rows.positions.filter(key => RowOrdering.isOrderable(key.dataType))
        table(rows, keyed(descriptor, rows) ++ rows.row, order)
      case _ => throw new CheckpointError(
          ErrorConditions.message("KEYS_NOT_LISTED", "operator" -> descriptor.name, "path" -> path))
    }
  }

  def pending(): DataFrame = {
    val state      = stored()
    val descriptor = state.descriptor
    val all        = Question(None, None, None)
    def firings(window: WindowKind)(open: ShardStore => WindowReader) = {
      val rows = answered(state, all, Answer.Firings(window, descriptor.timeType, descriptor.keys))(open)
      (rows, rows.row.takeRight(2) ++ rows.bounds)
    }
    val (rows, order) = descriptor.holds match {
      case held: StateDescriptor.Aggregates => firings(held.window)(ofAggregates(held, resolved(descriptor, held)))
      case held: StateDescriptor.Messages   => firings(held.window)(new FullStateReader(held.spec, _))
      case held: StateDescriptor.JoinState =>
        val rows = answered(state, all, Answer.ComingRows(held.join))(new JoinSideReader(held, _))
        (rows, rows.row.takeRight(2) ++ rows.positions.drop(descriptor.keys.size))
      case held: StateDescriptor.KeyedState =>
        val rows =
          answered(state, all, KeyAnswer.Deadlines(held.of, held.message, descriptor.keys))(KeyReader.of(held.of))
        (rows, rows.row.takeRight(1) ++ rows.positions.drop(descriptor.keys.size))
    }
    table(rows, keyed(descriptor, rows) ++ rows.row, order)
  }

  def restartOffsets(): DataFrame = {
    val state = stored()
    val all   = Question(None, None, None)
    val rows = state.descriptor.holds match {
      case held: StateDescriptor.Messages  => answered(state, all, Answer.Offsets)(new FullStateReader(held.spec, _))
      case held: StateDescriptor.JoinState => answered(state, all, Answer.Offsets)(new JoinSideReader(held, _))
      case _                               => throw noMessages(state.descriptor)
    }
    val part  = rows.row.take(2)
    val least = Alias(Min(rows.row(2)).toAggregateExpression(), "kept")()
    val after = Alias(Max(rows.row(3)).toAggregateExpression(), "next")()
    val each  = Aggregate(part, part ++ Seq(least, after), rows.plan)
    val from  = KnownNotNull(Coalesce(Seq(least.toAttribute, after.toAttribute)))
    frame(sorted(part, Project(part :+ Alias(from, "offset")(), each)))
  }

  // ---- stored state

  private def windowed(descriptor: StateDescriptor): StateDescriptor.WindowState = descriptor.holds match {
    case held: StateDescriptor.WindowState => held
    case _: StateDescriptor.JoinState      => throw refusal("NO_WINDOWS.JOIN", descriptor)
    case _: StateDescriptor.KeyedState     => throw refusal("NO_WINDOWS.KEYS", descriptor)
  }

  private def refusal(condition: String, descriptor: StateDescriptor) = new CheckpointError(
    ErrorConditions.message(condition, "operator" -> descriptor.name, "path" -> path))

  /** Returns the columns by which stored rows are queried; if empty, they are the key columns. */
  private def declaredOf(descriptor: StateDescriptor, axis: Axis): Seq[(String, DataType)] = descriptor.holds match {
    case held: StateDescriptor.Messages  => held.indexed.map(name => name -> held.message(name).dataType)
    case held: StateDescriptor.JoinState => withoutOffsets(descriptor, axis, held.side.hasOffsets)
    case held: StateDescriptor.KeyedState if held.of.storesRows => withoutOffsets(descriptor, axis, held.hasOffsets)
    case _                                                      => throw noMessages(descriptor)
  }

  private def withoutOffsets(descriptor: StateDescriptor, axis: Axis, hasOffsets: Boolean) =
    if (axis == Axis.Time || hasOffsets) Nil
    else throw notUnderstood(
      "start and end",
      s"Whole numbers are offsets, but the rows of '${descriptor.name}' have no offsets. Pass times")

  private def noMessages(descriptor: StateDescriptor) = descriptor.holds match {
    case _: StateDescriptor.KeyedState => refusal("NO_MESSAGE_STORE.KEYS", descriptor)
    case _                             => refusal("NO_MESSAGE_STORE.CHECKPOINT", descriptor)
  }

  private def resolved(descriptor: StateDescriptor, held: StateDescriptor.Aggregates): RestoredAggregates =
    held.texts match {
      case Right(texts) => DamageGuard(path)(texts.resolve(session, descriptor.keys))
      case Left(unclear) => throw new CheckpointError(
          ErrorConditions.message(
            "AGGREGATE_NOT_READABLE",
            "operator" -> descriptor.name,
            "path"     -> path,
            "unclear"  -> unclear))
    }

  private def ofAggregates(held: StateDescriptor.Aggregates, read: RestoredAggregates): ShardStore => WindowReader = {
    val (spec, functions, ordered) = (held.spec, read.functions, held.ordered)
    AggregateReader(spec, functions, ordered, _)
  }

  // ---- questions

  /** The arguments of a query of the state, with the types of the descriptor. */
  private final class Arguments(descriptor: StateDescriptor) {

    /** Returns a key, and the values of the index columns as a row.
      *
      * @param declared
      *   the index columns; if empty, the key columns
      */
    def keys(
        asking: String,
        declared: Seq[(String, DataType)],
        keyValues: Map[String, Literal],
        by: Map[String, Literal]): (Option[Key], Option[Array[Byte]]) = {
      val named = new NamedValues(session, descriptor.keys.map(_.name), declared.map(_._1))
      val found = named(keyValues.toSeq, by.toSeq, None).fold(wrong => throw SpecError(asking, wrong), identity)
      (
        found.key.map(of => new Key(row(of, descriptor.keys.map(_.dataType)))),
        found.by.map(row(_, declared.map(_._2))))
    }

    private def row(named: ColumnValues[Literal], types: Seq[DataType]): Array[Byte] = {
      val values = named.values.zip(types).map { case (value, to) =>
        SparkInside.normalized(cast(named.argument, value, to))
      }
      UnsafeProjection.create(values).apply(InternalRow.empty).getBytes
    }

    def windowBound(window: WindowKind, argument: String, value: Literal): Option[Long] = {
      val byPosition = window.bounds == Positions
      if (value.value != null && isPosition(value) != byPosition)
        throw notUnderstood(
          argument,
          if (byPosition) s"$value is a time, but the bounds of $window are positions. Pass an integer"
          else s"$value is an integer, but the bounds of $window are times. Pass a time")
      bound(if (byPosition) Axis.Offset else Axis.Time, argument, value)
    }

    def bound(axis: Axis, argument: String, value: Literal): Option[Long] = Option.when(value.value != null)(
      cast(argument, value, if (axis == Axis.Offset) LongType else descriptor.timeType).value.asInstanceOf[Long])

    /** Converts a value to another type. Fails unless the conversion is lossless. */
    private def cast(argument: String, value: Literal, to: DataType): Literal = {
      val zone                             = Some(session.conf.get("spark.sql.session.timeZone"))
      def as(other: DataType, of: Literal) = SparkInside.inSession(session)(Cast(of, other, zone, EvalMode.TRY).eval())
      val read                             = Literal(as(to, value), to)
      val isWhole = comparable(value.dataType, to).forall(exact => as(exact, value) == as(exact, read))
      if (value.value != null && (read.value == null || !isWhole))
        throw notUnderstood(argument, s"'$value' cannot be converted to ${to.sql.toLowerCase(java.util.Locale.ROOT)}")
      read
    }

    /** Returns the type in which a conversion shows whether it lost anything; None for conversions to FLOAT or
      * DOUBLE, which round to the nearest value.
      */
    private def comparable(from: DataType, to: DataType): Option[DataType] = (from, to) match {
      case (_, FloatType | DoubleType)                                  => None
      case (FloatType | DoubleType, _: NumericType | BooleanType)       => Some(DoubleType)
      case (_: NumericType, BooleanType)                                => Some(DoubleType)
      case (_: NumericType | _: StringType, _: NumericType)             => Some(DecimalType(38, 18))
      case (_: StringType | TimestampType | TimestampNTZType, DateType) => Some(TimestampType)
      case _                                                            => None
    }
  }

  // ---- answers

  /** Returns the answers of all shards that can contain the key.
    *
    * @param open
    *   opens the stored state of a shard
    */
  private def answered[S](
      state: StoredState,
      question: Question,
      answer: Answer[S])(open: ShardStore => S): AnswerTable = {
    val shard =
      question.key.map(key => ShardHash(Rows.of(key.bytes, state.descriptor.keys.size), state.descriptor.shards))
    val values    = state.operator.values(shard, state.descriptor.holds.needs)
    val packed    = values.groupByKey(_.shard).flatMapGroups(new StoredAnswers(open, answer, question, path))
    val plan      = SparkInside.plan(packed.toDF())
    val positions = answer.under.map(AttributeReference("under", _)())
    val row       = answer.rowType.map(field => AttributeReference(field.name, field.dataType, field.nullable)())
    AnswerTable(
      positions,
      row,
      Unpack(plan.output.head, Seq(PacketRows(StoredAnswers.Kind, positions.size + row.size)), positions ++ row, plan))
  }

  private def table(rows: AnswerTable, columns: Seq[NamedExpression], order: Seq[Expression]): DataFrame =
    frame(Project(columns, sorted(order, rows.plan)))

  /** Sorts rows in one partition. Spark's global sort would read the state twice, once to determine bounds. */
  private def sorted(by: Seq[Expression], rows: LogicalPlan): LogicalPlan =
    Sort(by.map(SortOrder(_, Ascending)), global = false, Repartition(1, shuffle = true, rows))

  private def frame(plan: LogicalPlan): DataFrame = SparkInside.frame(session, plan)
}

private object StateReader {

  /** The columns of a place, the columns of a row, and the plan that returns both. */
  private final case class AnswerTable(positions: Seq[Attribute], row: Seq[Attribute], plan: LogicalPlan) {

    /** Start and end of the window, and its name if there are several. */
    def bounds: Seq[Expression] = {
      val (window, name) = (row.filter(_.name == "window"), row.filter(_.name == OutputColumns.WindowName))
      Seq(0, 1).map(GetStructField(window.head, _)) ++ name
    }
  }

  private def isPosition(value: Literal): Boolean = value.dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _                                             => false
  }

  private def axisOf(start: Literal, end: Literal): Axis =
    Seq(start, end).filter(_.value != null).map(isPosition).distinct match {
      case Seq(true) => Axis.Offset
      case Seq(_, _) => throw notUnderstood("start and end", "One is an offset, the other a time. Pass two of a kind")
      case _         => Axis.Time
    }

  private def notUnderstood(argument: String, why: String): SpecError =
    SpecError(argument, Seq(SpecProblem("VALUE_NOT_UNDERSTOOD", "why" -> why)))

  private def keyed(descriptor: StateDescriptor, rows: AnswerTable): Seq[NamedExpression] =
    descriptor.keys.zip(rows.positions).map { case (field, column) => Alias(column, field.name)() }
}
