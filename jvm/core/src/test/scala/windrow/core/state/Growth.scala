package windrow.core.state

import java.lang.management.ManagementFactory
import org.scalatest.Assertions._

/** Measures the cost of work: bytes that a store reads and writes, and bytes that this thread allocates on the heap.
  * The latter include all copies, collections and lists.
  */
private[core] object Growth {
  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  final case class Cost(stored: Long, allocated: Long) {
    def shown: String = s"$stored bytes stored, $allocated on the heap"
  }

  def cost(work: CountingStore => Unit): Cost = costAfter(store => () => work(store))

  /** Returns the cost of the last part of the work. */
  def costAfter(before: CountingStore => () => Unit): Cost = {
    val store     = new CountingStore
    val work      = before(store)
    val thread    = Thread.currentThread.getId
    val stored    = store.bytesRead + store.bytesWritten
    val allocated = threads.getThreadAllocatedBytes(thread)
    work()
    Cost(store.bytesRead + store.bytesWritten - stored, threads.getThreadAllocatedBytes(thread) - allocated)
  }

  /** Checks that many times as many messages cost at most as many times the work and a logarithm. The buckets of a
    * store, whose number doubles with its first values, add a logarithm of their own.
    *
    * @param times
    *   the ratio of the two numbers of messages
    * @param logarithm
    *   factor by which the heap memory per message may grow
    * @param work
    *   the work on a number of messages
    */
  def check(few: Int, logarithm: Double = 2, times: Int = 16)(work: (Int, CountingStore) => Unit): Unit = {
    cost(work(few, _)): Unit // loads classes and compiles code
    val (small, large) = (cost(work(few, _)), cost(work(times * few, _)))
    def each(of: Cost => Long) =
      s"${of(small) / few} bytes for each of $few messages, ${of(large) / few / times} of ${times * few}"
    assert(large.stored <= times * 4 * small.stored, s"stored: ${each(_.stored)}")
    assert(large.allocated <= times * logarithm * small.allocated, s"allocated: ${each(_.allocated)}")
  }
}
