package windrow.spark.replay

import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.types.TimestampType
import windrow.FullStateSpec
import windrow.TupleWindows
import windrow.spark.state.State
import windrow.testkit._

/** Full state; what is asked of it is read from the checkpoint while the query runs. */
private[replay] final class FullStateStepQuery(
    session: SparkSession,
    transcript: TranscriptCase,
    spec: FullStateSpec,
    checkpoint: String)
    extends StepQuery(session, transcript, spec.window, checkpoint) {

  protected def operator(messages: DataFrame, marked: Seq[(String, String)]): DataFrame = applied(
    messages,
    { stream =>
      stream.putArray("key").add("key")
      marked.foreach { case (name, column) => stream.put(if (name == "offset") "offset_column" else name, column) }
    })

  protected def contents: Seq[Column] = Seq(transform(
    col("panes.messages"),
    message => struct(unix_micros(message("time")), message("value"))))

  protected def content(row: Row, at: Int): Content = Content.Messages(
    row.getSeq[Row](at).map(message => StoredValue(message.getLong(0), StepQuery.scalar(message.get(1)))))

  def ask(query: Query): Answer = query match {
    case Query.GetMessages(start, end, key, axis) =>
      val bound = if (axis == Query.ByTime) FullStateStepQuery.time(_) else FullStateStepQuery.position(_)
      Answer.Messages(asked(_.getMessages(bound(start), bound(end), sessionKey = keyed(key))).map(message))
    case Query.GetWindows(start, end, key) =>
      val bound = if (isByPosition) FullStateStepQuery.position(_) else FullStateStepQuery.time(_)
      val found = asked(_.getWindows(bound(Some(start)), bound(Some(end)), keyed(key))).map(window)
      Answer.Windows(found.sortBy(row => (row.start, row.end, row.key == Value.Null, row.key)))
    case Query.Counters => Answer.Counters(counters)
  }

  private val isByPosition = spec.window.isInstanceOf[TupleWindows]

  private def asked(question: State => DataFrame): Seq[Row] =
    if (isStarted) question(State(session, checkpoint, None)).collect().toSeq else Nil

  private def keyed(key: Option[Scalar]): Map[String, Literal] =
    key.map(one => "key" -> Literal(one.toJson.toString)).toMap

  private def message(row: Row): StoredMessage = StoredMessage(
    StepQuery.key(row.getAs[String]("key")),
    FullStateStepQuery.micros(row.getAs[java.sql.Timestamp]("time")),
    StepQuery.scalar(row.getAs[Any]("value")),
    Option(row.getAs[java.lang.Long]("offset")).map(_.longValue))

  private def window(row: Row): WindowRow = {
    val bounds = row.getAs[Row]("window")
    def bound(at: Int, otherwise: Long) = bounds.get(at) match {
      case null                     => otherwise
      case time: java.sql.Timestamp => FullStateStepQuery.micros(time)
      case position                 => position.asInstanceOf[Long]
    }
    WindowRow(
      StepQuery.key(row.getAs[String]("key")),
      bound(0, Emission.Everywhere._1),
      bound(1, Emission.Everywhere._2),
      Option(row.getAs[java.lang.Long]("first_offset")).map(_.longValue),
      Option(row.getAs[java.lang.Long]("last_offset")).map(_.longValue),
      row.getAs[Long]("count"))
  }
}

private object FullStateStepQuery {
  def time(micros: Option[Long]): Literal     = Literal.create(micros.map(Long.box).orNull, TimestampType)
  def position(offset: Option[Long]): Literal = Literal.create(offset.map(Long.box).orNull, LongType)

  def micros(time: java.sql.Timestamp): Long =
    Math.floorDiv(time.getTime, 1000L) * 1000000L + time.getNanos / 1000
}
