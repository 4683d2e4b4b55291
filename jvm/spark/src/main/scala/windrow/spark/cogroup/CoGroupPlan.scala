package windrow.spark.cogroup

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import windrow._
import windrow.spark.input.{CoGroupMarks, InputReach, KeyCheck, StreamTable, WholeNumber}
import windrow.spark.output.OutputColumns
import windrow.spark.watermark.EventWatermark

/** Combines several streams into one (SEMANTICS R56), which can be divided into windows like any other: one struct per
  * stream with its name, of which one is not null, and marked columns for time, keys and identity. Each stream keeps
  * its own watermark, and the least one applies. The source of a row belongs to its stream.
  */
private[spark] object CoGroupPlan {

  /** Combines the tables of the builders, one for each stream, with marked columns.
    *
    * @param streams
    *   names, and the watermarks that Windrow sets
    */
  def apply(
      session: SparkSession,
      streams: Seq[(String, Option[EventWatermark])],
      keys: Int,
      tables: Seq[LogicalPlan]): LogicalPlan = {
    val inputs = streams.zip(tables).map { case ((name, mark), table) => StreamTable.marked(name, table, keys, mark) }
    val found  = problems(inputs)
    if (found.nonEmpty) throw SpecError("a co-group", found)
    union(session, inputs, Nil)
  }

  /** Builds the union of the streams.
    *
    * @param shown
    *   names of the keys, if the columns of the input include them
    * @param behind
    *   the delay of a watermark that follows processing time, which the operator over the streams reads
    */
  def union(
      session: SparkSession,
      inputs: Seq[StreamTable],
      shown: Seq[String],
      behind: Option[TimeSpan] = None): LogicalPlan =
    Union(inputs.zip(tables(session, inputs)).map { case (one, table) => branch(one, table, inputs, shown, behind) })

  /** Returns the problems of the streams together.
    *
    * @param isClocked
    *   whether the watermark of all streams follows processing time
    */
  def problems(inputs: Seq[StreamTable], isClocked: Boolean = false): Seq[SpecProblem] = {
    val names = inputs.map(_.name)
    Seq(
      Option.when(names.size < 2)(
        SpecProblem("STREAMS_TOO_FEW.COGROUP", "count" -> names.size)),
      Option.when(names.distinct.size < names.size)(
        SpecProblem("STREAM_TWICE.COGROUP", "names" -> names.mkString(", ")))).flatten ++
      ofTime(inputs, isClocked) ++ inputs.flatMap(_.senderProblems) ++ StreamTable.mixed(inputs) ++ differing(
        inputs,
        inputs.map(_.keys.size).minOption.getOrElse(0))
  }

  /** Returns a problem for each stream without event time if others have one. If no stream has one, the operator checks
    * later whether its windows need event time and a watermark.
    */
  private def ofTime(inputs: Seq[StreamTable], isClocked: Boolean): Seq[SpecProblem] = {
    val (timed, timeless) = inputs.partition(_.hasTime)
    val isUnmarked        = inputs.forall(!_.hasWatermark)
    timed.flatMap(_.problems(None, isClocked = isClocked)).filterNot(isUnmarked && _.code == "NO_WATERMARK") ++
      timeless.filter(one => timed.nonEmpty || one.watermark.isDefined || isClocked).map(one =>
        SpecProblem("TIME_NOT_STATED.COGROUP", "stream" -> one.name))
  }

  private def differing(inputs: Seq[StreamTable], keys: Int): Seq[SpecProblem] = {
    def types(streams: Seq[StreamTable], column: StreamTable => Expression) =
      streams.map(one => one.name -> column(one).dataType)
    val ofTime = ("time", types(inputs.filter(_.hasTime), _.time), "TIME_TYPES_DIFFER")
    val ofKeys = (0 until keys).map(i => (s"key ${i + 1}", types(inputs, _.keys(i)), "KEY_TYPES_DIFFER.STREAMS"))
    (ofTime +: ofKeys).collect {
      case (what, all, condition) if all.map(_._2).distinct.size > 1 => KeyCheck.differing(what, all, condition)
    }
  }

  /** Adds the watermarks to the tables, and observes how far each input has advanced its watermark. */
  private def tables(session: SparkSession, inputs: Seq[StreamTable]): Seq[LogicalPlan] = {
    val marked = inputs.map(_.watermarked(None))
    val name   = inputs.map(_.name).mkString("_")
    inputs.zip(marked).zip(InputReach.ofAll(marked)).map { case ((input, table), reach) =>
      reach.fold(table)(InputReach.observed(session, _, OutputColumns.metricsOfInput(name, input.name), table))
    }
  }

  private def branch(
      of: StreamTable,
      table: LogicalPlan,
      all: Seq[StreamTable],
      shown: Seq[String],
      behind: Option[TimeSpan]): LogicalPlan = {
    val structs = all.map { other =>
      val struct   = CreateStruct(other.message)
      val nullable = struct.dataType
      val value =
        if (other eq of) If(Literal(true), struct, Literal.create(null, nullable)) else Literal.create(null, nullable)
      Alias(value, other.name)()
    }
    def part(at: Int) = of.sender.lift(at).fold[Expression](Literal.create(null, LongType))(WholeNumber(_))
    val time          = Option.when(all.exists(_.hasTime))("time" -> of.time)
    val sender =
      if (all.forall(_.sender.isEmpty)) Nil
      else Seq("source" -> of.sourceInQuery, "partition" -> part(0), "offset" -> part(1))
    val marks = time.toSeq ++ of.keys.zipWithIndex.map { case (key, i) => s"key$i" -> key } ++ sender
    Project(
      structs ++ shown.zip(of.keys).map { case (name, key) => CoGroupMarks.hidden(key, name) } ++
        marks.map { case (name, mark) => CoGroupMarks.hidden(mark, CoGroupMarks.Marker + name, behind) },
      table)
  }
}
