package org.apache.spark.sql.windrow

import java.io.InputStream
import java.time.ZoneId
import java.util.UUID
import net.jpountz.lz4.{LZ4BlockInputStream, LZ4Factory}
import net.jpountz.xxhash.XXHashFactory
import org.apache.hadoop.conf.Configuration
import org.apache.spark.io.{CompressionCodec, LZ4CompressionCodec}
import org.apache.spark.rdd.{InputFileBlockHolder, RDD}
import org.apache.spark.sql.catalyst.analysis.{Resolver, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{
  Alias, Attribute, Cast, Expression, Literal, UnaryExpression, UnsafeRow
}
import org.apache.spark.sql.catalyst.optimizer.{InsertMapSortInRepartitionExpressions, NormalizeFloatingNumbers}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, Project, RepartitionByExpression}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.catalyst.{InternalRow, QueryPlanningTracker, TableIdentifier}
import org.apache.spark.sql.execution.{SparkStrategy, UnsafeFixedWidthAggregationMap}
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.util.SchemaUtils
import org.apache.spark.sql.{Column, DataFrame, Row, SparkSession, SparkSessionExtensions, classic}
import org.apache.spark.{Partition, Partitioner, SparkContext, SparkEnv, TaskContext}
import scala.reflect.ClassTag
import scala.util.Try
import windrow.core.time.Watermark
import windrow.spark.version.SparkVersion

/** All access of Windrow to Spark's internals. No other file uses them. Tested with every supported Spark version. */
object SparkInside {

  private val QueryId = "sql.streaming.queryId"
  private val BatchId = "streaming.sql.batchId"

  /** Returns the options that are set on a session builder, or none if they cannot be read. */
  def options(builder: SparkSession.Builder): scala.collection.Map[String, String] =
    Try(call(builder, "options").asInstanceOf[scala.collection.Map[String, String]]).getOrElse(Map.empty)

  /** Returns the format of a table in Spark's own catalog, or None for a table of another catalog. */
  def provider(session: SparkSession, table: String): Option[String] = {
    val state = session.asInstanceOf[classic.SparkSession].sessionState
    val names = state.sqlParser.parseMultipartIdentifier(table)
    val own   = if (names.headOption.contains("spark_catalog")) names.drop(1) else names
    if (own.size > 2) None
    else Try(state.catalog.getTableMetadata(TableIdentifier(own.last, own.dropRight(1).lastOption))).toOption
      .flatMap(_.provider)
  }

  /** Returns the time zone of the session. */
  def zone(session: SparkSession): ZoneId =
    DateTimeUtils.getZoneId(session.asInstanceOf[classic.SparkSession].sessionState.conf.sessionLocalTimeZone)

  /** Returns the file systems' configuration with the settings of the session. */
  def hadoop(session: SparkSession): Configuration =
    session.asInstanceOf[classic.SparkSession].sessionState.newHadoopConf()

  /** Returns the watermark of the micro-batch that this thread is planning, [[Watermark.None]] before the first one, or
    * None if it is unknown. Uses reflection, because the class differs between Spark versions.
    */
  def watermark: Option[Watermark] = ofMicroBatch("batchWatermarkMs").map(SparkWatermark(_))

  /** Returns the processing time of the micro-batch that this thread is planning, in microseconds, or None if it is
    * unknown.
    */
  def processingTime: Option[Long] = ofMicroBatch("batchTimestampMs").map(_ * 1000)

  /** Returns the present time of a run's processing-time clock, in milliseconds, or None if it is unknown. */
  def clock(run: AnyRef): Option[Long] =
    Try(call(call(run, "triggerClock"), "getTimeMillis").asInstanceOf[Long]).toOption

  /** Returns the run whose micro-batch this thread is planning, or None if it is unknown. */
  def planning: Option[AnyRef] = for {
    active <- SparkSession.getActiveSession.map(_.asInstanceOf[classic.SparkSession])
    id     <- Option(active.sparkContext.getLocalProperty(QueryId))
    run    <- Try(running(active).get(UUID.fromString(id))).toOption.flatMap(Option(_))
  } yield run

  /** Returns the running queries by their ids. Their class is in another package in Spark 4.0. */
  private def running(session: classic.SparkSession): java.util.Map[UUID, AnyRef] =
    session.sharedState.activeStreamingQueries.asInstanceOf[java.util.Map[UUID, AnyRef]]

  private def ofMicroBatch(millis: String): Option[Long] = for {
    query <- planning
    found <- Try {
      val context = call(query, "getLatestExecutionContext")
      call(call(context, "offsetSeqMetadata"), millis).asInstanceOf[Long]
    }.toOption
  } yield found

