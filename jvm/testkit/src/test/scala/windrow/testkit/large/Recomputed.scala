package windrow.testkit.large

import scala.collection.mutable
import windrow._

/** The value of a window: the number of its messages, and the sum of their numbers. */
final case class Sum(count: Long, total: Long) {
  def +(that: Sum): Sum = Sum(count + that.count, total + that.total)
}

/** The identity of a window: key and bounds as in its panes, and for `Over` the number of its message. */
final case class Place(key: Long, start: Long, end: Long, of: Option[Long] = None)

/** Windows recomputed from a walk.
  *
  * @param windows
  *   the windows with their last values
  * @param rejected
  *   the numbers of the rejected messages
  * @param gaps
  *   the number of messages in no window
  */
final case class Recomputed(windows: Map[Place, Sum], rejected: Set[Long], gaps: Int)

object Recomputed {

  def apply(window: WindowKind, lateness: Long, walk: Walk): Recomputed = window match {
    case fixed: FixedWindows   => aligned(fixed.size.micros, fixed.step.micros, fixed.startTime.micros, lateness, walk)
    case Session(gap, _, _, _) => sessions(gap.get.micros, lateness, walk)
    case Over.Range(range) => over(walk, lateness)((mine, at) => {
        val first = mine.indexWhere(_.time >= mine(at).time - range.micros)
        (mine(at).time - range.micros, first, mine.lastIndexWhere(_.time == mine(at).time))
      })
    case Over.Rows(rows) => over(walk, lateness) { (mine, at) =>
        val first = math.max(0, at - rows.toInt + 1)
        (mine(first).time, first, at)
      }
    case Count(n, step)   => counted(n, step, walk)
    case OffsetSession(n) => tupleSessions(n, walk)
    case Global           => everything(walk)
    case other            => throw new IllegalArgumentException(other.toString)
  }

  /** Whether every window rejects a message that arrives after the watermark before it. */
  def refuses(window: WindowKind, lateness: Long)(one: Judged): Boolean = one.before.exists { before =>
    window match {
      case fixed: FixedWindows =>
        one.time - Math.floorMod(
          one.time - fixed.startTime.micros,
          fixed.step.micros) + fixed.size.micros + lateness <= before
      case Session(gap, _, _, _) => one.time + gap.get.micros + lateness <= before
      case _: Over               => one.time + lateness < before
      case _                     => false
    }
  }

  private def aligned(size: Long, step: Long, startTime: Long, lateness: Long, walk: Walk): Recomputed = {
    val windows  = mutable.HashMap.empty[Place, Sum]
    val rejected = mutable.HashSet.empty[Long]
    var gaps     = 0
    for (one <- walk.messages) {
      val last   = one.time - Math.floorMod(one.time - startTime, step)
      val starts = Iterator.iterate(last)(_ - step).takeWhile(_ + size > one.time).toSeq
      val open   = starts.filter(start => one.before.forall(_ < start + size + lateness))
      if (starts.isEmpty) gaps += 1
      else if (open.isEmpty) rejected += one.number
      open.foreach(start => add(windows, Place(one.key, start, start + size), one.number))
    }
    Recomputed(windows.toMap, rejected.toSet, gaps)
  }

  /** Computes step by step, because a session that has left the state accepts no more messages (R53). */
  private def sessions(gap: Long, lateness: Long, walk: Walk): Recomputed = {
    val left             = mutable.HashMap.empty[Place, Sum]
    var open             = Map.empty[Long, Vector[(Place, Sum)]]
    val (taken, refused) = walk.messages.partition(one => one.before.forall(_ < one.time + gap + lateness))
    val byStep           = taken.groupBy(_.step)
    walk.watermarks.zipWithIndex.foreach { case (after, step) =>
      byStep.getOrElse(step, Nil).groupBy(_.key).foreach { case (key, mine) =>
        val own = mine.map(one => Place(key, one.time, one.time + gap) -> Sum(1, one.number))
        open += key -> (open.getOrElse(
          key,
          Vector.empty) ++ own).sortBy(_._1.start).foldLeft(Vector.empty[(Place, Sum)]) {
          case (earlier :+ ((place, sum)), (next, more)) if next.start <= place.end =>
            earlier :+ (place.copy(end = math.max(place.end, next.end)) -> (sum + more))
          case (apart, next) => apart :+ next
        }
      }
      open = open.map { case (key, mine) =>
        val (gone, kept) = mine.partition(_._1.end + lateness <= after)
        left ++= gone
        key -> kept
      }
    }
    Recomputed((left ++ open.values.flatten).toMap, refused.map(_.number).toSet, 0)
  }

  /** @param bounds
    *   returns, for a position among the messages of a key in order, the start of that message's window and the
    *   positions of the first and last message inside it
    */
  private def over(walk: Walk, lateness: Long)(bounds: (IndexedSeq[Judged], Int) => (Long, Int, Int)): Recomputed = {
    val (taken, refused) = walk.messages.partition(one => one.before.forall(_ <= one.time + lateness))
    val windows = taken.groupBy(_.key).values.flatMap { some =>
      val mine = some.sortBy(one => (one.time, one.message.partition, one.message.offset)).toIndexedSeq
      val sums = mine.scanLeft(0L)(_ + _.number)
      mine.indices.map { at =>
        val (start, first, last) = bounds(mine, at)
        Place(mine(at).key, start, mine(at).time, Some(mine(at).number)) ->
          Sum(last - first + 1L, sums(last + 1) - sums(first))
      }
    }
    Recomputed(windows.toMap, refused.map(_.number).toSet, 0)
  }

  /** Numbers the messages of a step by partition and offset. Windows that are not full are emitted at the end. */
  private def counted(n: Long, step: Long, walk: Walk): Recomputed = {
    val windows = mutable.HashMap.empty[Place, Sum]
    walk.messages.groupBy(_.key).values.foreach(_.sortBy(one =>
      (one.step, one.message.partition, one.number)).zipWithIndex.foreach { case (one, number) =>
      val last = number - number % step
      Iterator.iterate(last)(_ - step).takeWhile(start => start >= 0 && start + n > number)
        .foreach(start => add(windows, Place(one.key, start, start + n - 1), one.number))
    })
    Recomputed(windows.toMap, Set.empty[Long], 0)
  }

  /** The number of a message is its offset. The offsets of other partitions are holes. */
  private def tupleSessions(n: Long, walk: Walk): Recomputed = {
    val windows = walk.messages.groupBy(one => (one.key, one.message.partition)).toSeq.flatMap {
      case ((key, _), mine) =>
        mine.sortBy(_.number).foldLeft(List.empty[(Place, Sum)]) {
          case ((place, sum) :: earlier, one) if one.number - place.end - 1 <= n =>
            (place.copy(end = one.number) -> (sum + Sum(1, one.number))) :: earlier
          case (apart, one) => (Place(key, one.number, one.number) -> Sum(1, one.number)) :: apart
        }
    }
    Recomputed(windows.toMap, Set.empty[Long], 0)
  }

  private def everything(walk: Walk): Recomputed = {
    val windows = mutable.HashMap.empty[Place, Sum]
    walk.messages.foreach(one => add(windows, Place(one.key, Long.MinValue, Long.MaxValue), one.number))
    Recomputed(windows.toMap, Set.empty[Long], 0)
  }

  private def add(windows: mutable.Map[Place, Sum], place: Place, number: Long): Unit =
    windows.updateWith(place)(had => Some(had.getOrElse(Sum(0, 0)) + Sum(1, number))): Unit
}
