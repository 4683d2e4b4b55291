package windrow.benchmarks

import scala.collection.mutable

/** The windows of some events, computed the plain way, from the definition: what all contenders must give. */
object PlainWindows {

  /** Windows that end at or before the latest event time, in whole milliseconds: Spark's watermark at the end. */
  def apply(events: Array[Event], windows: Windows): Iterator[Output] = {
    val watermark = Math.floorDiv(events.map(_.micros).max, 1000L) * 1000L
    val rows = windows match {
      case Hops(size, step) => hops(events, size * 1000000L, step * 1000000L)
      case Gaps(gap)        => sessions(events, gap * 1000000L)
    }
    rows.filter(_.end <= watermark)
  }

  private def hops(events: Array[Event], size: Long, step: Long): Iterator[Output] = {
    val sums = mutable.HashMap.empty[(Long, Long), Output]
    events.foreach { event =>
      var start = Math.floorDiv(event.micros, step) * step
      while (start + size > event.micros) {
        val id  = (event.key, start)
        val one = Output(event.key, start, start + size, 1, event.value, event.value)
        sums(id) = sums.get(id).fold(one)(joined(_, one))
        start -= step
      }
    }
    sums.valuesIterator
  }

  private def sessions(events: Array[Event], gap: Long): Iterator[Output] =
    events.groupBy(_.key).valuesIterator.flatMap { ofKey =>
      ofKey.sortBy(_.micros).foldLeft(List.empty[Output]) { (done, event) =>
        val one = Output(event.key, event.micros, event.micros + gap, 1, event.value, event.value)
        done match {
          case last :: earlier if event.micros <= last.end => joined(last, one) :: earlier
          case _                                           => one :: done
        }
      }
    }

  private def joined(a: Output, b: Output): Output =
    a.copy(end = math.max(a.end, b.end), n = a.n + b.n, total = a.total + b.total, top = math.max(a.top, b.top))
}
