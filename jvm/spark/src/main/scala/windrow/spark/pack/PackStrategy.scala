package windrow.spark.pack

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.ProjectExec
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.SparkStrategy
import org.apache.spark.sql.execution.aggregate.HashAggregateExec
import org.apache.spark.sql.windrow.SparkInside
import windrow.core.time.Watermark
import windrow.spark.aggregate.CarriesMessage
import windrow.spark.aggregate.SliceTime
import windrow.spark.join.JoinPack
import windrow.spark.join.JoinPackExec

/** Plans [[Pack]] and [[Unpack]]; combining is Spark's own partial aggregation. */
final case class PackStrategy(session: SparkSession) extends SparkStrategy {

  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case Unpack(packed, output, child) => UnpackExec(packed, output, planLater(child)) :: Nil
    case SortStep(shard, place, child) => SortStepExec(shard, place, planLater(child)) :: Nil
    case pack: Pack                    => planned(pack) :: Nil
    case pack: JoinPack =>
      JoinPackExec(pack, ReadCount(pack.metrics, Literal(1L), pack.end, planLater(pack.child))) :: Nil
    case _ => Nil
  }

  private def planned(pack: Pack): SparkPlan = {
    val watermark =
      if (!pack.child.isStreaming) Some(Watermark.None)
      else pack.recipe.behind.fold(SparkInside.watermark)(delay =>
        SparkInside.processingTime.map(now => Watermark(now - delay.micros)))
    val keys    = pack.keys.map(SparkInside.normalized)
    val isOver  = pack.until.exists(_.hasEnd(session.sessionState.newHadoopConf()))
    val carries = CarriesMessage(pack, if (isOver) Some(Watermark.End) else watermark.map(leaving))
    val slice =
      pack.recipe.windows.flatMap(spec => SliceTime.of(spec, pack.time)).filter(_ =>
        pack.recipe.shuffle.combined && canCombine(pack))
    slice.fold[SparkPlan] {
      val lift = PackLift.Each(pack.recipe.functions, pack.inputs)
      PackExec(
        keys,
        pack.time,
        pack.gap,
        pack.sender,
        pack.pane,
        carries,
        CreateStruct(pack.message),
        pack.end,
        lift,
        pack.recipe,
        pack.output,
        ReadCount(pack.metrics, Literal(1L), pack.end, planLater(pack.child)))
    }(combined(pack, keys, carries, _))
  }

  /** With what may have left before this run, or before now if it is not known since when it runs. */
  private def leaving(watermark: Watermark): Watermark =
    watermark.copy(left = RunStart.watermark(watermark).getOrElse(watermark).micros)

  private def canCombine(pack: Pack): Boolean =
    Aggregate.supportsHashAggregate(pack.recipe.functions.functions.flatMap(_.aggBufferAttributes), pack.keys)

  /** Messages by (key, slice); one that carries its row stays apart, with its own time. */
  private def combined(pack: Pack, keys: Seq[Expression], carries: Expression, of: Expression): SparkPlan = {
    val keyed   = keys.zipWithIndex.map { case (key, i) => Alias(key, s"key$i")() }
    val slice   = Alias(If(carries, pack.time, of), "slice")()
    val struct  = CreateStruct(pack.message)
    val raw     = Alias(If(carries, struct, Literal.create(null, struct.dataType)), "raw")()
    val values  = pack.inputs.zipWithIndex.map { case (input, i) => Alias(input, s"input$i")() }
    val end     = pack.end.map { case column: Attribute => column; case other => Alias(other, "end")().toAttribute }
    val project = ProjectExec(keyed ++ Seq(slice, raw) ++ end ++ values, planLater(pack.child))

    val counted    = AggregateExpression(Count(Literal(1)), Partial, isDistinct = false)
    val aggregates = counted +: pack.recipe.functions.over(values.map(_.toAttribute))
    val grouping   = (keyed ++ Seq(slice, raw)).map(_.toAttribute) ++ end
    val buffers    = aggregates.map(_.aggregateFunction.inputAggBufferAttributes)
    // Instances of a function have buffers of their own ids; from here on these names stand for them.
    val named = buffers.flatten.map(b => AttributeReference(b.name, b.dataType, b.nullable)())
    val partial = HashAggregateExec(
      None,
      isStreaming = false,
      None,
      grouping,
      aggregates,
      aggregates.flatMap(_.aggregateFunction.aggBufferAttributes),
      0,
      grouping ++ buffers.flatten,
      project)
    val renamed = ProjectExec(
      grouping ++ buffers.flatten.zip(named).map { case (from, to) => Alias(from, to.name)(to.exprId) },
      partial)
    PackExec(
      keyed.map(_.toAttribute),
      slice.toAttribute,
      Nil,
      Nil,
      Nil,
      IsNotNull(raw.toAttribute),
      raw.toAttribute,
      end,
      PackLift.Done(named.head, named.tail),
      pack.recipe,
      pack.output,
      ReadCount(pack.metrics, named.head, end, renamed))
  }
}
