package windrow.spark.testing

import java.time.Instant
import java.time.temporal.ChronoUnit
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreePattern.CURRENT_LIKE
import org.apache.spark.sql.types.{DataType, IntegerType, StructField, StructType}
import org.apache.spark.sql.windrow.{ArrowTables, SparkInside}
import org.apache.spark.sql.{DataFrame, SparkSession}
import scala.collection.mutable
import windrow.spark.query.{AdviceRows, StateReader, StoredOperator}
import windrow.{SpecError, SpecProblem}

/** Runs a query in the calling thread, one micro-batch at a time, as Spark would: the watermark of a micro-batch is
  * that of the earlier ones. Input and output tables are Arrow streams. Not thread-safe.
  *
  * @param output
  *   a streaming DataFrame over folders of files, which are not read
  */
final class Rehearsal(session: SparkSession, output: DataFrame) {
  private val clock = new StepTime
  private val plan  = SparkInside.inSession(session)(new LocalPlan(SparkInside.optimized(session, fed(output))))

  private val waiting = mutable.HashMap.empty[String, mutable.Queue[InternalRow]]
  private val made    = mutable.ArrayBuffer.empty[InternalRow]
  private val schema  = StructType(StructField("step", IntegerType) +: output.schema.fields)

  private val marks     = mutable.ArrayBuffer.empty[Long]
  private var step      = 0
  private var watermark = 0L

  private def fed(output: DataFrame): LogicalPlan = {
    val leaves = SparkInside.plan(output).transformUp {
      case source @ FedSources(folder) => FedSource(folder, source.output)
    }
    leaves.transformAllExpressionsWithPruning(_.containsPattern(CURRENT_LIKE)) {
      case now: CurrentTimestampLike => StepMoment(clock, now.dataType, None)
      case local: LocalTimestamp     => StepMoment(clock, local.dataType, local.timeZoneId)
      case today: CurrentDate        => StepMoment(clock, today.dataType, today.timeZoneId)
    }
  }

  /** Provides rows for later steps, for the source with this folder. */
  def feed(folder: String, table: Array[Byte]): Unit = SparkInside.inSession(session) {
    val queue  = waiting.getOrElseUpdate(FedSources.folder(folder), mutable.Queue.empty)
    val fields = types(FedSources.folder(folder))
    val row    = UnsafeProjection.create(fields)
    ArrowTables.read(table)(read => queue += row(read).copy())
  }

  private lazy val types: Map[String, StructType] = {
    val found = Map.newBuilder[String, StructType]
    SparkInside.plan(output).foreach {
      case source @ FedSources(folder) => found += folder -> source.schema
      case _                           => ()
    }
    found.result()
  }

  /** Runs steps, given as a table with one row for each.
    *
    * @param steps
    *   columns `source` string, a folder; `count` long, how many of its provided rows to read; `now` long,
    *   milliseconds; `mark` long, the watermark that the step announces in microseconds, or null
    * @throws windrow.SpecError
    *   if an announced watermark is less than the present one
    */
  def run(steps: Array[Byte]): Unit = SparkInside.inSession(session) {
    try ArrowTables.read(steps) { row =>
        if (!row.isNullAt(3)) check(row.getLong(3))
        turn(FedSources.folder(row.getUTF8String(0).toString), row.getLong(1).toInt, row.getLong(2))
      }
    finally waiting.clear() // rows of the steps after a rejected one
  }

  private def check(mark: Long): Unit = if (mark < watermark * 1000)
    throw SpecError(
      "advanceWatermark(...)",
      Seq(SpecProblem("WATERMARK_BACK", "to" -> instant(mark), "watermark" -> instant(watermark * 1000))))

  private def instant(micros: Long): String = Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString

  private def turn(source: String, count: Int, millis: Long): Unit = {
    clock.millis = millis
    val mark = watermark
    marks += mark
    val come = waiting.get(source).fold(Vector.empty[InternalRow])(queue => Vector.fill(count)(queue.dequeue()))
    val turn = new Turn {
      def rows(of: String): Iterator[InternalRow] = if (of == source) come.iterator else Iterator.empty
      def watermark: Long                         = mark
      def now: Long                               = millis
    }
    val number = step
    plan.rows(turn).foreach(row => made += new JoinedRow(InternalRow(number), row.copy()))
    step += 1
    watermark = math.max(watermark, LocalWatermark.least(plan.watermarks, millis))
  }

  /** Returns the rows since the last call: `step`, from 0, and the columns of the query. */
  def outputs(): Array[Byte] = SparkInside.inSession(session) {
    val out = ArrowTables.write(schema, made.iterator)
    made.clear()
    out
  }

  /** The watermark in milliseconds; 0 before the first one. */
  def watermarkMillis: Long = watermark

  /** The watermark of each step, in order. */
  def watermarksOfSteps: String = marks.mkString(",")

  /** The number of watermarks in the query. */
  def watermarks: Int = plan.watermarks.size

  /** Forgets everything that is not stored. */
  def restart(): Unit = {
    plan.shards.foreach(_.restart())
    plan.watermarks.foreach(_.restart())
  }

  private def held: Seq[StoredOperator] = plan.shards.flatMap(shards =>
    shards.program.descriptor.map(about => StoredOperator.held(session, about, shards.stores)))

  /** Recommends a lateness that would have included this share of the rows, as rows. */
  def advise(share: Double): DataFrame = SparkInside.inSession(session)(
    SparkInside.frame(session, AdviceRows(new StateReader(session, held, None).advise(share))))

  /** Returns stored `windows`, `messages`, `keys` or `pending` firings.
    *
    * @param operator
    *   the name of a stream, or null for the only operator
    */
  def kept(what: String, operator: String): DataFrame = SparkInside.inSession(session) {
    val reader = new StateReader(session, held, Option(operator))
    val open   = Literal(null)
    what match {
      case "windows"  => reader.getWindows(open, open, Map.empty)
      case "messages" => reader.getMessages(open, open, Map.empty, Map.empty)
      case "keys"     => reader.getKeys(Map.empty)
      case _          => reader.pending()
    }
  }
}

/** The processing time of a step. */
private[testing] final class StepTime extends Serializable {
  var millis = 0L
}

/** Replaces a clock in a query. Like in Spark, it is constant within a micro-batch. */
private[testing] final case class StepMoment(clock: StepTime, dataType: DataType, timeZoneId: Option[String])
    extends LeafExpression
    with CodegenFallback {
  override def nullable: Boolean             = false
  override def eval(input: InternalRow): Any = CurrentBatchTimestamp(clock.millis, dataType, timeZoneId).toLiteral.value
}
