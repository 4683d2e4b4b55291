package windrow.core.operator

import java.util.ArrayDeque

/** Receives the outputs of a step, in order. */
private[core] trait Out[-E] {
  def put(effect: E): Unit

  /** Schedules parts that run before everything else in the step. For work whose output is too large to be produced at
    * once.
    */
  def andThen(parts: Iterator[Part[E]]): Unit

  /** A view that accepts effects of another type and converts them. */
  final def taking[F](as: F => E): Out[F] = {
    val all = this
    new Out[F] {
      def put(effect: F): Unit                    = all.put(as(effect))
      def andThen(parts: Iterator[Part[F]]): Unit = all.andThen(parts.map(_.as(as)))
    }
  }
}

/** A part of a step. It reads, decides and writes only when it is run; iterating over parts only reads. */
private[core] trait Part[+E] {
  def run(out: Out[E]): Unit

  /** A part that converts its effects to another type. */
  final def as[F](change: E => F): Part[F] = out => run(out.taking(change))
}

private[core] object Part {

  /** A part that emits an effect and changes nothing. */
  def put[E](effect: E): Part[E] = _.put(effect)

  /** Processes things one after another. A part continues until one of them emits something, because most messages emit
    * nothing.
    */
  def each[A, E](things: Iterator[A])(take: (A, Out[E]) => Unit): Iterator[Part[E]] = new PartLoop(things, take)

  /** Parts that are requested only when all earlier parts have run. */
  def later[E](parts: => Iterator[Part[E]]): Iterator[Part[E]] = Iterator.single(_.andThen(parts))

  private final class PartLoop[A, E](things: Iterator[A], take: (A, Out[E]) => Unit)
      extends Iterator[Part[E]]
      with Part[E]
      with Out[E] {
    private var out: Out[E] = _
    private var isSilent    = true

    def hasNext: Boolean = things.hasNext
    def next(): Part[E]  = if (hasNext) this else Iterator.empty.next()

    def run(out: Out[E]): Unit = {
      this.out = out
      isSilent = true
      do take(things.next(), this)
      while (isSilent && things.hasNext)
    }

    def put(effect: E): Unit = {
      isSilent = false
      out.put(effect)
    }

    def andThen(parts: Iterator[Part[E]]): Unit = {
      isSilent = false
      out.andThen(parts)
    }
  }

  /** A part that changes something and emits nothing. */
  def silent(work: => Unit): Iterator[Part[Nothing]] = Iterator.single[Part[Nothing]](_ => work)
}

/** A step as an iterator over its output. The core's step is Spark's micro-batch. A part runs only when the output of
  * all earlier parts has been consumed. Writes therefore happen one after another in a single place, and at most the
  * output of one part is in memory.
  *
  * @param count
  *   called with each effect when it is emitted
  */
private[core] final class Step[E](parts: Iterator[Part[E]], count: E => Unit) extends Iterator[E] with Out[E] {
  private val waiting = new ArrayDeque[E]
  private var ahead   = List(parts)
  private var added   = Iterator.empty[Part[E]]

  def put(effect: E): Unit = {
    count(effect)
    waiting.add(effect)
    ()
  }

  def andThen(parts: Iterator[Part[E]]): Unit = added = if (added.isEmpty) parts else added ++ parts

  def hasNext: Boolean = {
    while (waiting.isEmpty && ahead.nonEmpty) advance()
    !waiting.isEmpty
  }

  private def advance(): Unit =
    if (!ahead.head.hasNext) ahead = ahead.tail
    else {
      ahead.head.next().run(this)
      if (added.nonEmpty) {
        ahead ::= added
        added = Iterator.empty
      }
    }

  def next(): E = if (hasNext) waiting.poll() else Iterator.empty.next()
}
