package windrow.core

import org.scalatest.funsuite.AnyFunSuite

/** The mode of the tests: `full` runs all cases, and the other modes run a part of them. */
object Full {
  val isFull: Boolean = sys.props.get("windrow.mode").contains("full")
}

/** Suites with tests that only the mode `full` runs. */
trait Full { this: AnyFunSuite =>
  protected def isFull: Boolean = Full.isFull

  /** Registers a test of the mode `full`. */
  protected def full(name: String)(body: => Any): Unit = if (isFull) test(name)(body)
}
