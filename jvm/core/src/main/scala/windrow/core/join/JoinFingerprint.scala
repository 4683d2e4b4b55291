package windrow.core.join

import windrow.core.operator.ShardFingerprint
import windrow.core.state.FingerprintField
import windrow.core.time.Due
import windrow.{ExpectedSize, JoinSpec, JoinStream, Never, Within}

/** The properties of a join that are written into the state of a [[JoinShard]] and restrict changes while the state
  * exists. The text is independent of class names.
  */
object JoinFingerprint {

  def range(within: Within): String = within match {
    case Within.OwnWindows         => "OwnWindows"
    case Within.Everything         => "Everything"
    case Within.Ranges(of)         => s"Ranges($of)"
    case Within.SameWindow(window) => s"SameWindow($window)"
    case Within.AsOf(direction, tolerance) =>
      s"AsOf($direction${tolerance.fold("")(span => s", tolerance='$span'")})"
  }

  /** When an as-of join emits its rows, which cannot change, because the state does not contain whether a row was emitted.
    */
  def emission(spec: JoinSpec): Option[FingerprintField] = Some(spec.within).collect { case _: Within.AsOf =>
    FingerprintField("emission", if (spec.early == Never) "early='never'" else "early='each_batch'")
  }

  def expected(size: ExpectedSize): String = size match {
    case ExpectedSize.Small => "Small"
    case ExpectedSize.Large => "Large"
  }

  /** The streams of a join that runs without a query. */
  def streams(all: Seq[JoinStream]): String =
    all.map(one => s"JoinStream(${one.name},${one.window.fold("None")(window => s"Some($window)")})").mkString(", ")

  /** If no lateness rejects the messages of a stream, the retained time does, and their identities are forgotten by it
    * (SEMANTICS R13). A longer retained time would pair them twice.
    */
  def times(spec: JoinSpec): Seq[FingerprintField] = {
    val rule = PairRules.of(spec)
    Seq(ShardFingerprint.lateness(spec.lateness)) ++
      Option.when(spec.streams.indices.exists(rule.tooLateFrom(0, _) == Due.Never))(
        ShardFingerprint.retained(spec.retention)) ++ starts(spec)
  }

  private def starts(spec: JoinSpec): Seq[FingerprintField] = for {
    stream <- spec.streams
    window <- stream.window
    field <- ShardFingerprint.starts(
      window,
      spec.startOffsets.getOrElse(stream.name, Map.empty),
      s"start offsets of '${stream.name}'")
  } yield field
}
