package windrow.core.store

import org.scalatest.funsuite.AnyFunSuite
import windrow.ExpectedSize
import windrow.ExpectedSize._
import windrow.core.operator.Origin
import windrow.core.state.Key
import windrow.core.store.KeyField._
import windrow.core.store.StoreUse._
import windrow.core.time.Axis

/** The source's matrix of message keys, row by row (SEMANTICS R33). */
class MessageKeySuite extends AnyFunSuite {
  private val both = Seq(Small, Large)

  private val matrix = Seq[(Int, Axis, StoreUse, Seq[ExpectedSize], Seq[KeyField])](
    (1, Axis.Offset, Aggregate, both, Seq(Offset)),
    (2, Axis.Offset, Join(equality = false, timeRange = false), both, Seq(Offset)),
    (3, Axis.Offset, Join(equality = true, timeRange = false), Seq(Small), Seq(Offset)),
    (4, Axis.Offset, Join(equality = true, timeRange = false), Seq(Large), Seq(EqualityFields, Offset)),
    (5, Axis.Time, Aggregate, both, Seq(Timestamp, Offset)),
    (6, Axis.Time, Join(equality = false, timeRange = false), both, Seq(Timestamp, Offset)),
    (7, Axis.Time, Join(equality = false, timeRange = true), both, Seq(Timestamp, Offset)),
    (8, Axis.Time, Join(equality = true, timeRange = false), both, Seq(EqualityFields, Timestamp, Offset)),
    (9, Axis.Time, Join(equality = true, timeRange = true), Seq(Small), Seq(Timestamp, EqualityFields, Offset)),
    (10, Axis.Time, Join(equality = true, timeRange = true), Seq(Large), Seq(EqualityFields, Timestamp, Offset)))

  for ((row, axis, use, sizes, fields) <- matrix; size <- sizes) test(s"row $row, $axis, $use, $size: $fields") {
    assert(MessageKey(axis, use, size) == fields)
    assert(MessageKey.isRunPerKey(fields) == Set(4, 8, 10)(row))
  }

  private def message(key: Int, time: Long, offset: Long, partition: Long = 0) =
    StoredMessage(new Key(Array(key.toByte)), time, Some(Origin("s", partition, offset)), Array.emptyByteArray)

  test("messages sort by the fields in their order") {
    val (a, b, c)                 = (message(2, 1, 5), message(1, 1, 6), message(1, 2, 4))
    def sorted(fields: KeyField*) = Seq(c, b, a).sorted(MessageKey.order(fields))
    assert(sorted(Timestamp, Offset) == Seq(a, b, c))
    assert(sorted(Timestamp, EqualityFields, Offset) == Seq(b, a, c))
    assert(sorted(EqualityFields, Timestamp, Offset) == Seq(b, c, a))
    assert(sorted(Offset) == Seq(c, a, b))
  }

  test("SEMANTICS R24: messages of one time go by source and partition before their offsets") {
    val (a, b) = (message(1, 1, 6), message(1, 1, 5, partition = 1))
    assert(Seq(b, a).sorted(MessageKey.order(Seq(Timestamp, Offset))) == Seq(a, b))
    assert(Seq(a, b).sorted(MessageKey.order(Seq(Offset))) == Seq(b, a))
  }
}
