package windrow.spark.join

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.windrow.SparkInside
import windrow._
import windrow.spark.input.{ColumnNames, InputReach, KeyCheck, StreamTable, WatermarkCheck}
import windrow.spark.output.{CountColumns, OperatorNames, OutputColumns}
import windrow.spark.panes.{ChainLag, Corrections, UpstreamPanes, UpstreamRows}
import windrow.spark.query.JoinDescriptor
import windrow.spark.shards.{GuardSettings, ShardPlan}

/** Replaces the tables that describe a join by the plan that runs it: each table is packed with its own watermark
  * ([[StreamTable]]), all packets go to the shards ([[ShardPlan]]), and [[JoinOutputs]] adds the columns of the output.
  */
private[spark] object JoinPlan {

  /** The windows that all streams share, if the rows show their bounds. */
  private def alignedOf(spec: JoinSpec): Option[WindowKind] = spec.within match {
    case same: Within.SameWindow => same.checked match {
        case _: SharedWindows.Aligned  => Some(same.window)
        case _: SharedWindows.Sessions => None
      }
    case Within.OwnWindows | Within.Everything | _: Within.Ranges | _: Within.AsOf => None
  }

  /** Plans a join.
    *
    * @param condition
    *   an additional condition over the rows of the inputs
    */
  def apply(
      session: SparkSession,
      options: JoinOptions,
      streams: Seq[StreamTable],
      condition: Option[Expression] = None): LogicalPlan = {
    val inputs = comparable(streams)
    val found  = ofStreams(options, inputs) ++ together(session, options, inputs)
    if (found.nonEmpty) throw SpecError("a join", found)
    planned(session, options, inputs, condition)
  }

  /** Returns the problems of each stream alone. */
  private[join] def ofStreams(options: JoinOptions, inputs: Seq[StreamTable]): Seq[SpecProblem] = {
    val spec = options.spec
    inputs.flatMap(one =>
      one.problems(spec.maxFuture, alignedOf(spec), options.behind.isDefined) ++ one.senderProblems) ++ waits(
      spec,
      inputs) ++ inputs.flatMap(one =>
      Corrections.kept(UpstreamPanes.of(one.table), "a join") ++
        UpstreamRows.of(one.table).flatMap(_.problem(aggregates = false)))
  }

  /** Returns the problems of streams that do not fit together. */
  private[join] def together(
      session: SparkSession,
      options: JoinOptions,
      inputs: Seq[StreamTable]): Seq[SpecProblem] =
    StreamTable.mixed(inputs) ++ ofKeys(options.on, inputs) ++
      ofNames(session, options.on, inputs, options.spec) ++
      (if (options.replaced.isDefined) Nil else WatermarkCheck.ofGreatest(session, inputs.map(_.marks).sum)) ++
      OperatorNames.taken(JoinOutputs.name(inputs.map(_.name)), inputs.map(_.table))

  /** Plans a join of streams without problems and with comparable keys. */
  private[join] def planned(
      session: SparkSession,
      options: JoinOptions,
      inputs: Seq[StreamTable],
      condition: Option[Expression]): LogicalPlan = {
    val spec    = options.spec
    val windows = alignedOf(spec)
    GuardSettings(session) // reports an invalid limit where the query is described
    val shards = if (spec.hasKeys) ShardPlan.shards(session) else 1
    val tables = inputs.map(_.watermarked(spec.maxFuture))
    val packs = inputs.zip(tables.zip(InputReach.ofAll(tables))).zipWithIndex.map {
      case ((input, (table, reach)), number) =>
        JoinPack.of(
          input,
          number,
          input.micros(spec.maxFuture, options.invalid),
          table,
          reach,
          shards,
          OutputColumns.metricsOfRead(JoinOutputs.name(inputs.map(_.name)), Some(input.name)))
    }
    val schema =
      new JoinSchema(
        inputs.head.keys.map(_.dataType),
        inputs.map(i => i.name -> i.schema).toIndexedSeq,
        windows,
        JoinSchema.isAsOf(spec))
    val fingerprint = JoinQueryFingerprint(spec, shards, options.on, inputs)
    val notes = Option.when(inputs.exists(_.table.isStreaming))(
      JoinDescriptor(spec, shards, keysOf(options.on, inputs.head), inputs.map(sideOf)))
    // A row of an inner join is a pair, so a filter of the output is sufficient.
    val filter  = condition.filter(_ => spec.how == JoinKind.Inner)
    val ofPair  = condition.filter(_ => spec.how != JoinKind.Inner).map(JoinCondition.ofPair(_, inputs))
    val program = new JoinProgram(spec, fingerprint, shards, schema, notes, options.behind, options.replaced, ofPair)
    val dropped = options.replaced.map(_ => CountColumns.TooLate)
    val lags    = ChainLag.most(inputs.map(lag))
    // A row at the watermark is late for Spark's join. Windrow's watermark is therefore one microsecond later.
    val behind = if (options.replaced.isDefined) new ChainLag.Lag(lags.value - 1) else lags
    val rows   = ShardPlan(Union(packs), program, System.currentTimeMillis * 1000, behind, dropped)
    JoinOutputs(session, options, inputs, filter, schema, rows)
  }

  private def lag(input: StreamTable): ChainLag.Lag = ChainLag.of(input.table, input.time)

  private def waits(spec: JoinSpec, inputs: Seq[StreamTable]): Seq[SpecProblem] =
    if (spec.lateness != TimeSpan.Zero || spec.within == Within.Everything) Nil
    else inputs.filter(lag(_).isEndless).map(one => ChainLag.unbounded(one.time).in(s"stream '${one.name}'"))

  private def keysOf(on: Seq[String], first: StreamTable): StructType = StructType(on.zip(first.keys).map {
    case (name, key) => StructField(name, key.dataType)
  })

  private def sideOf(input: StreamTable): JoinDescriptor.Side =
    JoinDescriptor.Side(input.schema, input.time.dataType, input.sender.nonEmpty)

  /** Makes the equality columns of all streams comparable, as Spark does. */
  private[join] def comparable(inputs: Seq[StreamTable]): Seq[StreamTable] = {
    val byField = inputs.map(_.keys).transpose.map(KeyCheck.comparable)
    if (byField.isEmpty) inputs
    else inputs.zip(byField.transpose).map { case (input, keys) => input.copy(keys = keys) }
  }

  /** Checks the types of the keys. Windrow compares the keys of several streams by their bytes. */
  private def ofKeys(on: Seq[String], inputs: Seq[StreamTable]): Seq[SpecProblem] = on.indices.flatMap { i =>
    val types = inputs.map(input => input.name -> input.keys(i).dataType)
    if (types.map(_._2.catalogString).distinct.size > 1)
      Some(KeyCheck.differing(s"on='${on(i)}'", types))
    else KeyCheck.joined(s"'${on(i)}'", inputs.head.keys(i))
  }

  private[join] def ofNames(
      session: SparkSession,
      on: Seq[String],
      inputs: Seq[StreamTable],
      spec: JoinSpec): Seq[SpecProblem] = {
    val resolver = SparkInside.resolver(session)
    val names    = inputs.map(_.name)
    val window = (on ++ names).filter(name =>
      spec.within.isInstanceOf[Within.SameWindow] && resolver(name, "window")).map(name =>
      SpecProblem(
        "NAME_TAKEN.WINDOW",
        "name" -> name)) ++
      (on ++ names).filter(JoinSchema.isAsOf(spec) && resolver(_, "pane")).map(name =>
        SpecProblem("NAME_TAKEN.ASOF", "name" -> name))
    val fields = on.indices.filter(i => on.take(i).exists(resolver(_, on(i)))).map(on).distinct.map(column =>
      SpecProblem("NAME_TWICE.EQUALITY", "name" -> column))
    val messages = inputs.flatMap(input =>
      ColumnNames.twice(
        resolver,
        s"the rows of '${input.name}'",
        input.message.map(_.name),
        "Rename or drop one of them before wr.stream(...)."))
    val rename = "Give one of the streams another name."
    fields ++ window ++ messages ++ ColumnNames.twice(resolver, "the joined rows", names, rename) ++
      on.filter(column => names.exists(resolver(_, column))).map(column =>
        SpecProblem("NAME_TAKEN.STREAM", "name" -> column, "argument" -> "on"))
  }
}
