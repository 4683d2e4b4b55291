package windrow.spark

import windrow.{Retention, SpecProblem, TimeSpan}

/** Finds settings of a stream that an operator does not support. */
private[spark] object UnsupportedSettings {

  /** Returns a problem for each setting of the stream that policy windows do not support. */
  def byPolicies(lateness: Option[TimeSpan], maxFuture: Option[TimeSpan], retention: Retention): Seq[SpecProblem] =
    Seq("lateness" -> lateness, "maxFuture" -> maxFuture).collect { case (field, Some(value)) =>
      SpecProblem("VALUE_NOT_SUPPORTED.POLICY", "name" -> field, "value" -> value)
    } ++ limits(retention, "POLICY")

  /** Returns a problem for each limit of retention, for an operator that stores no rows. */
  def limits(retention: Retention, operator: String): Seq[SpecProblem] =
    Seq("time" -> retention.time, "messages" -> retention.messages, "windows" -> retention.windows).collect {
      case (limit, Some(value)) =>
        SpecProblem(s"VALUE_NOT_SUPPORTED.$operator", "name" -> s"retain($limit)", "value" -> value)
    }
}
