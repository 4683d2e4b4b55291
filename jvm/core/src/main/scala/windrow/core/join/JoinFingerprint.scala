package windrow.core.join

import windrow.ExpectedSize
import windrow.JoinSpec
import windrow.JoinStream
import windrow.Within
import windrow.core.operator.ShardFingerprint
import windrow.core.state.FingerprintField
import windrow.core.time.Due

/** What of a join is written into the state of a [[JoinShard]], and so may not change freely while that lives: in words of
  * its own, which stay when a class has another name.
  */
object JoinFingerprint {

  def range(within: Within): String = within match {
    case Within.OwnWindows         => "OwnWindows"
    case Within.Everything         => "Everything"
    case Within.Ranges(of)         => s"Ranges($of)"
    case Within.SameWindow(window) => s"SameWindow($window)"
  }

  def expected(size: ExpectedSize): String = size match {
    case ExpectedSize.Small => "Small"
    case ExpectedSize.Large => "Large"
  }

  /** Of a join that runs without a query. */
  def streams(all: Seq[JoinStream]): String =
    all.map(one => s"JoinStream(${one.name},${one.window.fold("None")(window => s"Some($window)")})").mkString(", ")

  /** Where no lateness refuses the messages of a stream, the retained time does, and by it their identities are forgotten
    * (SEMANTICS R13): a longer one would pair them twice.
    */
  def times(spec: JoinSpec): Seq[FingerprintField] = {
    val rule = PairRule(spec)
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