  private def call(target: AnyRef, method: String): AnyRef = target.getClass.getMethod(method).invoke(target)

  /** Makes the query and the micro-batch known to the tasks of an RDD, because `transformWithState` reads both there.
    * They are otherwise unknown if another thread than the query's runs the job, as in Spark Connect's `foreachBatch`.
    */
  def inMicroBatch[T: ClassTag](rdd: RDD[T]): RDD[T] = {
    val known = Seq(QueryId, BatchId).flatMap(name => Option(rdd.sparkContext.getLocalProperty(name)).map(name -> _))
    if (known.isEmpty) rdd else new MicroBatchRdd(rdd, known)
  }

  private final class MicroBatchRdd[T: ClassTag](parent: RDD[T], known: Seq[(String, String)]) extends RDD[T](parent) {
    override val partitioner: Option[Partitioner] = parent.partitioner

    override protected def getPartitions: Array[Partition] = parent.partitions

    override def compute(split: Partition, context: TaskContext): Iterator[T] = {
      known.foreach { case (name, value) => context.getLocalProperties.setProperty(name, value) }
      parent.iterator(split, context)
    }
  }

  /** The query, its run, and the micro-batch for which this thread plans a job. */
  final case class MicroBatch(query: String, run: String, number: String)

  /** Returns the micro-batch, or None outside of the thread of a streaming query. */
  def microBatch(session: SparkSession): Option[MicroBatch] = {
    def known(name: String) = Option(session.sparkContext.getLocalProperty(name))
    for (query <- known(QueryId); number <- known(BatchId))
      yield MicroBatch(query, known(SparkContext.SPARK_JOB_GROUP_ID).getOrElse(""), number)
  }

  /** Normalizes a key as Spark does for grouping: the entries of maps in one order, one zero, one NaN. */
  def normalized(key: Expression): Expression = {
    val sorted = withSortedMaps(key)
    if (sorted eq key) NormalizeFloatingNumbers.normalize(key)
    else InterpretedExpression(NormalizeFloatingNumbers.normalize(sorted))
  }

  /** Returns a key as Spark's streaming deduplication compares it. Before Spark 4.2, -0.0 and 0.0 are different keys. */
  def deduplicated(key: Expression): Expression =
    if (SparkVersion.isSince42) normalized(key) else key

  /** Creates a hash table of the running task for rows of fixed width. It returns null for a new key if no more memory
    * is available.
    */
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

  /** Casts a column to a type with the same bytes in which only equal bytes are equal, because Spark's hash tables do
    * not support strings with a collation.
    */
  def binary(column: Expression): Expression = {
    val plain = SchemaUtils.replaceCollatedStringWithString(column.dataType)
    if (plain == column.dataType) column else Cast(column, plain)
  }

  /** Sorts the entries of maps. Spark does so when it partitions rows by a map. */
  private def withSortedMaps(key: Expression): Expression =
    InsertMapSortInRepartitionExpressions(RepartitionByExpression(Seq(key), LocalRelation(), None)) match {
      case sorted: RepartitionByExpression => sorted.partitionExpressions.head
      case _                               => key
    }

