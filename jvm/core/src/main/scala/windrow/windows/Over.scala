package windrow

/** One window for each message, ending at it: the last `range` of event time, the last `rows` messages, or all earlier
  * messages. Start and `last` are inclusive.
  */
sealed trait Over extends WindowKind {
  private[windrow] final def form: WindowForm = Over.Form
  private[windrow] final def inWords: String  = s"For each row of a key, a window that ends at it and contains $held."
  protected def held: String
}

object Over {

  /** The messages within `range` before each message. */
  def apply(range: TimeSpan): Range = Range(range)

  /** The last `rows` messages up to each message. */
  def apply(rows: Long): Rows = Rows(rows)

  /** All messages up to each message. */
  def apply(): Over = Everything

  final case class Range(range: TimeSpan) extends Over {
    private[windrow] override def extent: Option[TimeSpan]    = Some(range)
    @transient private[windrow] lazy val family: WindowFamily = WindowFamily.MessageWindowsByTime(range)
    def problems: Seq[SpecProblem]                            = NumberCheck.notNegative("range", range)
    private[windrow] def fields: Seq[(String, Any)]           = Seq("range" -> range)
    protected def held: String =
      s"all rows of the $range before it, start inclusive, and all rows of its own event time"
    override def toString: String = s"Over(range='$range')"
  }

  /** The message and the `rows - 1` messages before it. */
  final case class Rows(rows: Long) extends Over {
    def problems: Seq[SpecProblem]                            = NumberCheck.atLeastOne("rows", rows)
    @transient private[windrow] lazy val family: WindowFamily = WindowFamily.MessageWindowsByCount(rows)
    private[windrow] def fields: Seq[(String, Any)]           = Seq("rows" -> rows)
    protected def held: String                                = s"it and the ${rows - 1} rows before it in event time"
    override def toString: String                             = s"Over(rows=$rows)"
  }

  case object Everything extends Over {
    def problems: Seq[SpecProblem]                  = Nil
    private[windrow] def fields: Seq[(String, Any)] = Nil
    private[windrow] def family: WindowFamily       = WindowFamily.MessageWindowsFromFirst
    protected def held: String                      = "all rows up to its own event time"
    override def toString: String                   = "Over()"
  }

  private[windrow] val Form: WindowForm = WindowForm(
    "over",
    "windrow_over",
    "for each row, a window of the rows or the range before it",
    "range",
    "rows") { fields =>
    if (fields.isSet("range") && fields.isSet("rows"))
      fields.refuse("OVER_TWICE")
    else fields.spanIfSet("range").map(Range(_)).orElse(fields.countIfSet("rows").map(Rows(_))).orElse(Some(Everything))
  }
}
