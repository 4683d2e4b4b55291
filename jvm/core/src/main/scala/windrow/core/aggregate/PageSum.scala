package windrow.core.aggregate

import windrow.core.state.{ByteReader, ByteWriter, Codec}

/** The sum of the buffers of a page; None if it is unknown. A sum that is about as large as its page is not written; the
  * page is then read to compute it.
  *
  * @param isWritten
  *   whether other sums are written
  */
private[core] final class PageSum[B](aggregation: Aggregation[B, _], isWritten: Boolean = true)
    extends Codec[Option[B]] {

  /** The sum with one more buffer; it may overwrite `sum`. */
  def add(sum: Option[B], buffer: B): Option[B] =
    Some(sum.fold(aggregation.copy(buffer))(aggregation.combine(_, buffer)))

  /** The sum of both, without changing either. */
  def merged(one: Option[B], other: Option[B]): Option[B] =
    for (left <- one; right <- other) yield aggregation.combine(aggregation.copy(left), right)

  def write(sum: Option[B], out: ByteWriter): Unit = {
    val bytes = new ByteWriter(64)
    if (isWritten) sum.foreach(aggregation.write(_, bytes))
    val fits = isWritten && sum.isDefined && bytes.size <= PageSum.Most
    out.byte(if (fits) 1 else 0)
    if (fits) out.append(bytes.array, 0, bytes.size)
  }

  def read(in: ByteReader): Option[B] = Option.when(in.byte() == 1)(aggregation.read(in))
}

private object PageSum {

  /** Maximum size in bytes of a sum that is written. */
  val Most = 1024
}