  /** Evaluates an expression without generated code, because Spark's generated code for sorting a map replaces null
    * values by values of other entries.
    */
  private final case class InterpretedExpression(child: Expression) extends UnaryExpression with CodegenFallback {
    override def dataType: DataType                                               = child.dataType
    override def nullable: Boolean                                                = child.nullable
    override def eval(input: InternalRow): Any                                    = child.eval(input)
    override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)
  }

  /** Runs Spark's analysis check on a plan that will not run unchanged.
    *
    * @throws org.apache.spark.sql.AnalysisException
    *   with the message that the written query would cause
    */
  def check(session: SparkSession, plan: LogicalPlan): Unit =
    session.asInstanceOf[classic.SparkSession].sessionState.analyzer.checkAnalysis(plan)

  /** Parses an SQL expression.
    *
    * @throws org.apache.spark.sql.catalyst.parser.ParseException
    *   if it is not one
    */
  def parse(session: SparkSession, text: String): Expression =
    session.asInstanceOf[classic.SparkSession].sessionState.sqlParser.parseExpression(text)

  /** Resolves the names in a plan.
    *
    * @throws org.apache.spark.sql.AnalysisException
    *   if a name or a type is wrong
    */
  def analyzed(session: SparkSession, plan: LogicalPlan): LogicalPlan = {
    val analyzer = session.asInstanceOf[classic.SparkSession].sessionState.analyzer
    inSession(session)(analyzer.executeAndCheck(plan, new QueryPlanningTracker))
  }

  /** Resolves a plan without checking that everything in it is resolved. */
  def resolved(session: SparkSession, plan: LogicalPlan): LogicalPlan =
    inSession(session)(session.asInstanceOf[classic.SparkSession].sessionState.analyzer.execute(plan))

  /** Optimizes a plan without planning it. */
  def optimized(session: SparkSession, plan: LogicalPlan): LogicalPlan =
    session.asInstanceOf[classic.SparkSession].sessionState.optimizer.execute(plan)

  /** Registers the table functions through the running Spark version, because function names differ between versions.
    */
  def registerTableFunctions(session: SparkSession, extensions: SparkSessionExtensions): Unit = {
    extensions.registerTableFunctions(session.asInstanceOf[classic.SparkSession].sessionState.tableFunctionRegistry)
    ()
  }

  /** Adds a planner strategy to a running session, once. */
  def addStrategy(session: SparkSession, strategy: SparkStrategy): Unit = {
    val experimental = session.asInstanceOf[classic.SparkSession].experimental
    if (!experimental.extraStrategies.exists(_.getClass == strategy.getClass))
      experimental.extraStrategies = experimental.extraStrategies :+ strategy
  }

  /** Whether the analyzer of a session applies a rule after all others. */
  def appliesLast(session: SparkSession, isRule: Rule[LogicalPlan] => Boolean): Boolean =
    session.asInstanceOf[classic.SparkSession].sessionState.analyzer.postHocResolutionRules.exists(isRule)

  def frame(session: SparkSession, plan: LogicalPlan): DataFrame =
    classic.Dataset.ofRows(session.asInstanceOf[classic.SparkSession], plan)

  /** Returns a table of rows. */
  def table(schema: StructType, rows: Seq[Row]): LogicalPlan =
    LocalRelation.fromExternalRows(DataTypeUtils.toAttributes(schema), rows)

  def plan(frame: DataFrame): LogicalPlan = frame.asInstanceOf[classic.Dataset[_]].logicalPlan

  /** Runs code that needs the active session and its settings, as Spark's expressions do. */
  def inSession[T](session: SparkSession)(code: => T): T = session.asInstanceOf[classic.SparkSession].withActive(code)

  /** Wraps an expression in a Column. */
  def column(expression: Expression): Column = classic.ExpressionUtils.column(expression)

  /** Returns a column of a plan, or a field of a struct, by its name. */
  def column(session: SparkSession, plan: LogicalPlan, name: String): Option[Expression] =
    plan.resolve(UnresolvedAttribute.parseAttributeName(name), resolver(session)).map(unnamed)

  /** Returns the value of a column without its name. */
  def unnamed(column: Expression): Expression = column match {
    case Alias(value, _) => value
    case value           => value
  }

  /** Returns the value of a column that does not depend on a row, or None if it depends on one. */
  def constant(session: SparkSession, column: Column): Option[Literal] =
    Try(plan(session.emptyDataFrame.select(column))).toOption.collect {
      case Project(Seq(Alias(value, _)), _) if value.foldable =>
        inSession(session)(Literal(value.eval(), value.dataType))
    }

  /** Opens a stream that one of Spark's codecs compressed, by the codec's short name. Damaged bytes cause an exception.
    * Spark's own LZ4 reader does not check them and accesses memory outside the JVM's heap.
    */
  def decompressed(codec: String, in: InputStream): InputStream =
    CompressionCodec.createCodec(SparkEnv.get.conf, codec) match {
      case _: LZ4CompressionCodec =>
        val checksum = XXHashFactory.safeInstance.newStreamingHash32(Lz4Seed).asChecksum
        new LZ4BlockInputStream(in, LZ4Factory.safeInstance.fastDecompressor, checksum, false)
      case other => other.compressedInputStream(in)
    }

  /** The seed of the checksums in LZ4 frames. */
  private val Lz4Seed = 0x9747b28c

  /** Returns the file that this task is reading and the byte offset of the task's part, or None if it reads no file. */
  def fileBeingRead: Option[(String, Long)] = {
    val path = InputFileBlockHolder.getInputFilePath
    Option.when(path.numBytes > 0)(path.toString -> InputFileBlockHolder.getStartOffset)
  }

  /** Returns the session's comparison of column names. */
  def resolver(session: SparkSession): Resolver =
    session.asInstanceOf[classic.SparkSession].sessionState.conf.resolver

  /** Returns the same fields, all nullable, including nested ones. */
  def nullable(schema: StructType): StructType = schema.asNullable
}
