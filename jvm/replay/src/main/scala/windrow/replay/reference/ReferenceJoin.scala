package windrow.replay

import windrow._
import windrow.replay.Emission.Row

/** The slow, obviously correct join. It compares every message with every other one in its state. */
private[windrow] final class ReferenceJoin(spec: JoinSpec) extends StepwiseOperator {
  private val names   = spec.names
  private val pairing = new ReferencePairing(spec)
  private val intake  = new ReferenceIntake(spec.maxFuture)
  private val isEqual = spec.hasKeys

  /** The sessions that still accept messages, if messages pair by a common session (SEMANTICS R39). */
  private val sessions = spec.within match {
    case Within.SameWindow(Session(Some(gap), _, _, _)) =>
      Some(new ReferenceJointSessions(gap.micros, spec.lateness.micros))
    case _ => None
  }

  private var watermark = Option.empty[Long]
  private var kept      = Vector.empty[Message]
  private var settled   = Set.empty[Message]
  private var waiting   = Map.empty[Option[Scalar], (Option[Long], Vector[Row])]
  private var rows      = Vector.empty[Row]

  def step(feed: Step.Feed): Emission = step(feed.messages, feed.watermark, feed.processingTime)

  private def step(messages: Seq[Message], watermark: Option[Long], processingTime: Option[Long]): Emission = {
    intake.processingTime = processingTime.orElse(intake.processingTime)
    messages.sorted(Message.Order).foreach(message => intake(message)(place(message, _)))
    advance(watermark.fold(this.watermark)(to => Some(this.watermark.fold(to)(math.max(_, to)))), isFinal = false)
  }

  def finish(): Emission = advance(Some(Long.MaxValue), isFinal = true)

  def restart(): Unit = ()

  private def streamOf(message: Message): Int = names.indexOf(message.stream.getOrElse(""))

  // ---- messages

  private def place(message: Message, time: Long): Unit = {
    val stream = streamOf(message)
    if (isInGap(stream, time)) intake.count("gaps")
    else if (isOld(message)) intake.reject(message, Reason.OutOfRetention)
    else if (isTooLate(stream, time)) intake.reject(message, Reason.TooLate)
    else {
      intake.count("accepted")
      if (isEqual && message.key == Value.Null) alone(message).foreach(rows :+= _)
      else accept(message, stream)
    }
  }

  private def isOld(message: Message): Boolean = watermark.zip(spec.retention.time).exists { case (w, span) =>
    message.time.exists(_ < (if (w == Long.MaxValue) w else w - span.micros))
  }

  private def accept(message: Message, stream: Int): Unit = {
    kept :+= message
    val groups = sessions.fold(matching(message, stream))(_.add(groupOf(message.key), message).map(group =>
      names.indices.map(next => group.filter(streamOf(_) == next)).foldLeft(Seq(Vector.empty[Message])) {
        (groups, side) => for (group <- groups; one <- side) yield group :+ one
      }).reduce((all, known) => all.diff(known)))
    val made = spec.how match {
      case JoinKind.Anti => Nil
      case JoinKind.Semi =>
        groups.map(_.head).distinct.filterNot(settled).map(first => Map(names.head -> Option(shown(first))))
      case _ => groups.map(group => names.zip(group.map(one => Option(shown(one)))).toMap)
    }
    settled ++= groups.flatten
    give(message.key, made)
  }

  private def matching(message: Message, stream: Int): Seq[Vector[Message]] =
    names.indices.foldLeft(Seq(Vector.empty[Message])) { (groups, next) =>
      val choices = if (next == stream) Seq(message) else kept.filter(streamOf(_) == next)
      for (group <- groups; choice <- choices if group.forall(fit(_, choice))) yield group :+ choice
    }

  private def isInGap(stream: Int, time: Long): Boolean = sessions.isEmpty && pairing.isInGap(stream, time)

  private def isTooLate(stream: Int, time: Long): Boolean =
    sessions.fold(pairing.isTooLate(stream, time, watermark))(_.isTooLate(time, watermark))

  private def isDecided(message: Message): Boolean =
    sessions.fold(pairing.isDecided(streamOf(message), message.time.get, watermark))(_.isClosed(message, watermark))

  private def isNeedless(message: Message): Boolean =
    sessions.fold(pairing.isNeedless(streamOf(message), message.time.get, watermark))(_.isClosed(message, watermark))

  private def isProtected(message: Message): Boolean =
    sessions.fold(pairing.isProtected(streamOf(message), message.time.get, watermark))(!_.isClosed(message, watermark))

  private def fit(a: Message, b: Message): Boolean =
    (!isEqual || a.key == b.key) && pairing.pairs(a, streamOf(a), b, streamOf(b))

  private def shown(message: Message): StoredValue = StoredValue(message.time.get, message.value)

  /** Returns the row of a message without a partner, if the kind of join emits one. */
  private def alone(message: Message): Option[Row] = (spec.how, streamOf(message)) match {
    case (JoinKind.Anti, 0) => Some(Map(names.head -> Some(shown(message))))
    case (JoinKind.Left | JoinKind.Full, 0) | (JoinKind.Right | JoinKind.Full, 1) =>
      Some(names.map(name => name -> Option.when(message.stream.contains(name))(shown(message))).toMap)
    case _ => None
  }

  private def give(key: Scalar, made: Seq[Row]): Unit = spec.early match {
    case EveryPeriod(_) if made.nonEmpty =>
      val of            = groupOf(key)
      val (since, held) = waiting.getOrElse(of, (intake.processingTime, Vector.empty))
      waiting += of -> ((since, held ++ made))
    case _ => rows ++= made
  }

  /** Returns the group that shares a period. Rows of different keys do not wait for each other. */
  private def groupOf(key: Scalar): Option[Scalar] = Option.when(isEqual)(key)

  // ---- the end of a step

  private def advance(to: Option[Long], isFinal: Boolean): Emission = {
    watermark = to
    val leaving = kept.groupBy(message => (streamOf(message), if (isEqual) message.key else Value.Null)).values
      .flatMap(leavers).toSet
    val over = kept.filter(message =>
      leaving(message) || names.size == 2 && isDecided(message))
    over.filterNot(settled).foreach(message => give(message.key, alone(message).toSeq))
    settled ++= over
    kept = kept.filterNot(leaving)
    sessions.foreach(_.forget(to))
    release(isFinal)
    val emission = Emission(rejected = intake.takeRejected(), rows = rows)
    rows = Vector.empty
    emission
  }

  /** Returns the messages of one stream and key that are removed from the state. */
  private def leavers(all: Seq[Message]): Seq[Message] = {
    val isStated = spec.retention.time.isDefined || spec.retention.messages.isDefined
    all.sorted(Message.Order).reverse.zipWithIndex.collect {
      case (message, rank)
          if (if (isStated)
                (isOld(message) || spec.retention.messages.exists(rank >= _)) &&
                !isProtected(message)
              else isNeedless(message)) => message
    }
  }

  private def release(isFinal: Boolean): Unit = spec.early match {
    case EveryPeriod(period) =>
      waiting = waiting.flatMap { case (key, (since, held)) =>
        val from = since.orElse(intake.processingTime)
        val isDue = isFinal || from.zip(intake.processingTime).exists { case (from, now) =>
          Math.floorDiv(now, period.micros) > Math.floorDiv(from, period.micros)
        }
        if (isDue) rows ++= held
        Option.when(!isDue)(key -> ((from, held)))
      }
    case _ => ()
  }

  def ask(query: Query): Answer = query match {
    case Query.Counters => Answer.Counters(intake.counters)
    case Query.GetMessages(start, end, key, axis) =>
      val found = kept.filter(message => key.forall(_ == message.key)).filter { message =>
        val at = if (axis == Query.ByTime) message.time else message.offset
        at.exists(position => start.forall(_ <= position) && end.forall(position <= _)) || (start ++ end).isEmpty
      }
      val inOrder =
        if (axis == Query.ByTime) found.sorted(Message.Order)
        else found.sortBy(message => (message.offset, message.stream, message.partition))
      Answer.Messages(inOrder.map(message =>
        StoredMessage(message.key, message.time.get, message.value, message.offset)))
    case _: Query.GetWindows => Answer.Refused("NO_WINDOWS")
  }
}
