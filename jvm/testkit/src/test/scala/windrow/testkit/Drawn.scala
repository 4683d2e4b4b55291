package windrow.testkit

/** How many random cases a run of the tests draws, and from which seed: `-Dwindrow.cases=10000`, `-Dwindrow.seed=7`. */
object Drawn {
  val cases: Int  = sys.props.getOrElse("windrow.cases", "500").toInt
  val first: Long = sys.props.getOrElse("windrow.seed", "1").toLong
}
