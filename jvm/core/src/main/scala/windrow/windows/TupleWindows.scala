package windrow

/** Windows of positions instead of time. */
trait TupleWindows extends WindowKind

private object TupleWindows {
  val LastIsIn: Option[String] = Some("its last position has been read")

  /** The form of kinds with a number of positions and a step between windows. */
  def form(name: String, function: String, sentence: String)(make: (Long, Long) => WindowKind): WindowForm =
    WindowForm(name, function, sentence, "n", "step")(_.steps.map(make.tupled))

  def shown(name: String, n: Long, step: Long): String = if (step == n) s"$name($n)" else s"$name($n, step=$step)"

  def numbered(of: String, n: Long, step: Long): String =
    s"$of: windows of $n, first and last inclusive, one every $step."
}
