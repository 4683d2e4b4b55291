package windrow.spark.replay

import com.fasterxml.jackson.databind.node.ObjectNode
import windrow._
import windrow.replay._

/** Checks whether Spark can run a case, and adapts it (SEMANTICS M1-M5). */
private[replay] object Feedable {

  /** Returns an equivalent case in which every row has a session gap if some rows have one, and in which the first step
    * has a processing time if processing time matters.
    */
  def apply(transcript: TranscriptCase): TranscriptCase = begun(withGaps(transcript))

  private def withGaps(transcript: TranscriptCase): TranscriptCase = {
    val window = transcript.specJson.path("window")
    if (!window.path("gap").isIntegralNumber || !feeds(transcript).exists(_.messages.exists(_.gap.isDefined)))
      transcript
    else {
      val gap  = window.path("gap").asLong * transcript.timeUnit.micros
      val spec = transcript.specJson.deepCopy()
      spec.get("window").asInstanceOf[ObjectNode].remove("gap")
      transcript.copy(
        specJson = spec,
        steps = transcript.steps.map {
          case feed: Step.Feed => feed.copy(messages = feed.messages.map(m => m.copy(gap = m.gap.orElse(Some(gap)))))
          case other           => other
        })
    }
  }

  /** Adds a processing time to the first step. Policy windows start at 0. A period starts with the first processing
    * time (SEMANTICS R14), and rows before it are never too far ahead.
    */
  private def begun(transcript: TranscriptCase): TranscriptCase = {
    val all      = feeds(transcript)
    val messages = all.takeWhile(_.processingTime.isEmpty).flatMap(_.messages.flatMap(_.time))
    val isPolicy = TranscriptCase.windowKind(transcript.specJson) == "policy"
    val first    = if (isPolicy) Some(0L) else all.flatMap(_.processingTime).headOption.orElse(messages.maxOption)
    val guard    = transcript.specJson.path("max_future")
    def isAhead =
      guard.isNumber && messages.exists(_ > first.getOrElse(0L) + guard.asLong * transcript.timeUnit.micros)
    if (all.headOption.forall(_.processingTime.isDefined) || isAhead) transcript
    else transcript.copy(steps = transcript.steps.map {
      case feed: Step.Feed if feed eq all.head => feed.copy(processingTime = first)
      case other                               => other
    })
  }

  def maxFuture(operator: OperatorSpec): Option[TimeSpan] = operator match {
    case OperatorSpec.Aggregate(spec, _) => spec.maxFuture
    case OperatorSpec.FullState(spec)    => spec.windows.maxFuture
    case OperatorSpec.CoGroup(spec)      => spec.window.maxFuture
    case OperatorSpec.Join(spec)         => spec.maxFuture
    case OperatorSpec.Dedup(spec)        => spec.maxFuture
    case _: OperatorSpec.Policy          => None
  }

  /** Returns the reason why Spark cannot run a case. */
  def hindrance(transcript: TranscriptCase, operator: OperatorSpec): Option[String] = (operator match {
    case _: OperatorSpec.Join if asks(transcript) =>
      Some("The rows of a join cannot be read from outside its query.")
    case policy: OperatorSpec.Policy => policy.spec(transcript.timeUnit).toOption.flatMap(ofTies(transcript, _))
    case _                           => ofTimes(transcript, operator)
  }).orElse(ofValues(transcript))

  private def asks(transcript: TranscriptCase): Boolean = transcript.steps.exists {
    case Step.Ask(Query.Counters, _) => false
    case step                        => step.isInstanceOf[Step.Ask]
  }

  private def ofTimes(transcript: TranscriptCase, operator: OperatorSpec): Option[String] = {
    val all   = feeds(transcript)
    val clock = all.flatMap(_.processingTime)
    if (all.flatMap(_.watermark).exists(_ <= 0))
      Some("Spark's watermark begins at 0, so 0 means none yet and none is below (SEMANTICS R70).")
    else if ((all.flatMap(_.watermark) ++ clock).exists(_ % 1000 != 0))
      Some("Spark's watermark and processing time are in whole milliseconds.")
    else maxFuture(operator).flatMap(_ => ofGuard(operator, all.headOption.exists(_.processingTime.isEmpty)))
  }

  private def ofGuard(operator: OperatorSpec, isTimeless: Boolean): Option[String] = operator match {
    case _: OperatorSpec.Join | _: OperatorSpec.CoGroup =>
      Some("The watermark of several streams, which the replay sets, cannot be guarded by maxFuture (SEMANTICS R73).")
    case _ =>
      Option.when(isTimeless)("Spark has a processing time from its first batch, so the guard applies from then on.")
  }

  /** Returns a problem if the age of a row could equal its limit at the end. The micro-batch that ends a query is later
    * than the previous one, so the row would be older than the limit.
    */
  private def ofTies(transcript: TranscriptCase, spec: PolicyWindowSpec): Option[String] = {
    val clock = feeds(transcript).flatMap(_.processingTime)
    val ages = spec.limits.idle ++ (spec.eviction match {
      case Eviction.Sliding(ByTime(period), _) => Some(period)
      case _                                   => None
    })
    val ties = ages.exists(age => clock.contains(clock.last - age.micros))
    Option.when(transcript.atEnd.exists(_.isFinal) && ties)(
      "The last batch of a query is later than the previous one, so values exactly at an age limit exceed it.")
  }

  private def ofValues(transcript: TranscriptCase): Option[String] = {
    val values = feeds(transcript).flatMap(_.messages).map(_.value)
    Option.when(values.exists(_.isInstanceOf[Value.Text]) && values.exists(_.isInstanceOf[Value.Whole]))(
      "A column has texts or numbers.")
  }

  private def feeds(transcript: TranscriptCase): Seq[Step.Feed] =
    transcript.steps.collect { case feed: Step.Feed => feed }
}
