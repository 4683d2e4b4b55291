package windrow.spark.replay

import com.fasterxml.jackson.databind.node.ObjectNode
import windrow._
import windrow.replay._

/** Which cases Spark can be fed, and in which words (SEMANTICS, "What a replay through Spark cannot do"). */
private[replay] object Feedable {

  /** The same case: each message with its session gap where some have one, and with a processing time from the first step
    * on where it counts.
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

  /** Policies begin at 0; a period counts from the first processing time that comes (SEMANTICS R14), and nothing before it
    * is too far ahead.
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
    case _: OperatorSpec.Policy          => None
  }

  /** Why Spark cannot be fed a case. */
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

  /** The batch that ends a query comes later than the one before: what is just as old as its period is older then. */
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
