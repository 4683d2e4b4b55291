package windrow.spark.replay

import com.fasterxml.jackson.databind.ObjectMapper
import java.time.Instant
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import windrow.replay._
import windrow.{Reason, Timing}

/** Reads the rows of queries over the columns of [[StepInput]]. */
private[replay] object StepRows {

  def pane(row: Row, content: Row => Content): Emission.ContentPane = {
    val (start, end) = bounds(row.getAs[Row]("window"))
    val about        = row.getAs[Row]("pane")
    windrow.Pane(
      key(row),
      start,
      end,
      Timing.All.find(_.toString == about.getAs[String]("timing")).get,
      about.getAs[Long]("index"),
      about.getAs[Boolean]("is_last"),
      about.getAs[Boolean]("is_retraction"),
      content(row))
  }

  /** Returns the last two fields of a window of any kind. */
  def bounds(window: Row): (Long, Long) = {
    val all = (0 until window.size).takeRight(2).map(window.get)
    if (all.contains(null)) Emission.Everywhere
    else (bound(all.head), bound(all.last))
  }

  private def bound(cell: Any): Long = cell match {
    case time: Instant => micros(time)
    case position      => position.asInstanceOf[Long]
  }

  /** Reads a rejected row.
    *
    * @param streams
    *   the streams, for each of which the message has a struct; empty if there is only one stream
    */
  def rejected(row: Row, streams: Seq[String]): RejectedMessage = {
    val message = row.getAs[Row]("message")
    val stream  = streams.find(name => message.getAs[Row](name) != null)
    val of      = stream.fold(message)(message.getAs[Row](_))
    RejectedMessage(
      key(of),
      Option(of.getAs[Instant]("time")).map(micros),
      scalar(of),
      Reason.All.find(_.toString == row.getAs[String]("reason")).get,
      stream)
  }

  /** Reads a row as joins and full state show it. */
  def stored(message: Row): StoredValue = StoredValue(micros(message.getAs[Instant]("time")), scalar(message))

  def number(row: Row, field: String): Option[Long] =
    Option(row.getAs[Any](field)).map(_.asInstanceOf[Number].longValue)

  def key(row: Row): Scalar =
    Option(row.getAs[String]("key")).fold[Scalar](Value.Null)(cell => Scalar.fromJson(mapper.readTree(cell)).get)

  def scalar(message: Row): Scalar = value(message.getAs[Any]("value")) match {
    case scalar: Scalar => scalar
    case other          => throw new IllegalStateException(s"$other cannot be a value of a message")
  }

  def value(cell: Any): Value = cell match {
    case null                           => Value.Null
    case whole: Long                    => Value.Whole(whole)
    case text: String                   => Value.Text(text)
    case real: Double                   => Value.Real(real)
    case items: scala.collection.Seq[_] => Value.Items(items.map(value).toSeq)
    case other                          => throw new IllegalStateException(s"a transcript cannot contain $other")
  }

  def micros(time: Instant): Long = DateTimeUtils.instantToMicros(time)

  private val mapper = new ObjectMapper()
}
