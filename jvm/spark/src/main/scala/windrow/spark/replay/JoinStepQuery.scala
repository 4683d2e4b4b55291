package windrow.spark.replay

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions._
import windrow.JoinKind
import windrow.JoinSpec
import windrow.spark.Offset
import windrow.spark.Windrow
import windrow.testkit._

/** A join as a streaming query. */
private[replay] final class JoinStepQuery(
    session: SparkSession,
    transcript: TranscriptCase,
    spec: JoinSpec,
    checkpoint: String)
    extends SteppedStreams(session, transcript, checkpoint) {
  private val names  = spec.names
  private val inRows = if (Set[JoinKind](JoinKind.Semi, JoinKind.Anti)(spec.how)) names.take(1) else names

  /** kind, then time and value of each stream's message; stream, reason, and of a rejected one key, time, value */
  protected def output: DataFrame = {
    val on = if (spec.hasKeys) Seq("key") else Nil
    val streams = names.map(name =>
      Windrow.stream(
        messagesOf(name).withColumn("key", when(col("key") =!= "null", col("key"))), // a null equals nothing
        "time",
        offset = Option.when(hasOffsets)(Offset("key", "partition", "offset")),
        name = name))
    val lost = Seq("key", "time", "value").map(field =>
      coalesce(names.map(name => col(s"rejected.message.$name.$field")): _*))
    new windrow.spark.JoinOutput(spec, streams, on).output.select(
      Seq(col("kind")) ++ inRows.flatMap(name => shown(col(s"rows.$name"))) ++
        Seq(
          col("rejected.stream"),
          col("rejected.reason"),
          coalesce(lost.head, lit("null")),
          unix_micros(lost(1)),
          lost(2)): _*)
  }

  protected def emission(rows: Seq[Row]): Emission = {
    val (matched, refused) = rows.partition(_.getString(0) == "rows")
    val at                 = 1 + 2 * inRows.size
    Emission(
      rows = matched.map(row => inRows.zipWithIndex.map { case (name, i) => name -> stored(row, 1 + 2 * i) }.toMap),
      rejected = refused.map(row =>
        RejectedMessage(
          StepQuery.key(row.getString(at + 2)),
          Option.unless(row.isNullAt(at + 3))(row.getLong(at + 3)),
          StepQuery.scalar(row.get(at + 4)),
          StepQuery.reason(row.getString(at + 1)),
          Some(row.getString(at)))))
  }
}
