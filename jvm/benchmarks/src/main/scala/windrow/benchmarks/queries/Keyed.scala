package windrow.benchmarks.queries

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions._
import windrow.benchmarks.queries.Source.chance

/** Arrival in bursts: a key has `events` events at equal distances, then none for `rest` such distances. */
final case class Bursts(events: Long, rest: Long)

/** The disorder of events, in seconds: all events up to `within`, for which the watermark waits; 5 % up to `late` more.
  */
final case class Disorder(within: Int, late: Int)

/** Streams of (ts, key, value), and streams of two sides of a join. */
object Keyed {
  private val Schema = "ts timestamp, key bigint, value bigint"
  private val all    = (_: Column) => lit(true)

  /** Random keys.
    *
    * @param from
    *   start of the stream, in seconds of the first day
    */
  def steady(name: String, keys: Long, perSecond: Int = 2000, from: Int = 0): Source = {
    def micros(n: Column) = Source.micros(n, perSecond) + from * 1000000L
    Source(name, Seq(Table("events", Schema, all, n => row(n, micros(n), chance(n, 1, keys)))))
  }

  def bursts(name: String, keys: Long, bursts: Bursts): Source =
    Source(name, Seq(Table("events", Schema, all, n => row(n, Source.micros(n, 2000), inBursts(keys, bursts, n)))))

  def disordered(name: String, keys: Long, by: Disorder): Source = {
    def micros(n: Column) = {
      val within = if (by.within == 0) lit(0L) else chance(n, 3, by.within * 1000000L)
      val late   = when(chance(n, 4, 100) < 5, lit(by.within * 1000000L) + chance(n, 5, by.late * 1000000L))
      Source.micros(n, 2000) - coalesce(late, within)
    }
    Source(name, Seq(Table("events", Schema, all, n => row(n, micros(n), chance(n, 1, keys)))), delay = by.within)
  }

  /** Adds the offset in one of many partitions of a topic. As with Kafka, one task reads all of a partition. */
  def positioned(name: String, keys: Long, partitions: Int): Source = {
    val pairs = partitions / EventFiles.PerBatch
    def columns(n: Column) = row(n, Source.micros(n, 2000), chance(n, 1, keys)) ++
      Seq(
        lit("log").as("topic"),
        (pmod(floor(n / 2), lit(pairs)) * 2 + EventFiles.of(n)).cast("int").as("partition"),
        floor(n / (2 * pairs)).as("offset"))
    Source(name, Seq(Table("events", s"$Schema, topic string, partition int, offset bigint", all, columns)))
  }

  /** Every second event is in the right table. */
  def sides(name: String, keys: Long): Source = inTurn(name, keys, "lefts", "rights")

  /** The events are in the tables in turn. */
  def inTurn(name: String, keys: Long, tables: String*): Source = Source(
    name,
    tables.zipWithIndex.map { case (table, which) =>
      Table(
        table,
        Schema,
        n => pmod(n, lit(tables.size)) === which,
        n => row(n, Source.micros(n, 2000), chance(n, 1, keys)))
    })

  /** A tenth of the events copies one of the last 5,000 events. The copies of an event have its key, time, and value. */
  def copies(name: String): Source = {
    def of(n: Column) = greatest(n - when(chance(n, 3, 10) === 0, chance(n, 4, 5000)).otherwise(0L), lit(0L))
    Source(name, Seq(Table("events", Schema, all, n => row(of(n), Source.micros(of(n), 2000), of(n)))), delay = 60)
  }

  private def row(n: Column, micros: Column, key: Column): Seq[Column] =
    Seq(timestamp_micros(micros).as("ts"), key.as("key"), chance(n, 2, 1000).as("value"))

  /** Assigns keys in bursts. Keys are in groups that start together. In each round, every active key has one event. The
    * rounds of a session follow one another, and in every round one group starts and one ends.
    */
  private def inBursts(keys: Long, bursts: Bursts, n: Column): Column = {
    val cycle  = bursts.events + bursts.rest
    val group  = keys / cycle
    val active = group * bursts.events
    require(group * cycle == keys, s"$keys keys do not make groups for $cycle rounds")
    val round = floor(n / active)
    val place = pmod(n * 7919 + round * 104729, lit(active)) // 7919 is prime: another order in every round
    val begun = floor(place / group)
    pmod(begun - round, lit(cycle)) * group + pmod(place, lit(group))
  }
}
