package windrow.core.operator
package several

import scala.collection.mutable.ArrayBuffer
import windrow.core.aggregate.Aggregation
import windrow.core.state.{ByteReader, ByteWriter}
import windrow.core.store.OpenCount
import windrow.core.time.{StepClock, Watermark}
import windrow.{WindowFamily, WindowKind}

/** Several windows over the same messages, each with its own algorithm and its own part of the state (SEMANTICS R152).
  * A message is read once; panes and rejected messages carry the name of their window.
  *
  * @param windows
  *   the windows by name, with their algorithms
  */
private[core] final class SeveralAlgorithm[B, V](
    aggregation: Aggregation[B, V],
    windows: Seq[(String, WindowKind, WindowAlgorithm[B, V])])
    extends WindowAlgorithm[B, V] {

  private val parts = windows.map { case (name, kind, algorithm) => new NamedAlgorithm(name, kind, algorithm) }.toArray

  /** Counts the fates of one message in all windows. */
  private val fates = new Counters

  /** The rejections of one message. */
  private val refused = new ArrayBuffer[Effect.Reject[B]]

  private final class NamedAlgorithm(name: String, kind: WindowKind, val algorithm: WindowAlgorithm[B, V]) {
    val some: Some[String] = Some(name)
    val open               = new OpenCount

    private val gap = kind.family match {
      case WindowFamily.Sessions(Some(gap)) => gap.micros
      case _                                => 0L
    }

    val tag: Effect[B, V] => Effect[B, V] = _.of(some)

    /** The message as this window sees it. */
    def entry(of: Entry[B], buffer: B): Entry[B] = of.copy(value = of.value + gap, buffer = buffer)

    private var all: Out[Effect[B, V]] = _
    private var own: Out[Effect[B, V]] = _

    /** Passes panes on, and holds rejections back. */
    def out(of: Out[Effect[B, V]]): Out[Effect[B, V]] = {
      if (of ne all) {
        all = of
        own = new Out[Effect[B, V]] {
          def put(effect: Effect[B, V]): Unit = effect match {
            case rejection: Effect.Reject[B] => refused += rejection.copy(window = some)
            case pane                        => of.put(pane.of(some))
          }
          def andThen(parts: Iterator[Part[Effect[B, V]]]): Unit = of.andThen(parts.map(_.as(tag)))
        }
      }
      own
    }
  }

  def add(entry: Entry[B], clock: StepClock, counters: Counters, out: Out[Effect[B, V]]): Unit = {
    fates.accepted = 0
    refused.clear()
    var i = 0
    while (i < parts.length) {
      val part = parts(i)
      i += 1
      // Every window may overwrite the buffer that it stores.
      val buffer = if (i < parts.length) aggregation.copy(entry.buffer) else entry.buffer
      part.algorithm.add(part.entry(entry, buffer), clock, fates, part.out(out))
    }
    if (fates.accepted > 0) counters.accepted += entry.count
    else if (refused.isEmpty) counters.gaps += entry.count
    if (refused.nonEmpty) reject(isCounted = fates.accepted == 0, out)
  }

  /** A message counts as rejected, once, if no window accepts it. */
  private def reject(isCounted: Boolean, out: Out[Effect[B, V]]): Unit = {
    val all = refused.toVector // an output may be consumed later
    all.zipWithIndex.foreach { case (one, i) => out.put(one.copy(isCounted = isCounted && i == 0)) }
  }

  def advance(clock: StepClock, now: Watermark): Iterator[Part[Effect[B, V]]] =
    parts.iterator.flatMap(part => Part.later(part.algorithm.advance(clock, now)).map(_.as(part.tag)))

  def processingDeadline: Option[Long] = parts.iterator.flatMap(_.algorithm.processingDeadline).minOption
  def keyCount: Long                   = parts.iterator.map(_.algorithm.keyCount).max

  def openWindows(at: Watermark): Iterator[OpenWindow[B]] =
    parts.iterator.flatMap(part => part.algorithm.openWindows(at).map(_.of(part.some)))

  /** The sum over all windows. Each remembers its own number. */
  override def openCount(before: Option[Long]): Option[Long] = {
    parts.foreach(part => part.open.end(part.algorithm.openCount))
    parts.foldLeft(Option(0L))((sum, part) => for (all <- sum; own <- part.open.now) yield all + own)
  }

  override def flush(): Unit = parts.foreach(_.algorithm.flush())

  def readDirectory(in: ByteReader): Unit = parts.foreach { part =>
    part.open.read(in)
    part.algorithm.readDirectory(in)
  }

  def writeDirectory(out: ByteWriter): Unit = parts.foreach { part =>
    part.open.write(out)
    part.algorithm.writeDirectory(out)
  }
}
