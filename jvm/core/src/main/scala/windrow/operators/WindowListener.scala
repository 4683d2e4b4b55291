package windrow.operators

import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import java.util.concurrent.Future
import java.util.concurrent.atomic.AtomicReference
import scala.collection.immutable.Queue
import windrow.core.policy.EventKind

/** Something that happened to the window of a key.
  *
  * @param window
  *   its number in the partition: that of its next pane
  * @param sequence
  *   0, 1, … among the events of the partition
  * @param messages
  *   that came (INSERTION), that leave (EVICTION), or all that are inside
  */
final case class PartitionEvent[K, M](key: K, kind: EventKind, window: Long, sequence: Long, messages: Seq[M])

/** Hears of the events of policy windows, one at a time, in order (SEMANTICS R59). What it throws comes out of the call
  * that raised the event, or of the next call if it is asynchronous.
  */
trait WindowListener[K, M] {
  def onEvent(event: PartitionEvent[K, M]): Unit

  /** It hears of events; else it is called by `drain` alone. */
  private[windrow] def hears: Boolean = true

  /** At the end of `drain`; here, and only here, it may evict partitions. */
  def onDrain(): Unit = ()
}

/** A listener with state of its own for each partition, kept with the partition: saved whenever the operator persists, after
  * the events before, and given back after `init` and `reset` (SEMANTICS R61).
  */
trait StatefulListener[K, M] extends WindowListener[K, M] {
  def save(partition: K): Array[Byte]
  def load(partition: K, bytes: Array[Byte]): Unit
}

private[operators] final class Listeners[K, M](name: String) {
  import Listeners._

  private var all = Vector.empty[Place[K, M]]

  def size: Int          = all.size
  def hear: Boolean      = all.exists(_.listener.hears)
  def haveState: Boolean = all.exists(_.listener.isInstanceOf[StatefulListener[_, _]])

  def add(listener: WindowListener[K, M], asynchronous: Boolean): Unit =
    all :+= (if (asynchronous) new OwnThread(listener, s"$name-listener-${all.size}") else new CallingThread(listener))

  def tell(event: PartitionEvent[K, M]): Unit = all.foreach(_.tell(event))

  /** All of them have heard of all that was told. */
  def await(): Unit = {
    all.foreach(_.await())
    raise()
  }

  /** Throws what one of them has thrown. */
  def raise(): Unit = all.flatMap(_.failure()).headOption.foreach(throw _)

  def drained(): Unit = all.foreach(_.listener.onDrain())

  def save(partition: K): Seq[Array[Byte]] = all.map(_.listener match {
    case stateful: StatefulListener[K, M] => Saved +: stateful.save(partition)
    case _                                => Array.emptyByteArray
  })

  def load(place: Int, partition: K, bytes: Array[Byte]): Unit = all(place).listener match {
    case stateful: StatefulListener[K, M] if bytes.nonEmpty => stateful.load(partition, bytes.drop(1))
    case _                                                  => ()
  }

  def close(): Unit = all.foreach(_.close())
}

private object Listeners {

  /** In front of what a listener has saved, which may be nothing. */
  private val Saved: Byte = 1

  sealed trait Place[K, M] {
    def listener: WindowListener[K, M]
    def tell(event: PartitionEvent[K, M]): Unit
    def await(): Unit
    def close(): Unit

    private val failed = new AtomicReference[Throwable]

    /** One that fails hears of the events after all the same; the first failure is told. */
    protected def call(event: PartitionEvent[K, M]): Unit =
      try listener.onEvent(event)
      catch { case error: Exception => failed.compareAndSet(null, error); () }

    def failure(): Option[Throwable] = Option(failed.getAndSet(null))
  }

  final class CallingThread[K, M](val listener: WindowListener[K, M]) extends Place[K, M] {
    def tell(event: PartitionEvent[K, M]): Unit = call(event)
    def await(): Unit                           = ()
    def close(): Unit                           = ()
  }

  /** One thread for a listener keeps the order. */
  final class OwnThread[K, M](val listener: WindowListener[K, M], name: String) extends Place[K, M] {
    private val thread: ExecutorService = Executors.newSingleThreadExecutor { task =>
      val thread = new Thread(task, name)
      thread.setDaemon(true)
      thread
    }
    private var told = Queue.empty[Future[_]]

    def tell(event: PartitionEvent[K, M]): Unit =
      told = told.dropWhile(_.isDone) :+ thread.submit((() => call(event)): Runnable)

    def await(): Unit = {
      told.foreach(_.get())
      told = Queue.empty
    }

    def close(): Unit = thread.shutdown()
  }
}
