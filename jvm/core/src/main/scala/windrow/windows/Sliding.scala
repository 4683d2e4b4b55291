package windrow

/** `[start, end]` windows of `size`, both ends inclusive: one for each distinct set of messages (KIP-450). A message at
  * t creates `[t - size, t]` and, if it is not empty, `[t + granularity, t + granularity + size]`. Spark's and Flink's
  * sliding windows are [[Hopping]].
  */
final case class Sliding(size: TimeSpan, granularity: TimeSpan = TimeSpan(1000)) extends WindowKind {
  def problems: Seq[SpecProblem] =
    NumberCheck.notNegative("size", size) ++
      NumberCheck.positive("granularity", granularity) ++
      SpecProblem.when(
        granularity.micros > 0 && size.micros % granularity.micros != 0,
        "GRANULARITY_NOT_DIVISOR.SIZE",
        "granularity" -> granularity,
        "size"        -> size)

  private[windrow] def form: WindowForm           = Sliding.Form
  private[windrow] def fields: Seq[(String, Any)] = Seq("size" -> size, "granularity" -> granularity)
  private[windrow] def inWords: String =
    s"For each key, windows of $size, start and last inclusive: one that ends at each row, and " +
      s"one that starts $granularity after each row, unless it is empty. No two windows contain the same rows."
  @transient private[windrow] lazy val family: WindowFamily = WindowFamily.DistinctSets(size, granularity)
  private[windrow] override def extent: Option[TimeSpan]    = Some(size)
  override def toString: String                             = s"Sliding('$size', granularity='$granularity')"
}

object Sliding {
  private val Fields = Seq("size", "granularity")

  /** Spark calls hopping windows sliding windows, and their step a slide. */
  private val Steps = Seq("step", "slide", "slide_duration").map(name =>
    name -> SpecProblem(
      "SLIDING_STEP",
      "name"    -> name,
      "hopping" -> "windrow_hop(..., size => ..., step => ...)")).toMap

  private[windrow] val Form: WindowForm = WindowForm(
    "sliding",
    Fields,
    Some(WindowFunction("windrow_slide", Fields, "windows of one size that end at each row", Steps)),
    read)

  private def read(fields: WindowFields): Option[Sliding] = {
    val (size, granularity) = (fields.span("size"), fields.spanIfSet("granularity"))
    size.map(size => granularity.fold(Sliding(size))(Sliding(size, _)))
  }
}
