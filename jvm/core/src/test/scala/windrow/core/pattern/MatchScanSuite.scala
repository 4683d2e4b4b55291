package windrow.core.pattern

import org.scalatest.funsuite.AnyFunSuite
import scala.collection.mutable
import windrow._
import windrow.core.store.StoredMessage
import windrow.core.time.Watermark

/** Tests which rows a search tests (SEMANTICS R140). */
final class MatchScanSuite extends AnyFunSuite {
  import MatchShardSuite._

  test("R140: each row before the watermark is tested, also if the search passes over it") {
    val spec   = MatchDraft("A B", within = Some(TimeSpan(100)), lateness = Some(TimeSpan(0))).check.toOption.get
    val tested = mutable.Set.empty[Long]
    // The condition of B reads A, so the search asks only the first row of a match whether it is an A.
    val run = new Rows(
      spec,
      new RowConditions {
        def readsPrevious: Boolean = false
        def classify(previous: StoredMessage, row: StoredMessage): Long = {
          tested += row.time
          1L
        }
        override def earlier: IndexedSeq[EarlierRow] = IndexedSeq(EarlierRow(Some(0), isFirst = false))
        override def reads(name: Int): Seq[Int]      = Seq(0).filter(_ => name == 1)
        override def holds(
            name: Int,
            previous: StoredMessage,
            row: StoredMessage,
            rows: Array[StoredMessage]): Boolean = true
      })
    run.step((1 to 4).map(n => row(0, n * 10L, 0, Some(n.toLong))), Watermark(1000))
    assert(tested == Set(10L, 20L, 30L, 40L))
  }
}
