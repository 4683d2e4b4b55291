package org.apache.spark.sql.windrow

import java.io.InputStream
import net.jpountz.lz4.LZ4BlockInputStream
import net.jpountz.lz4.LZ4Factory
import net.jpountz.xxhash.XXHashFactory
import java.util.UUID
import org.apache.spark.Partition
import org.apache.spark.Partitioner
import org.apache.spark.SparkEnv
import org.apache.spark.TaskContext
import org.apache.spark.io.CompressionCodec
import org.apache.spark.io.LZ4CompressionCodec
import org.apache.spark.rdd.InputFileBlockHolder
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.expressions.UnaryExpression
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.optimizer.InsertMapSortInRepartitionExpressions
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.catalyst.plans.logical.RepartitionByExpression
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.SparkStrategy
import org.apache.spark.sql.execution.UnsafeFixedWidthAggregationMap
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.SchemaUtils
import scala.reflect.ClassTag
import scala.util.Try
import windrow.core.time.Watermark

/** What windrow needs of Spark behind its public surface; nothing else reaches in (checked on every Spark version). */
object SparkInside {

  private val QueryId = "sql.streaming.queryId"
  private val BatchId = "streaming.sql.batchId"

  /** What a builder of sessions was told so far; none if it cannot be told. */
  def options(builder: SparkSession.Builder): scala.collection.Map[String, String] =
    Try(call(builder, "options").asInstanceOf[scala.collection.Map[String, String]]).getOrElse(Map.empty)

  /** The format of a table of Spark's own catalog; None: it is of another. */
  def provider(session: SparkSession, table: String): Option[String] = {
    val state = session.asInstanceOf[classic.SparkSession].sessionState
    val names = state.sqlParser.parseMultipartIdentifier(table)
    val own   = if (names.headOption.contains("spark_catalog")) names.drop(1) else names
    if (own.size > 2) None
    else Try(state.catalog.getTableMetadata(TableIdentifier(own.last, own.dropRight(1).lastOption))).toOption
      .flatMap(_.provider)
  }

  /** The watermark of the micro-batch that this thread is planning, [[Watermark.None]] before the first; None if it
    * cannot be told. Read by name, because its class changes between Spark versions.
    */
  def watermark: Option[Watermark] = ofMicroBatch("batchWatermarkMs").map(SparkWatermark(_))

  /** Of the micro-batch that this thread is planning, in microseconds; None if it cannot be told. */
  def processingTime: Option[Long] = ofMicroBatch("batchTimestampMs").map(_ * 1000)

  /** The run whose micro-batch this thread is planning; None if it cannot be told. */
  def planning: Option[AnyRef] = for {
    active <- SparkSession.getActiveSession.map(_.asInstanceOf[classic.SparkSession])
    id     <- Option(active.sparkContext.getLocalProperty(QueryId))
    run    <- Try(active.sharedState.activeStreamingQueries.get(UUID.fromString(id))).toOption.flatMap(Option(_))
  } yield run

  private def ofMicroBatch(millis: String): Option[Long] = for {
    query <- planning
    found <- Try {
      val context = call(query, "getLatestExecutionContext")
      call(call(context, "offsetSeqMetadata"), millis).asInstanceOf[Long]
    }.toOption
  } yield found

  private def call(target: AnyRef, method: String): AnyRef = target.getClass.getMethod(method).invoke(target)

  /** Tells its tasks which query and micro-batch they belong to, as `transformWithState` asks them. Where another thread
    * than the query's runs the job, as Spark Connect does inside `foreachBatch`, they would not know.
    */
  def inMicroBatch[T: ClassTag](rdd: RDD[T]): RDD[T] = {
    val known = Seq(QueryId, BatchId).flatMap(name => Option(rdd.sparkContext.getLocalProperty(name)).map(name -> _))
    if (known.isEmpty) rdd else new InMicroBatch(rdd, known)
  }

  private final class InMicroBatch[T: ClassTag](parent: RDD[T], known: Seq[(String, String)]) extends RDD[T](parent) {
    override val partitioner: Option[Partitioner] = parent.partitioner

    override protected def getPartitions: Array[Partition] = parent.partitions

    override def compute(split: Partition, context: TaskContext): Iterator[T] = {
      known.foreach { case (name, value) => context.getLocalProperties.setProperty(name, value) }
      parent.iterator(split, context)
    }
  }

  /** A key as Spark groups by it: the entries of maps in one order, one zero, one NaN. */
  def normalized(key: Expression): Expression = {
    val sorted = withSortedMaps(key)
    if (sorted eq key) NormalizeFloatingNumbers.normalize(key)
    else Interpreted(NormalizeFloatingNumbers.normalize(sorted))
  }

  /** A hash table of the task at work, of rows of fixed width by key; it gives null where there is no memory for more. */
  def hashTable(
      initial: UnsafeRow,
      buffers: Seq[Attribute],
      keys: Seq[Attribute],
      capacity: Int): UnsafeFixedWidthAggregationMap = new UnsafeFixedWidthAggregationMap(
    initial,
    DataTypeUtils.fromAttributes(buffers),
    DataTypeUtils.fromAttributes(keys),
    TaskContext.get(),
    capacity,
    SparkEnv.get.memoryManager.pageSizeBytes)

