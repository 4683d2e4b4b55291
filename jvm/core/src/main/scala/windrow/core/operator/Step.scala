package windrow.core.operator

import java.util.ArrayDeque

/** Takes what a step gives out, in order. */
private[core] trait Out[-E] {
  def put(effect: E): Unit

  /** What must be done before anything else of the step, where it may give out too much to be done at once. */
  def andThen(parts: Iterator[Part[E]]): Unit

  /** Takes effects of another kind for the same place. */
  final def taking[F](as: F => E): Out[F] = {
    val all = this
    new Out[F] {
      def put(effect: F): Unit                    = all.put(as(effect))
      def andThen(parts: Iterator[Part[F]]): Unit = all.andThen(parts.map(_.as(as)))
    }
  }
}

/** A part of a step. It reads, decides and writes as it is run, and not before; an iterator of parts only reads. */
private[core] trait Part[+E] {
  def run(out: Out[E]): Unit

  /** The same, giving out effects of another kind. */
  final def as[F](change: E => F): Part[F] = out => run(out.taking(change))
}

private[core] object Part {

  /** Gives out something that changes nothing. */
  def put[E](effect: E): Part[E] = _.put(effect)

  /** Takes things one after another. A part goes on until one gives something out: most messages give nothing out. */
  def each[A, E](things: Iterator[A])(take: (A, Out[E]) => Unit): Iterator[Part[E]] = new Each(things, take)

  /** Parts that are asked for when all before them are run. */
  def later[E](parts: => Iterator[Part[E]]): Iterator[Part[E]] = Iterator.single(_.andThen(parts))

  private final class Each[A, E](things: Iterator[A], take: (A, Out[E]) => Unit)
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

  /** Changes something and gives out nothing. */
  def silent(work: => Unit): Iterator[Part[Nothing]] = Iterator.single[Part[Nothing]](_ => work)
}

/** A step as what comes out of it: a part is run when what the parts before it gave out has been taken. So writes happen one
  * after the other, in one place, and no more is held than what one part gives out.
  *
  * @param count
  *   sees each effect as it is given out
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
