package windrow.spark.stream

import windrow._

/** What a query over one stream runs. */
sealed trait QuerySpec {

  /** Its windows; None for windows of policies, which know neither event time nor lateness. */
  def windows: Option[WindowOperatorSpec]

  final def window: Option[WindowKind] = windows.map(_.window)
}

object QuerySpec {

  /** Panes carry aggregates. */
  final case class Aggregates(spec: WindowOperatorSpec) extends QuerySpec {
    def windows: Option[WindowOperatorSpec] = Some(spec)
  }

  /** Panes carry messages. */
  final case class FullState(spec: FullStateSpec) extends QuerySpec {
    def windows: Option[WindowOperatorSpec] = Some(spec.windows)
  }

  /** Panes carry aggregates of what policies let go of or tell. */
  final case class Policies(spec: PolicyWindowSpec) extends QuerySpec {
    def windows: Option[WindowOperatorSpec] = None
  }
}
