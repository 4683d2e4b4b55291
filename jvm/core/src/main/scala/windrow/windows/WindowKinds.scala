package windrow

private[windrow] object WindowKinds {

  private val OfOne: Seq[WindowForm] = Seq(
    Tumbling.Form,
    Hopping.Form,
    Calendar.Form,
    Session.Form,
    Sliding.Form,
    Over.Form,
    Count.Form,
    OffsetRange.Form,
    OffsetSession.Form,
    Global.Form,
    Inherit.Form)

  /** The forms of all kinds. */
  val Forms: Seq[WindowForm] = OfOne :+ NamedWindows.form(OfOne)
}
