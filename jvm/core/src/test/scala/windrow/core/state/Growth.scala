package windrow.core.state

import java.lang.management.ManagementFactory
import org.scalatest.Assertions._

/** What work costs, by counting: bytes that a store reads and writes, and bytes that this thread puts on the heap, which
  * all copies, collections and lists of what is looked at are.
  */
private[core] object Growth {
  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  final case class Cost(stored: Long, allocated: Long) {
    def shown: String = s"$stored bytes stored, $allocated on the heap"
  }

  def cost(work: CountingStore => Unit): Cost = costAfter(store => () => work(store))

  /** Of what is done at last. */
  def costAfter(before: CountingStore => () => Unit): Cost = {
    val store     = new CountingStore
    val work      = before(store)
    val thread    = Thread.currentThread.getId
    val stored    = store.bytesRead + store.bytesWritten
    val allocated = threads.getThreadAllocatedBytes(thread)
    work()
    Cost(store.bytesRead + store.bytesWritten - stored, threads.getThreadAllocatedBytes(thread) - allocated)
  }

  /** Sixteen times the messages may cost a logarithm more than sixteen times the work; the buckets of a store, which double in
    * number as its first values come, cost one of their own.
    *
    * @param logarithm
    *   how much more a message may put on the heap
    * @param work
    *   on so many messages
    */
  def check(few: Int, logarithm: Double = 2)(work: (Int, CountingStore) => Unit): Unit = {
    cost(work(few, _)): Unit // classes are loaded, code is compiled
    val (small, large) = (cost(work(few, _)), cost(work(16 * few, _)))
    def each(of: Cost => Long) =
      s"${of(small) / few} bytes for each of $few messages, ${of(large) / few / 16} of ${16 * few}"
    assert(large.stored <= 16 * 4 * small.stored, s"stored: ${each(_.stored)}")
    assert(large.allocated <= 16 * logarithm * small.allocated, s"allocated: ${each(_.allocated)}")
  }
}
