package windrow.spark.replay

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Row}
import windrow.replay._
import windrow.spark.{Field, JoinOutput, Windowed, Windrow}
import windrow.{CoGroupSpec, JoinKind, JoinSpec}

/** Runs a join. */
private[replay] final class JoinSteps(spec: JoinSpec) extends StepOperator {
  private val inRows =
    if (Set[JoinKind](JoinKind.Semi, JoinKind.Anti)(spec.how)) spec.names.take(1) else spec.names

  def output(input: StepInput): DataFrame = {
    val streams = spec.names.map { name =>
      val keyed = input.table(Some(name)).withColumn("key", when(col("key") =!= "null", col("key"))) // equals nothing
      Windrow.stream(keyed, "time", rowId = input.rowId, name = name)
    }
    new JoinOutput(spec, streams, if (spec.hasKeys) Seq("key") else Nil).output
  }

  def emission(rows: String => Seq[Row]): Emission = Emission(
    rows = rows("rows").map(row =>
      inRows.map(name => name -> Option(row.getAs[Row](name)).map(StepRows.stored)).toMap),
    rejected = rows("rejected").map(StepRows.rejected(_, spec.names)))
}

/** Runs a co-group: a window query over the combined streams that collects the rows of each of them. */
private[replay] final class CoGroupSteps(spec: CoGroupSpec) extends StepOperator {

  def output(input: StepInput): DataFrame = {
    val streams = spec.streams.map(name =>
      Windrow.stream(input.table(Some(name)), "time", key = Seq("key"), rowId = input.rowId, name = name))
    val lists  = spec.streams.map(name => collect_list(name).as(s"of_$name"))
    val gap    = coalesce(spec.streams.map(name => col(s"$name.gap")): _*)
    val ofEach = Option.when[Field](spec.window.window.rowValue.isOwn)(gap)
    Windowed(Windrow.cogroup(streams: _*), spec.window.draft, ofEach).aggregate(lists.head, lists.tail: _*).output
  }

  def emission(rows: String => Seq[Row]): Emission =
    Emission(rows("panes").map(StepRows.pane(_, content)), rows("rejected").map(StepRows.rejected(_, spec.streams)))

  private def content(pane: Row): Content = Content.ByStream(
    spec.streams.map(name => name -> pane.getSeq[Row](pane.fieldIndex(s"of_$name")).map(StepRows.stored).toSeq).toMap)
}
