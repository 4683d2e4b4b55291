package windrow.core.time

/** A place on an axis: an [[EventTime]], an [[Offset]], a [[Sequence]].
  *
  * In state, arrays, maps and whatever goes message by message a position is a bare `Long`, which needs no box, and its axis
  * is that of what holds it. The arithmetic is the same, and there is no other: what passes an end of 64 bits stands there
  * (SEMANTICS T1).
  */
final class Position[A <: Axis](val value: Long) extends AnyVal {
  def +(by: Distance[A]): Position[A] = new Position(Position.plus(value, by.value))
  def -(by: Distance[A]): Position[A] = new Position(Position.minus(value, by.value))

  /** The one after it. */
  def next: Position[A] = this + Distance.one

  override def toString: String = value.toString
}

object Position {

  /** Before all others; where none has been yet. */
  final val Least = Long.MinValue

  /** After all others; without end. */
  final val Greatest = Long.MaxValue

  def plus(a: Long, b: Long): Long = {
    val sum = a + b
    if (((a ^ sum) & (b ^ sum)) < 0) (if (a < 0) Least else Greatest) else sum
  }

  def minus(a: Long, b: Long): Long = {
    val difference = a - b
    if (((a ^ b) & (a ^ difference)) < 0) (if (a < 0) Least else Greatest) else difference
  }

  /** The greatest place of a grid at or below a position.
    *
    * @param step
    *   between two places, at least 1
    * @param origin
    *   one of them, the one from 0 to below a step
    */
  def floor(position: Long, step: Long, origin: Long = 0): Long = {
    val beyond = Math.floorMod(position, step) - origin
    minus(position, if (beyond < 0) beyond + step else beyond)
  }

  /** The same number for bytes that compare unsigned. */
  def unsigned(position: Long): Long = position ^ Least
}

private[windrow] object Offset {
  def apply(value: Long): Offset = new Position(value)
}

private[windrow] object Sequence {
  def apply(value: Long): Sequence = new Position(value)
}

/** How far two positions of an axis are apart: microseconds, or a number of offsets or messages. */
final class Distance[A <: Axis](val value: Long) extends AnyVal {

  /** A position so far after another. */
  def after(position: Long): Long = if (isEndless) Position.Greatest else Position.plus(position, value)

  /** A position so far before another. */
  def before(position: Long): Long = if (isEndless) Position.Least else Position.minus(position, value)

  def +(other: Distance[A]): Distance[A] = new Distance(Position.plus(value, other.value))

  def isEndless: Boolean = value == Position.Greatest

  override def toString: String = value.toString
}

object Distance {
  def none[A <: Axis]: Distance[A] = new Distance(0)

  /** From one position to the next. */
  def one[A <: Axis]: Distance[A] = new Distance(1)

  /** It passes the end of every axis. */
  def endless[A <: Axis]: Distance[A] = new Distance(Position.Greatest)
}
