package windrow.core.join

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.operator.Origin
import windrow.core.state.Key
import windrow.core.store.StoredMessage

/** The runs in which a join stores its messages, and their order (SEMANTICS R33). */
class MessageLayoutSuite extends AnyFunSuite {
  private def layout(hasKeys: Boolean, hasRange: Boolean, expect: ExpectedSize) = MessageLayout.of(JoinDraft(
    Seq(JoinStream("a"), JoinStream("b")),
    hasKeys,
    if (hasRange) Within.Ranges(Map("b" -> JoinRange(TimeSpan.Zero, TimeSpan(5)))) else Within.Everything,
    lateness = Some(TimeSpan.Zero),
    retention = Retention(time = Some(TimeSpan(9))),
    expect = expect).checked)

  private def message(key: Int, time: Long, offset: Long) =
    StoredMessage(new Key(Array(key.toByte)), time, Some(Origin("s", 0, offset)), Array.emptyByteArray)

  private val (a, b, c) = (message(2, 1, 5), message(1, 1, 6), message(1, 2, 4))

  private val byTime       = Seq(a, b, c)
  private val byTimeAndKey = Seq(b, a, c)

  for {
    (words, hasKeys, hasRange, expect, isPerKey, sorted) <- Seq(
      ("neither equality nor a range", false, false, ExpectedSize.Large, false, byTime),
      ("a range alone", false, true, ExpectedSize.Small, false, byTime),
      ("equality alone, large", true, false, ExpectedSize.Large, true, byTime),
      ("equality alone, small", true, false, ExpectedSize.Small, true, byTime),
      ("equality and a range, small", true, true, ExpectedSize.Small, false, byTimeAndKey),
      ("equality and a range, large", true, true, ExpectedSize.Large, true, byTime))
  } test(words) {
    val found = layout(hasKeys, hasRange, expect)
    assert(found.isPerKey == isPerKey)
    assert(Seq(c, b, a).sorted(found.order) == sorted)
  }

  test("SEMANTICS R24: messages of one time go by source and partition before their offsets") {
    val later = b.copy(origin = Some(Origin("s", 1, 5)))
    assert(Seq(later, b).sorted(StoredMessage.Order) == Seq(b, later))
    assert(Seq(b, later).sorted(StoredMessage.OffsetOrder) == Seq(later, b))
  }
}
