package windrow.benchmarks

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming._
import org.apache.spark.sql.{Encoder, Encoders}
import windrow.benchmarks.queries.{Feed, Question, Several}
import windrow.spark.shards.ShardPlan
import windrow.spark.{Windrow => explainer}

/** One way to answer a question. */
sealed trait Contender {
  def name: String
}

/** A contender in Spark. All of them read the same files and write to the same sink. */
sealed trait InSpark extends Contender {

  /** Returns the query, or None if the contender cannot answer the question. */
  def answer(question: Question, in: Feed): Option[Answer]

  /** Settings of Spark while its query starts. */
  def settings: Map[String, String] = Map.empty

  /** Whether its rows must equal those of the plain computation. */
  def answers: Boolean = true

  /** Whether it emits panes that others do not. */
  def bringsMore: Boolean = false
}

/** A contender in Flink, in a separate JVM.
  *
  * @param state
  *   the kind of state backend
  */
final case class InFlink(state: String) extends Contender {
  def name: String = s"flink-$state"
}

object Contender {
  val FlinkHeap: Contender    = InFlink("heap")
  val FlinkRocksDB: Contender = InFlink("rocksdb")

  /** Windrow with more panes than those on time. */
  val Early: Contender =
    WindrowWith(
      "windrow-early",
      "early => 'each_batch', lateness => '0 seconds', accumulation_mode => 'accumulating'",
      bringsMore = true)
  val Late: Contender =
    WindrowWith("windrow-late", "lateness => '60 seconds', accumulation_mode => 'accumulating'", bringsMore = true)
  val Retracting: Contender = WindrowWith(
    "windrow-retracting",
    "early => 'each_batch', lateness => '60 seconds', accumulation_mode => 'accumulating_and_retracting'",
    bringsMore = true)

  /** Windrow with messages that have an identity. */
  val Offsets: Contender = WindrowWith(
    "windrow-offsets",
    "lateness => '0 seconds', source => 'topic', partition => 'partition', offset => 'offset'",
    bringsMore = false)

  /** Windrow's table functions from PySpark. */
  case object Python extends Contender {
    val name = "windrow-python"
  }

  /** Whether its rows for all events must equal those of the others. */
  def comparable(contender: Contender, question: Question): Boolean = !question.corrects && (contender match {
    case inSpark: InSpark => inSpark.answers && !inSpark.bringsMore
    case _                => true
  })

  val all: Seq[Contender] =
    Seq(Windrow, SparkOwn, FlinkHeap, FlinkRocksDB, Early, Late, Retracting, Offsets, Apart, Python, Accelerated, Floor,
      Reading)
}

/** Windrow with its table functions. */
case object Windrow extends InSpark {
  val name = "windrow"

  def answer(question: Question, in: Feed): Option[Answer] = Some(Answer(question.windrow(in, question.options)))
}

/** Windrow with other options than the question's. */
final case class WindrowWith(name: String, options: String, override val bringsMore: Boolean) extends InSpark {
  def answer(question: Question, in: Feed): Option[Answer] = Some(Answer(question.windrow(in, options)))
}

/** Spark's built-in operators. */
case object SparkOwn extends InSpark {
  val name = "spark"

  def answer(question: Question, in: Feed): Option[Answer] =
    question.spark(in).map(Answer(_, if (question.corrects) "update" else "append"))
}

/** Windrow with a query for each of several windows. */
case object Apart extends InSpark {
  val name = "windrow-apart"

  def answer(question: Question, in: Feed): Option[Answer] = question match {
    case several: Several => Some(Answer(several.apart(in), reads = several.windows.size))
    case _                => None
  }
}

/** The text of Spark's built-in operators, run by Windrow. */
case object Accelerated extends InSpark {
  val name = "accelerated"

  override def settings: Map[String, String] = Map("spark.windrow.accelerate" -> "true")

  /** Returns no query if Windrow does not run all of its operators. */
  def answer(question: Question, in: Feed): Option[Answer] = SparkOwn.answer(question, in).filter { query =>
    val mode = if (query.mode == "update") OutputMode.Update() else OutputMode.Append()
    explainer.explainAcceleration(query.rows, mode).operators.forall(_.isAccelerated)
  }
}

/** The minimal cost of the engine: every event is sent to the shard of its key, where nothing is done. */
case object Floor extends InSpark {
  private implicit val shardEncoder: Encoder[Int]       = Encoders.scalaInt
  private implicit val eventEncoder: Encoder[Event]     = Encoders.product
  private implicit val nothingEncoder: Encoder[Boolean] = Encoders.scalaBoolean

  val name                      = "floor"
  override def answers: Boolean = false

  def answer(question: Question, in: Feed): Option[Answer] = Option.when(question.tables == Seq("events")) {
    val events = in.table("events")
    val shards = events.sparkSession.conf.get(ShardPlan.Setting, ShardPlan.Default.toString).toInt
    Answer(events
      .select(
        pmod(hash(col("key")), lit(shards)).as("shard"),
        unix_micros(col("ts")).as("micros"),
        col("key"),
        col("value"))
      .groupBy("shard").as[Int, Event]
      .transformWithState(new Idle, TimeMode.EventTime, OutputMode.Append)
      .toDF())
  }
}

final case class Event(micros: Long, key: Long, value: Long)

/** Consumes its rows and does nothing. */
final class Idle extends StatefulProcessor[Int, Event, Boolean] {
  def init(outputMode: OutputMode, timeMode: TimeMode): Unit = ()

  def handleInputRows(shard: Int, rows: Iterator[Event], timers: TimerValues): Iterator[Boolean] = {
    rows.foreach(_ => ())
    Iterator.empty
  }
}

/** Reads the events without processing. */
case object Reading extends InSpark {
  val name                      = "reading"
  override def answers: Boolean = false

  def answer(question: Question, in: Feed): Option[Answer] =
    Option.when(question.tables.size == 1)(Answer(in.table(question.tables.head)))
}
