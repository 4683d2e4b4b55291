package windrow.testkit

/** The number of random cases of a test run, and the first seed: `-Dwindrow.cases=10000`, `-Dwindrow.seed=7`. */
object Drawn {
  val cases: Int  = sys.props.getOrElse("windrow.cases", "500").toInt
  val first: Long = sys.props.getOrElse("windrow.seed", "1").toLong
}
