package windrow.core.time

/** A position on an axis: an [[EventTime]], an [[Offset]], or a [[Sequence]].
  *
  * In state, arrays, maps and code that runs for each message a position is a plain `Long` to avoid boxing, on the axis
  * of its container. The arithmetic is the same and must always be used: it saturates at the ends of 64 bits
  * (SEMANTICS T1).
  */
final class Position[A <: Axis](val value: Long) extends AnyVal {
  def +(by: Distance[A]): Position[A] = new Position(Position.plus(value, by.value))
  def -(by: Distance[A]): Position[A] = new Position(Position.minus(value, by.value))

  /** The next position. */
  def next: Position[A] = this + Distance.one

  override def toString: String = value.toString
}

object Position {

  /** Less than all other positions; means that there has been none yet. */
  final val Least = Long.MinValue

  /** Greater than all other positions; means unbounded. */
  final val Greatest = Long.MaxValue

  def plus(a: Long, b: Long): Long = {
    val sum = a + b
    if (((a ^ sum) & (b ^ sum)) < 0) (if (a < 0) Least else Greatest) else sum
  }

  def minus(a: Long, b: Long): Long = {
    val difference = a - b
    if (((a ^ b) & (a ^ difference)) < 0) (if (a < 0) Least else Greatest) else difference
  }

  /** The greatest point of a grid at or below a position.
    *
    * @param step
    *   distance of two points, at least 1
    * @param origin
    *   a point of the grid, from 0 to below `step`
    */
  def floor(position: Long, step: Long, origin: Long = 0): Long = {
    val beyond = Math.floorMod(position, step) - origin
    minus(position, if (beyond < 0) beyond + step else beyond)
  }

  /** The number whose bytes, compared unsigned, have the same order. */
  def unsigned(position: Long): Long = position ^ Least
}

private[windrow] object Offset {
  def apply(value: Long): Offset = new Position(value)
}

private[windrow] object Sequence {
  def apply(value: Long): Sequence = new Position(value)
}

/** The distance of two positions of an axis: microseconds, or a number of offsets or messages. */
final class Distance[A <: Axis](val value: Long) extends AnyVal {

  /** The position at this distance after another one. */
  def after(position: Long): Long = if (isEndless) Position.Greatest else Position.plus(position, value)

  /** The position at this distance before another one. */
  def before(position: Long): Long = if (isEndless) Position.Least else Position.minus(position, value)

  def +(other: Distance[A]): Distance[A] = new Distance(Position.plus(value, other.value))

  def isEndless: Boolean = value == Position.Greatest

  override def toString: String = value.toString
}

object Distance {
  def none[A <: Axis]: Distance[A] = new Distance(0)

  /** From one position to the next. */
  def one[A <: Axis]: Distance[A] = new Distance(1)

  /** A distance beyond the end of every axis. */
  def endless[A <: Axis]: Distance[A] = new Distance(Position.Greatest)
}
