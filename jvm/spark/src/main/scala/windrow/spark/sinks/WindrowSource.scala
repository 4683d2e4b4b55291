package windrow.spark.sinks

import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.execution.streaming
import org.apache.spark.sql.execution.streaming.sources.ForeachBatchSink
import org.apache.spark.sql.sources.{
  BaseRelation, CreatableRelationProvider, DataSourceRegister, RelationProvider, StreamSinkProvider
}
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.{DataFrame, Row, SQLContext, SaveMode}
import windrow.{SpecError, SpecProblem}

/** The format `windrow`, with which Python writes a query to its sinks, in classic Spark and in Spark Connect. A stream
  * writes micro-batches; a batch writes one micro-batch, which Python also passes to functions and has cached; a reader
  * carries the sinks to a table function.
  *
  * The option `windrow.secret` contains the sinks as JSON ([[SinkJson]]), because Spark shows options in its logs, plans
  * and web pages, except for those whose name contains `secret`.
  */
final class WindrowSource
    extends DataSourceRegister
    with StreamSinkProvider
    with CreatableRelationProvider
    with RelationProvider {
  import WindrowSource._

  def shortName(): String = "windrow"

  def createSink(
      context: SQLContext,
      parameters: Map[String, String],
      partitions: Seq[String],
      mode: OutputMode): streaming.Sink = new StreamSink(read(parameters))

  def createRelation(
      context: SQLContext,
      mode: SaveMode,
      parameters: Map[String, String],
      data: DataFrame): BaseRelation = {
    val sinks = read(parameters)
    sinks.writer.writeCached(data, parameters(Batch).toLong, parameters(First).toBoolean)
    new Carrier(context, sinks)
  }

  /** Accepts every type, because each sink checks the types itself. */
  override def supportsDataType(of: DataType): Boolean = true

  def createRelation(context: SQLContext, parameters: Map[String, String]): BaseRelation =
    new Carrier(context, read(parameters))
}

private[spark] object WindrowSource {
  private val Options = "windrow.secret"
  private val Batch   = "windrow.batch"
  private val First   = "windrow.first"

  private def read(parameters: Map[String, String]): SinkJson = SinkJson.read(parameters.getOrElse(
    Options,
    throw SpecError("format(\"windrow\")", Seq(SpecProblem("FORMAT_OF_START")))))

  /** Returns the sinks that a table carries. */
  def sinks(table: LogicalPlan): QuerySinks = table.collectFirst {
    case relation: LogicalRelation if relation.relation.isInstanceOf[Carrier] =>
      relation.relation.asInstanceOf[Carrier].settings.sinks
  }.get

  private final class Carrier(val sqlContext: SQLContext, val settings: SinkJson) extends BaseRelation {
    def schema: StructType        = StructType.fromDDL("kind string")
    override def toString: String = "Windrow"
  }

  /** Writes micro-batches as Spark's own `foreachBatch` does, and shows only the kinds of rows. */
  private final class StreamSink(settings: SinkJson) extends streaming.Sink {
    private val writer = settings.writer

    def addBatch(number: Long, data: DataFrame): Unit =
      new ForeachBatchSink[Row]((batch, number) => writer.write(batch, number), ExpressionEncoder(data.schema))
        .addBatch(number, data)

    override def toString: String = s"Windrow[${settings.sinks.stated.map(_.kind).mkString(", ")}]"
  }
}
