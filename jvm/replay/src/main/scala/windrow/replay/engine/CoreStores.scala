package windrow.replay

import windrow.core.operator.{Counters, Origin}
import windrow.core.state.{ByteReader, ByteWriter, InMemoryShardStore, Key, ShardStore}
import windrow.core.store.{Incoming, StoredMessage => Kept}
import windrow.core.time.Axis

/** An operator of the core as transcripts drive it, which can go back to where it was. */
private[windrow] trait CoreOperator extends StepwiseOperator {

  /** What is stored now, for [[back]]. */
  def mark(): CoreStores.Mark

  /** It has never gone on from there. */
  def back(mark: CoreStores.Mark): Unit
}

/** What the core's operators have in common: shards whose state lives as bytes between steps.
  *
  * @param wrap
  *   what stands between a shard and its store
  * @param largeFrom
  *   what its store calls large
  */
private[windrow] abstract class CoreStores[S](
    count: Int,
    wrap: CoreStores.Wrap,
    largeFrom: Int = CoreStores.Sizes.of(1).large) extends CoreOperator {
  protected def open(store: ShardStore): S
  protected def countersOf(shard: S): Counters
  protected def countOpen(shard: S): Option[Long] = None

  private var stores              = Vector.fill(count)(new InMemoryShardStore(largeFrom))
  protected var shards: Vector[S] = stores.map(store => open(wrap(store)))
  private var earlier             = Map.empty[String, Long] // what the shards before the last restart had counted
  private var processingTime      = Option.empty[Long]

  def restart(): Unit = back(mark())

  def mark(): CoreStores.Mark = CoreStores.Mark(stores.map(_.snapshot), counters, processingTime)

  def back(mark: CoreStores.Mark): Unit = {
    earlier = mark.counters
    processingTime = mark.processingTime
    stores = mark.stores.map(_.snapshot(largeFrom))
    shards = stores.map(store => open(wrap(store)))
  }

  /** How many windows are open, as each shard says after a step and as one finds by looking at all (SEMANTICS S16). */
  def openWindows: Seq[(Long, Long)] =
    shards.flatMap(shard => countersOf(shard).openWindows.zip(countOpen(shard)))

  protected def clock(processingTime: Option[Long]): Option[Long] = {
    processingTime.foreach(now => this.processingTime = Some(now))
    this.processingTime
  }

  protected def shardOf(key: Key): Int = Math.floorMod(key.hashCode, count)

  protected def counters: Map[String, Long] = {
    val all = shards.map(countersOf)
    Map(
      "accepted"   -> all.map(_.accepted).sum,
      "rejected"   -> all.map(_.rejected).sum,
      "duplicates" -> all.map(_.duplicates).sum,
      "gaps"       -> all.map(_.gaps).sum,
      "filtered"   -> 0L).map { case (name, count) => name -> (count + earlier.getOrElse(name, 0L)) }
  }
}

private[windrow] object CoreStores {
  type Wrap = InMemoryShardStore => ShardStore

  /** How state is cut; no state depends on it.
    *
    * @param page
    *   bytes of the windows of a key
    * @param piece
    *   bytes of messages that a window needs all of
    * @param large
    *   how many values of a slice are not written anew for a few that come
    */
  final case class Sizes(page: Int, piece: Int, large: Int)

  object Sizes {

    /** A key's windows, and the values of a slice, stand side by side in a single shard, else apart. */
    def of(shards: Int): Sizes = if (shards == 1) Sizes(page = 4096, piece = 64, large = 512) else Sizes(100, 64, 1)
  }

  final case class Mark(
      stores: Vector[InMemoryShardStore],
      counters: Map[String, Long],
      processingTime: Option[Long])

  def incoming(message: Message): Incoming = Incoming(
    CoreKey.write(message.key),
    message.time,
    origin(message),
    payload(message.value),
    message.gap)

  def origin(message: Message): Option[Origin] = message.identity.map { case (stream, partition, offset) =>
    Origin(stream.getOrElse("messages"), partition.toLong, offset)
  }

  private def payload(value: Scalar): Array[Byte] = {
    val out = new ByteWriter(16)
    ScalarCodec.write(value, out)
    out.result()
  }

  def value(payload: Array[Byte]): Scalar = ScalarCodec.read(ByteReader(payload))

  def shown(message: Kept): StoredValue = StoredValue(message.time, value(message.payload))

  def stored(message: Kept): StoredMessage =
    StoredMessage(CoreKey.read(message.key), message.time, value(message.payload), message.origin.map(_.offset))

  def axis(of: Query.Axis): Axis = of match {
    case Query.ByTime   => Axis.Time
    case Query.ByOffset => Axis.Offset
  }

  def order(of: Query.Axis): Ordering[Kept] = of match {
    case Query.ByTime   => Kept.Order
    case Query.ByOffset => Kept.OffsetOrder
  }
}
