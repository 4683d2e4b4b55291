package windrow.flink

import java.nio.channels.FileChannel
import java.nio.channels.FileChannel.MapMode
import java.nio.file.Path
import java.time.Duration
import org.apache.flink.api.common.eventtime.WatermarkStrategy
import org.apache.flink.connector.datagen.source.{DataGeneratorSource, GeneratorFunction}
import org.apache.flink.streaming.api.datastream.KeyedStream
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment

/** The events of a table in memory. If there are two sources, each reads every second event.
  *
  * @param longs
  *   micros, key and value of the events in sequence
  */
final class Events(longs: Array[Long]) {
  val count: Long  = longs.length / 3L
  def latest: Long = Iterator.range(0, longs.length, 3).map(longs(_)).max

  /** The number of events that the first source reads. The second source reads one less if the total is odd. */
  val half: Long = (count + 1) / 2

  def read(event: Long, into: Triple): Unit = {
    val at = event.toInt * 3
    into.a = longs(at)
    into.b = longs(at + 1)
    into.c = longs(at + 2)
  }
}

object Events {
  def read(file: String): Events = {
    val channel = FileChannel.open(Path.of(file))
    try {
      val longs = channel.map(MapMode.READ_ONLY, 0, channel.size).asLongBuffer
      val all   = new Array[Long](longs.remaining)
      longs.get(all)
      new Events(all)
    } finally channel.close()
  }
}

/** State that the job's functions share with the code that started it. Both run in this JVM. */
object Shared {
  @volatile var tables: Seq[Events] = Nil
  @volatile var meter: Meter        = new Meter(0)
}

/** Reads the events. Flink splits the numbers into two halves, one for each source. A single object represents all
  * events, because each is serialized before the next is created.
  */
final class Reading(table: Int) extends GeneratorFunction[java.lang.Long, Triple] {
  @transient private lazy val events = Shared.tables(table)
  @transient private lazy val event  = new Triple(0, 0, 0)

  def map(n: java.lang.Long): Triple = {
    val (source, at, of) =
      if (n < events.half) (0, n.longValue, events.half) else (1, n - events.half, events.count - events.half)
    events.read(at * 2 + source, event)
    Shared.meter.passed(at, of)
    event
  }
}

final class Feed(environment: StreamExecutionEnvironment, delay: Long) {
  def keyed(table: Int): KeyedStream[Triple, java.lang.Long] = {
    val source = new DataGeneratorSource[Triple](new Reading(table), Shared.tables(table).count, new TripleType)
    val watermarks = WatermarkStrategy.forBoundedOutOfOrderness[Triple](Duration.ofMillis(delay))
      .withTimestampAssigner((event: Triple, _: Long) => event.a)
    environment.fromSource(source, watermarks, s"table $table", new TripleType)
      .keyBy(
        ((event: Triple) => Long.box(event.b)): org.apache.flink.api.java.functions.KeySelector[Triple, java.lang.Long],
        org.apache.flink.api.common.typeinfo.Types.LONG)
  }
}
