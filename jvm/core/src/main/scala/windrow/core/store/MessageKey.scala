package windrow.core.store

import windrow.ExpectedSize
import windrow.core.time.Axis

/** A part of the key by which a store sorts messages. */
sealed trait KeyField

object KeyField {
  case object EqualityFields extends KeyField
  case object Timestamp      extends KeyField
  case object Offset         extends KeyField
}

/** The purpose of a message store. */
sealed trait StoreUse

object StoreUse {
  case object Aggregate extends StoreUse

  /** @param equality
    *   the join has equality conditions
    * @param timeRange
    *   the join has a range of time
    */
  final case class Join(equality: Boolean, timeRange: Boolean) extends StoreUse
}

/** The order in which a store sorts its messages, by axis, use and expected size (SEMANTICS R33).
  *
  * If equality fields are first, there is one run for each of their values; otherwise there is one run for all
  * messages, which then contain their equality fields.
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

  /** Whether there is one run for each value of the equality fields. */
  def isRunPerKey(fields: Seq[KeyField]): Boolean = fields.headOption.contains(EqualityFields)

  /** The order of the messages of one run. */
  def order(fields: Seq[KeyField]): Ordering[StoredMessage] =
    if (fields == ByTimeAlone) StoredMessage.Order
    else fields.map {
      case EqualityFields                       => ByKey
      case Timestamp                            => ByTime
      case Offset if fields.contains(Timestamp) => StoredMessage.Order // equal times go by source and partition
      case Offset                               => StoredMessage.OffsetOrder
    }.reduce(_ orElse _)

  private val ByTimeAlone: Seq[KeyField] = Seq(Timestamp, Offset)

  private val ByKey: Ordering[StoredMessage]  = (a, b) => java.util.Arrays.compareUnsigned(a.key.bytes, b.key.bytes)
  private val ByTime: Ordering[StoredMessage] = (a, b) => java.lang.Long.compare(a.time, b.time)
}
