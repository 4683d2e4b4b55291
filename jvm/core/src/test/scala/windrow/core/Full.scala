package windrow.core

import org.scalatest.Tag
import org.scalatest.funsuite.AnyFunSuite

/** The mode of the tests: `full` runs all cases, and the other modes run a part of them. */
object Full extends Tag("windrow.full") {
  val isFull: Boolean  = sys.props.get("windrow.mode").contains("full")
  val isQuick: Boolean = sys.props.get("windrow.mode").contains("quick")
}

/** Suites with tests that only the mode `full` runs. */
trait Full { this: AnyFunSuite =>
  protected def isFull: Boolean = Full.isFull

  /** Registers a test that the other modes exclude by its tag. */
  protected def full(name: String)(body: => Any): Unit = test(name, Full)(body)
}
