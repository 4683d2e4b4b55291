package windrow.operators

import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.{ExecutorService, Executors, Future}
import scala.collection.immutable.Queue
import windrow.core.policy.EventKind

/** An event of the window of a key.
  *
  * @param window
  *   number of the window in its partition, which is also that of its next pane
  * @param sequence
  *   number of the event in its partition, from 0
  * @param messages
  *   those inserted (INSERTION) or evicted (EVICTION); otherwise the contents of the window
  */
final case class PartitionEvent[K, M](key: K, kind: EventKind, window: Long, sequence: Long, messages: Seq[M])

/** Receives the events of policy windows, one at a time, in order (SEMANTICS R59). An exception that it throws is
  * rethrown by the call that caused the event, or by the next call if the listener is asynchronous.
  */
trait WindowListener[K, M] {
  def onEvent(event: PartitionEvent[K, M]): Unit

  /** Whether it receives events; otherwise only `drain` calls it. */
  private[windrow] def hears: Boolean = true

  /** Called at the end of `drain`. Only here it may evict partitions. */
  def onDrain(): Unit = ()
}

/** A listener with state for each partition, stored with the partition. The state is saved whenever the operator
  * persists, after all earlier events, and loaded after `init` and `reset` (SEMANTICS R61).
  */
trait StatefulListener[K, M] extends WindowListener[K, M] {
  def save(partition: K): Array[Byte]
  def load(partition: K, bytes: Array[Byte]): Unit
}

/** The listeners of one operator. */
private[operators] final class Listeners[K, M](name: String) {
  import Listeners._

  private var all = Vector.empty[Place[K, M]]

  def size: Int          = all.size
  def hear: Boolean      = all.exists(_.listener.hears)
  def haveState: Boolean = all.exists(_.listener.isInstanceOf[StatefulListener[_, _]])

  def add(listener: WindowListener[K, M], asynchronous: Boolean): Unit =
    all :+= (if (asynchronous) new OwnThread(listener, s"$name-listener-${all.size}") else new CallingThread(listener))

  def tell(event: PartitionEvent[K, M]): Unit = all.foreach(_.tell(event))

  /** Waits until all listeners have processed all events so far. */
  def await(): Unit = {
    all.foreach(_.await())
    raise()
  }

  /** Rethrows the first exception of a listener. */
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

  /** Precedes the saved state of a listener, which may be empty. */
  private val Saved: Byte = 1

  sealed trait Place[K, M] {
    def listener: WindowListener[K, M]
    def tell(event: PartitionEvent[K, M]): Unit
    def await(): Unit
    def close(): Unit

    private val failed = new AtomicReference[Throwable]

    /** Calls the listener. A listener that fails still receives later events; only its first failure is reported. */
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

  /** Runs a listener on a single thread, which preserves the order of events. */
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
