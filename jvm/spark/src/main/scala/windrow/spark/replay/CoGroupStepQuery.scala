package windrow.spark.replay

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.types.TimestampType
import windrow.CoGroupSpec
import windrow.Pane
import windrow.Session
import windrow.spark.Field
import windrow.spark.Offset
import windrow.spark.Windowed
import windrow.spark.Windrow
import windrow.testkit._

/** A co-group as a streaming query: an ordinary window query over the streams as one, which collects each of them. */
private[replay] final class CoGroupStepQuery(
    session: SparkSession,
    transcript: TranscriptCase,
    spec: CoGroupSpec,
    checkpoint: String)
    extends SteppedStreams(session, transcript, checkpoint) {
  private val names = spec.streams

  /** kind, key, start, end, timing, index, is_last, is_retraction; reason, stream, key, time, value of a rejected message;
    * lists
    */
  protected def output: DataFrame = {
    val streams = names.map(name =>
      Windrow.stream(
        messagesOf(name),
        "time",
        key = Seq("key"),
        offset = Option.when(hasOffsets)(Offset("key", "partition", "offset")),
        name = name))
    val lists = names.map(name =>
      collect_list(when(
        col(name).isNotNull,
        struct(unix_micros(col(s"$name.time")).as("time"), col(s"$name.value").as("value")))).as(s"of_$name"))
    val gap     = coalesce(names.map(name => col(s"$name.gap")): _*)
    val ofEach  = Option.when[Field](spec.window.window == Session.OfMessage)(gap)
    val grouped = Windowed(Windrow.cogroup(streams: _*), spec.window.draft, ofEach)
    flattened(grouped.aggregate(lists.head, lists.tail: _*).output)
  }

  private def flattened(output: DataFrame): DataFrame = {
    val bounds  = output.schema("panes").dataType.asInstanceOf[StructType]("window").dataType.asInstanceOf[StructType]
    val message = col("rejected.message")
    def lost(field: String) = coalesce(names.map(name => message(name)(field)): _*)
    output.select(
      Seq(col("kind"), col("panes.key")) ++
        Seq(bounds.head, bounds.last).map { field =>
          val bound = col(s"panes.window.${field.name}")
          if (field.dataType == TimestampType) unix_micros(bound) else bound
        } ++
        Seq("timing", "index", "is_last", "is_retraction").map(name => col(s"panes.pane.$name")) ++
        Seq(
          col("rejected.reason"),
          coalesce(names.map(name => when(message(name).isNotNull, lit(name))): _*),
          lost("key"),
          unix_micros(lost("time")),
          lost("value")) ++
        names.map(name => col(s"panes.of_$name")): _*)
  }

  protected def emission(rows: Seq[Row]): Emission = {
    val (panes, refused) = rows.partition(_.getString(0) == "panes")
    Emission(panes.map(pane), refused.map(rejected))
  }

  private def pane(row: Row): Emission.ContentPane = {
    def bound(at: Int, otherwise: Long) = if (row.isNullAt(at)) otherwise else row.getLong(at)
    Pane(
      StepQuery.key(row.getString(1)),
      bound(2, Emission.Everywhere._1),
      bound(3, Emission.Everywhere._2),
      StepQuery.timing(row.getString(4)),
      row.getLong(5),
      row.getBoolean(6),
      row.getBoolean(7),
      Content.ByStream(names.zipWithIndex.map { case (name, i) =>
        name -> row.getSeq[Row](13 + i).map(one => stored(one, 0).get)
      }.toMap))
  }

  private def rejected(row: Row): RejectedMessage = RejectedMessage(
    StepQuery.key(row.getString(10)),
    Option.unless(row.isNullAt(11))(row.getLong(11)),
    StepQuery.scalar(row.get(12)),
    StepQuery.reason(row.getString(8)),
    Some(row.getString(9)))
}
