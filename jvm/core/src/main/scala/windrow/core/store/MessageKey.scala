package windrow.core.store

import windrow.ExpectedSize
import windrow.core.time.Axis

/** A part of the key under which a store keeps a message. */
sealed trait KeyField

object KeyField {
  case object EqualityFields extends KeyField
  case object Timestamp      extends KeyField
  case object Offset         extends KeyField
}

/** What a message store is for. */
sealed trait StoreUse

object StoreUse {
  case object Aggregate extends StoreUse

  /** @param equality
    *   equal fields are asked for
    * @param timeRange
    *   so is a range of time
    */
  final case class Join(equality: Boolean, timeRange: Boolean) extends StoreUse
}

/** The source's matrix of message keys (SEMANTICS R33): in which order a store sorts its messages.
  *
  * Equality fields in front mean one run for each of their values, any other order one run for all of them, with the
  * equality fields inside its messages.
  */
object MessageKey {
  import KeyField._

  def apply(axis: Axis, use: StoreUse, size: ExpectedSize): Seq[KeyField] = (axis, use, size) match {
    case (Axis.Offset, StoreUse.Join(true, _), ExpectedSize.Large)  => Seq(EqualityFields, Offset)
    case (Axis.Offset, _, _)                                        => Seq(Offset)
    case (Axis.Time, StoreUse.Join(true, true), ExpectedSize.Small) => Seq(Timestamp, EqualityFields, Offset)
    case (Axis.Time, StoreUse.Join(true, _), _)                     => Seq(EqualityFields, Timestamp, Offset)
    case (Axis.Time, _, _)                                          => Seq(Timestamp, Offset)
  }

  /** One run for each value of the equality fields. */
  def isRunPerKey(fields: Seq[KeyField]): Boolean = fields.headOption.contains(EqualityFields)

  /** The order of the messages of one run. */
  def order(fields: Seq[KeyField]): Ordering[StoredMessage] =
    if (fields == ByTimeAlone) StoredMessage.Order
    else fields.map {
      case EqualityFields                       => ByKey
      case Timestamp                            => ByTime
      case Offset if fields.contains(Timestamp) => StoredMessage.Order // of equal times by source and partition
      case Offset                               => StoredMessage.OffsetOrder
    }.reduce(_ orElse _)

  private val ByTimeAlone: Seq[KeyField] = Seq(Timestamp, Offset)

  private val ByKey: Ordering[StoredMessage]  = (a, b) => java.util.Arrays.compareUnsigned(a.key.bytes, b.key.bytes)
  private val ByTime: Ordering[StoredMessage] = (a, b) => java.lang.Long.compare(a.time, b.time)
}