  /** The same bytes as a type by which only equal bytes are equal: Spark's hash tables take no text with a collation. */
  def binary(column: Expression): Expression = {
    val plain = SchemaUtils.replaceCollatedStringWithString(column.dataType)
    if (plain == column.dataType) column else Cast(column, plain)
  }

  /** Spark does it where rows are distributed by a map. */
  private def withSortedMaps(key: Expression): Expression =
    InsertMapSortInRepartitionExpressions(RepartitionByExpression(Seq(key), LocalRelation(), None)) match {
      case sorted: RepartitionByExpression => sorted.partitionExpressions.head
      case _                               => key
    }

  /** Evaluated without generated code: Spark's to sort a map gives null values those of other entries. */
  private final case class Interpreted(child: Expression) extends UnaryExpression with CodegenFallback {
    override def dataType: DataType                                               = child.dataType
    override def nullable: Boolean                                                = child.nullable
    override def eval(input: InternalRow): Any                                    = child.eval(input)
    override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)
  }

  /** Spark's own check of a plan that will not run as it is.
    *
    * @throws org.apache.spark.sql.AnalysisException
    *   in the words of the query that it was written as
    */
  def check(session: SparkSession, plan: LogicalPlan): Unit =
    session.asInstanceOf[classic.SparkSession].sessionState.analyzer.checkAnalysis(plan)

  /** A plan as Spark's optimizer leaves it, before it is planned. */
  def optimized(session: SparkSession, plan: LogicalPlan): LogicalPlan =
    session.asInstanceOf[classic.SparkSession].sessionState.optimizer.execute(plan)

  /** In the way of the running Spark version, which names functions differently from others. */
  def registerTableFunctions(session: SparkSession, extensions: SparkSessionExtensions): Unit = {
    extensions.registerTableFunctions(session.asInstanceOf[classic.SparkSession].sessionState.tableFunctionRegistry)
    ()
  }

  /** Has a running session plan with a strategy, once. */
  def addStrategy(session: SparkSession, strategy: SparkStrategy): Unit = {
    val experimental = session.asInstanceOf[classic.SparkSession].experimental
    if (!experimental.extraStrategies.exists(_.getClass == strategy.getClass))
      experimental.extraStrategies = experimental.extraStrategies :+ strategy
  }

  def frame(session: SparkSession, plan: LogicalPlan): DataFrame =
    classic.Dataset.ofRows(session.asInstanceOf[classic.SparkSession], plan)

  def plan(frame: DataFrame): LogicalPlan = frame.asInstanceOf[classic.Dataset[_]].logicalPlan

  /** Runs code that asks for the active session and its settings, as Spark's expressions do. */
  def inSession[T](session: SparkSession)(code: => T): T = session.asInstanceOf[classic.SparkSession].withActive(code)

  /** An expression where Spark wants a column. */
  def column(expression: Expression): Column = classic.ExpressionUtils.column(expression)

  /** A column of a plan by its name, which may go into structs. */
  def column(session: SparkSession, plan: LogicalPlan, name: String): Option[Expression] =
    plan.resolve(UnresolvedAttribute.parseAttributeName(name), resolver(session)).map {
      case Alias(nested, _) => nested
      case plain            => plain
    }

  /** The value of a column that needs no row; None: it needs one. */
  def constant(session: SparkSession, column: Column): Option[Literal] =
    Try(plan(session.emptyDataFrame.select(column))).toOption.collect {
      case Project(Seq(Alias(value, _)), _) if value.foldable =>
        inSession(session)(Literal(value.eval(), value.dataType))
    }

  /** What a codec of Spark's has compressed, by its short name. Damaged bytes end in an exception: Spark's own LZ4 trusts them,
    * outside of the JVM's memory.
    */
  def decompressed(codec: String, in: InputStream): InputStream =
    CompressionCodec.createCodec(SparkEnv.get.conf, codec) match {
      case _: LZ4CompressionCodec =>
        val checksum = XXHashFactory.safeInstance.newStreamingHash32(Lz4Seed).asChecksum
        new LZ4BlockInputStream(in, LZ4Factory.safeInstance.fastDecompressor, checksum, false)
      case other => other.compressedInputStream(in)
    }

  /** Of the checksums in LZ4's frames. */
  private val Lz4Seed = 0x9747b28c

  /** The file that this task is reading, and the byte at which its part begins; None: it reads none. */
  def fileBeingRead: Option[(String, Long)] = {
    val path = InputFileBlockHolder.getInputFilePath
    Option.when(path.numBytes > 0)(path.toString -> InputFileBlockHolder.getStartOffset)
  }

  /** How the session compares names of columns. */
  def resolver(session: SparkSession): Resolver =
    session.asInstanceOf[classic.SparkSession].sessionState.conf.resolver

  /** The same fields, all of which may be null, also inside. */
  def nullable(schema: StructType): StructType = schema.asNullable
}
