package windrow.testkit.shown

import windrow._
import windrow.core.aggregate.Aggregation
import windrow.core.offsets.Progress
import windrow.core.operator._
import windrow.core.shard.Shard
import windrow.core.state._
import windrow.core.time.Watermark
import windrow.replay._

/** A sum of doubles whose last digits depend on the grouping, with evidence of each input: the number of inputs, and a
  * sum of their bits. A value consists of these three, as bits.
  */
final class Parts(val sum: Double, val count: Long, val bits: Long)

/** @param isExact
  *   whether the aggregation claims to be exact; false is correct
  */
final class FragileSum(override val isExact: Boolean = false) extends Aggregation[Parts, Seq[Long]] {
  def zero: Parts                                = new Parts(-0.0, 0, 0)
  def copy(parts: Parts): Parts                  = parts
  def lower(parts: Parts): Seq[Long]             = FragileSum.shown(parts)
  def combine(left: Parts, right: Parts): Parts  = FragileSum.both(left, right)
  def write(parts: Parts, out: ByteWriter): Unit = FragileSum.shown(parts).foreach(out.long)
  def read(in: ByteReader): Parts                = FragileSum.of(Seq.fill(3)(in.long()))
}

object FragileSum {
  private val Values = Vector(1e16, 1.0, -1e16, 0.1, -0.0, 0.3, -0.7, 1e-9, 3.0, 1e300, -1e300, 7.7)

  /** Maps a scalar to a double. Few map to NaN, because a sum that includes one is NaN. */
  def value(of: Scalar): Double = of match {
    case Value.Whole(number) if number == 10 => Double.NaN
    case Value.Whole(number)                 => Values(Math.floorMod(number, Values.size.toLong).toInt)
    case _                                   => 0.0
  }

  def lift(value: Double): Parts = {
    val bits = java.lang.Double.doubleToRawLongBits(value)
    new Parts(value, 1, mixed(bits))
  }

  def both(left: Parts, right: Parts): Parts =
    new Parts(left.sum + right.sum, left.count + right.count, left.bits + right.bits)

  /** Hashes the bits of a pane's value to a number that another pane is unlikely to have. */
  def mixed(bits: Long): Long = (bits ^ bits >>> 29) * 0x9e3779b97f4a7c15L

  def shown(parts: Parts): Seq[Long] =
    Seq(java.lang.Double.doubleToRawLongBits(parts.sum), parts.count, parts.bits)

  def of(shown: Seq[Long]): Parts =
    new Parts(java.lang.Double.longBitsToDouble(shown(0)), shown(1), shown(2))
}

/** An operator of the core on several shards, whose state is stored as bytes.
  *
  * @param largeFrom
  *   the size from which its store treats a value as large
  */
final class Rig(spec: WindowOperatorSpec, aggregation: FragileSum, count: Int, largeFrom: Int) {
  type Shown = Pane[Key, Seq[Long]]

  private var stores = Vector.fill(count)(new InMemoryShardStore(largeFrom))
  private var shards = opened

  private def opened = stores.map(store => new Shard(spec, aggregation, store))

  def restart(): Unit = {
    stores = stores.map(_.snapshot(largeFrom))
    shards = opened
  }

  def step(entries: Seq[Entry[Parts]], watermark: Watermark, processingTime: Option[Long]): Seq[Shown] = {
    val progress = entries.flatMap(_.origin).map(at => Progress(at.partition, at.offset, at.offset))
    val of       = entries.groupBy(entry => Math.floorMod(entry.key.hashCode, count))
    shards.indices.flatMap(i =>
      shards(i).step(of.getOrElse(i, Nil).iterator, watermark, processingTime, progress).toVector)
      .collect { case Effect.Fire(pane) => pane }
  }
}
