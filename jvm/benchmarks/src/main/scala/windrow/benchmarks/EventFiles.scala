package windrow.benchmarks

import java.io.File
import java.nio.file.Files
import java.nio.file.Path
import org.apache.spark.sql.Column
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions._

/** How the events of a stream lie over time and keys; the same numbers give the same events, everywhere.
  *
  * @param keys
  *   how many there are
  * @param sessions
  *   None: every event has a key by chance. Else a key has `events` in equal distances, then rests for `rest` of them
  */
final case class Events(name: String, keys: Long, sessions: Option[Bursts] = None)

final case class Bursts(events: Long, rest: Long)

object Events {

  /** Event time between two events, in microseconds: 2,000 a second. */
  val MicrosApart = 500L

  /** 2024-01-01 00:00:00 UTC */
  private val FirstMicros = 1704067200000000L
  private val Seed        = 20240101L

  /** ts, key, value of the n-th event. */
  def columns(events: Events, n: Column): Seq[Column] = Seq(
    timestamp_micros(lit(FirstMicros) + n * MicrosApart).as("ts"),
    events.sessions.fold(chance(n, 1, events.keys))(inBursts(events, _, n)).as("key"),
    chance(n, 2, 1000).as("value"))

  private def chance(n: Column, what: Int, below: Long): Column = pmod(xxhash64(n, lit(Seed + what)), lit(below))

  /** Keys stand in groups that begin together. In a round each active key has one event; the rounds of a session follow
    * one another, and in every round one group begins and one ends.
    */
  private def inBursts(events: Events, bursts: Bursts, n: Column): Column = {
    val cycle  = bursts.events + bursts.rest
    val group  = events.keys / cycle
    val active = group * bursts.events
    require(group * cycle == events.keys, s"${events.keys} keys do not make groups for $cycle rounds")
    val round = floor(n / active)
    val place = pmod(n * 7919 + round * 104729, lit(active)) // 7919 is prime: another order in every round
    val begun = floor(place / group)
    pmod(begun - round, lit(cycle)) * group + pmod(place, lit(group))
  }
}

/** Events as Parquet files, written once into a folder and used again; two files make a micro-batch.
  *
  * @param folder
  *   where the folders of all streams are
  */
final class EventFiles(session: SparkSession, folder: Path) {

  /** @param count
    *   events in all, a multiple of `batch`
    * @param batch
    *   events in a micro-batch, even
    */
  def stream(events: Events, count: Long, batch: Long): DataFrame = session.readStream
    .schema("ts timestamp, key bigint, value bigint")
    .option("maxFilesPerTrigger", EventFiles.PerBatch)
    .parquet(made(events, count, batch).toString)

  def all(events: Events, count: Long, batch: Long): DataFrame =
    session.read.schema("ts timestamp, key bigint, value bigint").parquet(made(events, count, batch).toString)

  private def made(events: Events, count: Long, batch: Long): Path = {
    require(count % batch == 0 && batch % 2 == 0, s"$count events are no whole batches of $batch")
    val target = folder.resolve(s"${events.name}-$count-$batch")
    val ready  = target.resolve("_READY")
    if (!Files.exists(ready)) {
      write(events, count, batch, target)
      Files.createFile(ready)
    }
    target
  }

  private def write(events: Events, count: Long, batch: Long, target: Path): Unit = {
    val half   = batch / 2
    val file   = floor(col("id") / half)
    val within = pmod(col("id"), lit(half))
    // Of two neighbours one goes into each of a batch's files, by chance: both files span the same time.
    val n = floor(file / 2) * batch + within * 2 + pmod(file + xxhash64(within), lit(2))
    session.range(0, count, 1, (count / half).toInt).select(Events.columns(events, n): _*)
      .write.mode("overwrite").parquet(target.toString)
    val files = target.toFile.listFiles((_: File, name: String) => name.startsWith("part-")).sortBy(_.getName)
    // Spark's file source takes the oldest first.
    val begin = System.currentTimeMillis - files.length * 1000L
    files.zipWithIndex.foreach { case (made, i) => require(made.setLastModified(begin + i * 1000L), s"$made") }
  }
}

object EventFiles {
  val PerBatch = 2
}
