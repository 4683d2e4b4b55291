package windrow

private[windrow] object WindowKinds {

  /** The forms of all kinds. */
  val Forms: Seq[WindowForm] = Seq(
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
}
