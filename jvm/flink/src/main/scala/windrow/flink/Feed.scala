package windrow.flink

import java.nio.channels.FileChannel
import java.nio.channels.FileChannel.MapMode
import java.nio.file.Path
import java.time.Duration
import org.apache.flink.api.common.eventtime.WatermarkStrategy
import org.apache.flink.connector.datagen.source.DataGeneratorSource
import org.apache.flink.connector.datagen.source.GeneratorFunction
import org.apache.flink.streaming.api.datastream.KeyedStream
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment

/** The events of a table in memory, for a source in two parts.
  *
  * @param longs
  *   of each part micros, key and value of one event after another
  */
final class Events(longs: Array[Array[Long]]) {
  val ofPart: Int  = longs.map(_.length).min / 3
  def count: Long  = ofPart * 2L
  def latest: Long = longs.map(part => Iterator.range(0, part.length, 3).map(part(_)).max).max

  def read(part: Int, n: Int, into: Triple): Unit = {
    into.a = longs(part)(n * 3)
    into.b = longs(part)(n * 3 + 1)
    into.c = longs(part)(n * 3 + 2)
  }
}

object Events {
  def read(files: Seq[String]): Events = new Events(files.map { file =>
    val channel = FileChannel.open(Path.of(file))
    try {
      val longs = channel.map(MapMode.READ_ONLY, 0, channel.size).asLongBuffer
      val all   = new Array[Long](longs.remaining)
      longs.get(all)
      all
    } finally channel.close()
  }.toArray)
}

/** What the job's functions share with those who started it; all run in this JVM. */
object Shared {
  @volatile var tables: Seq[Events] = Nil
  @volatile var meter: Meter        = new Meter(0)
}

/** The n-th event of a table: the lower half of the numbers, which the first task reads, are its first part. One object for
  * all, for each is written to the wire before the next is made.
  */
final class Reading(table: Int) extends GeneratorFunction[java.lang.Long, Triple] {
  @transient private lazy val events = Shared.tables(table)
  @transient private lazy val event  = new Triple(0, 0, 0)

  def map(n: java.lang.Long): Triple = {
    val part = (n / events.ofPart).toInt
    val at   = (n % events.ofPart).toInt
    events.read(part, at, event)
    Shared.meter.passed(at, events.ofPart)
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
