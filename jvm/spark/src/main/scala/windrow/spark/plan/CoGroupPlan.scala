package windrow.spark.plan

import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import scala.jdk.CollectionConverters._
import windrow._

/** Several streams as one (SEMANTICS R56), to be put into windows as any other: a struct for each stream by its name, one of
  * them not null, and marked columns for time, keys and identity. Each stream keeps its watermark, of which the least rules;
  * its name is the source of its messages.
  */
private[spark] object CoGroupPlan {

  /** Columns are not called as those of the tables: Spark's optimizer breaks a union of streams of which some only rename. */
  val Marker = "__windrow_of_"

  def isCoGroup(node: ObjectNode): Boolean = node.path("operator").asText == "cogroup"

  /** The builders' way: one table for each stream, with marked columns.
    *
    * `{"streams": [{"name", "watermark"?}], "keys": n}`, watermarks in microseconds
    */
  def marked(session: SparkSession, node: ObjectNode, tables: Seq[LogicalPlan]): LogicalPlan = {
    val streams = node.path("streams").elements.asScala.toSeq.map(stream =>
      stream.path("name").asText -> Option(stream.get("watermark")).filterNot(_.isNull).map(m => TimeSpan(m.asLong)))
    apply(session, streams, node.path("keys").asInt, tables)
  }

  /** @param streams
    *   names, and the watermarks that windrow sets
    */
  def apply(
      session: SparkSession,
      streams: Seq[(String, Option[TimeSpan])],
      keys: Int,
      tables: Seq[LogicalPlan]): LogicalPlan = {
    val names = streams.map(_._1)
    val wrong = Seq(
      Option.when(names.size < 2)(
        SpecProblem("STREAMS_TOO_FEW", s"a co-group of ${names.size} streams; say two or more.")),
      Option.when(names.distinct.size < names.size)(
        SpecProblem("STREAM_TWICE", s"the streams are ${names.mkString(", ")}."))).flatten
    val inputs = streams.zip(tables).map { case ((name, mark), table) => JoinInput.marked(name, table, keys, mark) }
    val found  = wrong ++ inputs.flatMap(_.problems(None)) ++ JoinPlan.mixed(inputs) ++ differing(inputs, keys)
    if (found.nonEmpty) throw SpecError("a co-group", found)
    Union(inputs.map(branch(session, _, inputs)))
  }

  private def differing(inputs: Seq[JoinInput], keys: Int): Seq[SpecProblem] =
    (("time", inputs.map(_.time)) +: (0 until keys).map(i => (s"key ${i + 1}", inputs.map(_.keys(i))))).flatMap {
      case (what, all) =>
        Option.when(all.map(_.dataType).distinct.size > 1)(SpecProblem(
          if (what == "time") "TIME_TYPES_DIFFER" else "KEY_TYPES_DIFFER",
          s"$what is ${inputs.zip(all).map { case (input, of) => s"${of.dataType.sql} in '${input.name}'" }.mkString(", ")}; " +
            "it must be of one type."))
    }

  private def branch(session: SparkSession, of: JoinInput, all: Seq[JoinInput]): LogicalPlan = {
    val structs = all.map { other =>
      val struct   = CreateStruct(other.message)
      val nullable = struct.dataType
      val value =
        if (other eq of) If(Literal(true), struct, Literal.create(null, nullable)) else Literal.create(null, nullable)
      Alias(value, other.name)()
    }
    def part(at: Int) = of.sender.lift(at).fold[Expression](Literal.create(null, LongType))(Cast(_, LongType))
    val marks = Seq("time" -> of.time) ++ of.keys.zipWithIndex.map { case (key, i) => s"key$i" -> key } ++
      Seq("source" -> Literal(of.name), "partition" -> part(0), "offset" -> part(1))
    Project(structs ++ marks.map { case (name, mark) => Alias(mark, Marker + name)() }, of.watermarked(session, None))
  }
}
