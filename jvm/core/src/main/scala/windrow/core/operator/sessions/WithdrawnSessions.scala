package windrow.core.operator
package sessions

import windrow.core.state.{ByteReader, ByteWriter}

/** Withdrawn sessions that began at the same time. One of them can return, and the indexes of its panes then continue,
  * so that no two panes of a window have the same index (SEMANTICS R84).
  *
  * Only two numbers are kept for a time, so a key never keeps more of them than rows.
  *
  * @param end
  *   the greatest end of these sessions
  * @param next
  *   the least index that is greater than those of all their panes
  */
private[core] final case class WithdrawnSessions(start: Long, end: Long, next: Long) {
  private def and(other: WithdrawnSessions) =
    WithdrawnSessions(start, math.max(end, other.end), math.max(next, other.next))
}

private[core] object WithdrawnSessions {

  /** Combines those of each start. */
  def together(all: Seq[WithdrawnSessions]): Vector[WithdrawnSessions] =
    all.groupBy(_.start).values.map(_.reduce(_ and _)).toVector.sortBy(_.start)

  def write(all: Vector[WithdrawnSessions], out: ByteWriter): Unit = {
    out.count(all.size.toLong)
    all.foreach { one =>
      out.long(one.start)
      out.long(one.end)
      out.count(one.next)
    }
  }

  def read(in: ByteReader): Vector[WithdrawnSessions] =
    Vector.fill(in.size())(WithdrawnSessions(in.long(), in.long(), in.count()))
}
