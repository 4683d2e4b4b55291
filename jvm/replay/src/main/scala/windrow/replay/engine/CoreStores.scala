package windrow.replay

import windrow.core.operator.{Counters, Origin}
import windrow.core.state.{ByteReader, ByteWriter, InMemoryShardStore, Key, ShardStore}
import windrow.core.store.{Incoming, StoredMessage => Kept}
import windrow.core.time.Axis

/** An operator of the core that transcripts can drive and reset to an earlier state. */
private[windrow] trait CoreOperator extends StepwiseOperator {

  /** Returns the current state, for [[back]]. */
  def mark(): CoreStores.Mark

  /** Resets the operator to an earlier state, as if it had never continued from there. */
  def back(mark: CoreStores.Mark): Unit
}

/** The common part of the core's operators: shards whose state is stored as bytes between steps.
  *
  * @param wrap
  *   wraps the store of a shard
  * @param largeFrom
  *   the size from which its store treats a value as large
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
  private var earlier             = Map.empty[String, Long] // counters of the shards before the last restart
  private var processingTime      = Option.empty[Long]

  def restart(): Unit = back(mark())

  def mark(): CoreStores.Mark = CoreStores.Mark(stores.map(_.snapshot), counters, processingTime)

  def back(mark: CoreStores.Mark): Unit = {
    earlier = mark.counters
    processingTime = mark.processingTime
    stores = mark.stores.map(_.snapshot(largeFrom))
    shards = stores.map(store => open(wrap(store)))
  }

  /** Returns the number of open windows of each shard, as the shard counts it and as a visit of all windows finds it
    * (SEMANTICS S16).
    */
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

  /** The sizes of the pieces into which state is divided. The content of the state does not depend on them.
    *
    * @param page
    *   bytes of a page of the windows of a key
    * @param piece
    *   bytes of a piece of the messages that a window needs completely
    * @param large
    *   the number of values from which a slice is not rewritten for a few additions
    */
  final case class Sizes(page: Int, piece: Int, large: Int)

  object Sizes {

    /** Returns sizes that keep the windows of a key and the values of a slice together if there is a single shard, and
      * apart otherwise.
      */
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
