package windrow.spark

import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.locks.ReentrantLock
import org.apache.spark.sql.functions.{col, count_if}
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.slf4j.LoggerFactory
import scala.annotation.nowarn
import scala.collection.mutable.ArrayBuffer
import scala.util.Try
import scala.util.control.NonFatal
import windrow.SpecProblem
import windrow.spark.jdbc.JdbcColumns
import windrow.spark.running.{
  BeforeStart, BoundedInput, Claim, EndMarkerWriter, FilesOf, ResumeCheck, Started, StoppedRun
}

/** The options of a start.
  *
  * @param drain
  *   whether the query ends with the input and then runs once more to complete every window
  */
private[spark] final case class HowToRun(
    checkpoint: String,
    trigger: Option[Trigger],
    drain: Boolean,
    name: Option[String]) {
  val isBounded: Boolean = trigger.contains(Trigger.AvailableNow())
}

/** Starts one query that writes each kind of rows to its sink. */
private[spark] object QueryStart {
  private val NoData = "spark.sql.streaming.noDataMicroBatches.enabled"

  /** Held by every start, because a start may change a setting of the session. */
  private[spark] val starting = new ReentrantLock

  /** The trigger of queries with periods if none is set. By default, Spark would start one empty micro-batch after
    * another.
    */
  private val Pace = Trigger.ProcessingTime("1 second")

  /** Checks the sinks and the checkpoint, then starts the query.
    *
    * @param output
    *   `kind`, and a struct for each kind
    * @param sinks
    *   the sinks by kind; rows of a kind without a sink are only counted
    * @param isInParts
    *   whether a pane contains only the rows that are new
    * @param wrong
    *   problems that the caller has found already
    */
  def apply(
      output: DataFrame,
      sinks: Seq[(String, Option[Sink])],
      how: HowToRun,
      isInParts: Boolean = false,
      wrong: Seq[SpecProblem] = Nil): StreamingQuery = {
    val stated  = sinks.collect { case (kind, Some(sink)) => kind -> sink }
    val found   = ofSinks(output, sinks.map(_._1), stated, isInParts) ++ wrong ++ ofEnd(how)
    val session = output.sparkSession
    val plan    = SparkInside.plan(output)
    val files   = stated.collect { case (kind, Files(path, format)) => FilesOf(kind, path, format) }
    val tables  = stated.collect { case (kind, Table(name)) => kind -> name }.toMap
    val looks = stated.filter { case (kind, _) => output.columns.contains(kind) }
      .map { case (kind, sink) => () => sink.verify(session, rowsOf(output, kind)) }
    val started = Started(how.checkpoint, how.drain, files, tables, how.name)
    BeforeStart.check(session, plan, started, found, looks).foreach(LoggerFactory.getLogger(getClass).warn(_))
    val hasPeriods   = ResumeCheck.hasPeriods(plan)
    val endsWithData = how.isBounded && hasPeriods
    def run(own: Seq[(String, Sink)])(rows: DataFrame, trigger: Option[Trigger]): StreamingQuery = {
      val isFirst = new AtomicBoolean(true)
      val writer = rows.writeStream.option("checkpointLocation", how.checkpoint)
        .foreachBatch((batch: DataFrame, number: Long) => write(batch, number, own, isFirst.getAndSet(false)))
      how.name.foreach(writer.queryName)
      trigger.foreach(writer.trigger)
      endingWithData(output, endsWithData)(writer.start())
    }
    making(session, how.checkpoint, files.map(_.path)) { (claim, made) =>
      stated.foreach { case (kind, sink) =>
        made ++= Some(sink).collect { case one: Upsert if !one.exists(session) => one.table }
        sink.check(session, rowsOf(output, kind))
      }
      val id  = claim.take(how.drain)
      val own = stated.map { case (kind, sink) => kind -> sink.of(id, how.checkpoint, kind) }
      if (how.drain) runToEnd(
        folder => SparkInside.frame(session, BoundedInput(session, plan, folder)),
        new EndMarkerWriter(session, how.checkpoint),
        how,
        run(own))
      else run(own)(output, how.trigger.orElse(Option.when(hasPeriods)(Pace)))
    }
  }

  /** Runs a start. If it fails, removes everything that it created before its query began.
    *
    * @param start
    *   adds each table that it creates to its second argument
    */
  private def making[T](session: SparkSession, checkpoint: String, folders: Seq[String])(
      start: (Claim, ArrayBuffer[String]) => T): T = {
    val claim   = new Claim(session, checkpoint, folders)
    val missing = claim.missing
    val made    = ArrayBuffer.empty[String]
    try start(claim, made)
    catch {
      case NonFatal(failed) =>
        if (claim.giveBack(missing))
          made.foreach(table => Try(session.sql("DROP TABLE IF EXISTS IDENTIFIER(:table)", Map("table" -> table))))
        throw failed
    }
  }

  /** Runs a query to the end of its input. `AvailableNow` reads only the input that existed at its start. The last
    * micro-batch reads the input that arrived since then: it runs with `Once`, which ignores the limits of a source. If
    * the first run was stopped, the end is not marked.
    */
  @nowarn("cat=deprecation")
  private def runToEnd(
      ended: String => DataFrame,
      end: EndMarkerWriter,
      how: HowToRun,
      run: (DataFrame, Option[Trigger]) => StreamingQuery): StreamingQuery = {
    val rows  = ended(end.folder)
    val first = Option.unless(end.isSignaled)(run(rows, how.trigger))
    first.foreach(_.awaitTermination())
    first.filter(_ => StoppedRun.isIn(rows.sparkSession, how.checkpoint)).getOrElse {
      if (first.isDefined) end.signal()
      run(rows, Some(Trigger.Once()))
    }
  }

  private def ofSinks(
      output: DataFrame,
      kinds: Seq[String],
      stated: Seq[(String, Sink)],
      isInParts: Boolean): Seq[SpecProblem] =
    Option.when(stated.isEmpty)(
      SpecProblem("SINK_NOT_STATED", "outputs" -> kinds.mkString("=, "))).toSeq ++
      Option.unless(output.isStreaming)(
        SpecProblem("NOT_STREAMING.INPUT", "output" -> kinds.head)) ++
      stated.map(_._1).filterNot(output.columns.contains).map(_ => SpecProblem("NO_EVENTS")) ++
      stated.collect {
        case (kind, _: Jdbc) if output.columns.contains(kind) =>
          JdbcColumns.clashes(kind, rowsOf(output, kind))
      }.flatten ++
      sharedTables(stated) ++
      stated.flatMap { case (kind, sink) => ofUpsert(output, kind, sink, isInParts) }

  private def sharedTables(stated: Seq[(String, Sink)]): Seq[SpecProblem] =
    stated.collect { case (kind, one: Jdbc) => kind -> (one.url, one.table) }.groupBy(_._2).collect {
      case ((_, table), several) if several.sizeIs > 1 =>
        SpecProblem("SINK_SHARED", "kinds" -> several.map(_._1).sorted.mkString(" and "), "place" -> table)
    }.toSeq

  private def ofEnd(how: HowToRun): Seq[SpecProblem] = Option.when(how.drain && !how.isBounded)(SpecProblem(
    "DRAIN_WITHOUT_END",
    "trigger" -> how.trigger.fold("not set")(_.toString))).toSeq

  private def rowsOf(output: DataFrame, kind: String): StructType =
    output.schema(kind).dataType.asInstanceOf[StructType]

  private def ofUpsert(output: DataFrame, kind: String, sink: Sink, isInParts: Boolean): Seq[SpecProblem] = sink match {
    case table: Upsert if kind == "panes" && isInParts => Seq(table.ofParts)
    case table: Upsert if kind == "panes" =>
      table.problems(output.sparkSession, rowsOf(output, kind))
    case table: Jdbc if kind == "panes" =>
      table.asUpsert.toSeq.flatMap(one =>
        if (isInParts) Seq(one.ofParts) else one.lacking(rowsOf(output, kind)))
    case table: KafkaTable if kind == "panes" =>
      val rows = rowsOf(output, kind)
      if (isInParts) Seq(table.asUpsert.ofParts) else table.asUpsert.lacking(rows) ++ table.asUpsert.competing(rows)
    case other: KafkaTable           => Seq(SpecProblem("UPSERT_NOT_OF_PANES", "kind" -> kind, "sink" -> other))
    case other: Upsert               => Seq(SpecProblem("UPSERT_NOT_OF_PANES", "kind" -> kind, "sink" -> other))
    case other: Jdbc if other.upsert => Seq(SpecProblem("UPSERT_NOT_OF_PANES", "kind" -> kind, "sink" -> other))
    case _                           => Nil
  }

  /** Writes one micro-batch to the sinks. Spark fails a micro-batch if a sink reads only some of its partitions,
    * because the state of the others would not be committed. The count reads all partitions.
    *
    * @param isFirst
    *   whether this is the first micro-batch since the start. It may repeat one that was written before with other
    *   rows.
    */
  private def write(batch: DataFrame, number: Long, sinks: Seq[(String, Sink)], isFirst: Boolean): Unit = {
    batch.persist()
    try {
      val counting = sinks.map { case (kind, _) => count_if(col("kind") === kind).as(kind) }
      val counts   = batch.select(counting: _*).head()
      sinks.zipWithIndex.foreach { case ((kind, sink), i) =>
        if (counts.getLong(i) > 0 || isFirst || sink.takesEmpty)
          sink.write(batch.where(col("kind") === kind).select(s"$kind.*"), number)
      }
    } finally { batch.unpersist(); () }
  }

  /** Turns off micro-batches without data while a bounded query with periods starts, because such a query would never
    * end otherwise. The setting belongs to the session, so a lock lets only one query start at a time: no other start
    * sees the setting.
    */
  private def endingWithData[T](output: DataFrame, needed: Boolean)(start: => T): T = {
    val conf = output.sparkSession.conf
    starting.lock()
    try {
      val before = conf.get(NoData)
      if (needed) conf.set(NoData, "false")
      try start
      finally if (needed) conf.set(NoData, before)
    } finally starting.unlock()
  }
}
