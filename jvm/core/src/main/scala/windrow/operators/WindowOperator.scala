package windrow.operators

import windrow.core.state.{ByteReader, ByteWriter, ShardStore}
import windrow.core.time.Watermark
import windrow.{ErrorConditions, SourcePartition}

/** The common life cycle of standalone operators, which run outside Spark. Not thread-safe.
  *
  * Each call is one step: its messages are judged by the watermark before the step. Nothing reads a clock; processing
  * time is always passed in.
  *
  * @tparam M
  *   message
  * @tparam R
  *   output
  */
abstract class WindowOperator[M, R] private[operators] (context: Context[M, R]) extends Operator[M] {

  /** Names of the input streams, in order. */
  def inputStreams: Seq[String]

  private[operators] def open(store: ShardStore): Core[M, R]

  private val log = System.getLogger("windrow")
  private val outbox = context.outbox.getOrElse(
    new QueueOutbox(context.name, context.hooks.beforeSend, context.send, context.maxWaiting))

  private var state       = Option.empty[OpenState[M, R]] // None before `init` and after `close`
  private var time        = OperatorTime()
  private var rejects     = Vector.empty[Rejected[M]]
  private var isSelecting = true
  private var isChanged   = false                         // since the last persist

  final def init(): Unit = {
    require(state.isEmpty, s"${context.name} is already open")
    val opening = new OpenState[M, R](context.store, context.identity, open)
    state = Some(opening)
    time = time.after(opening.clock)
    restored()
  }

  private def openState: OpenState[M, R] = state.getOrElse(throw new IllegalStateException(
    ErrorConditions.message("NOT_OPEN.STATE", "operator" -> context.name)))

  private[operators] final def opened: Core[M, R] = openState.core

  private[operators] final def isOpen: Boolean = state.isDefined

  /** The watermark at the end of the last step. */
  private[windrow] final def watermark: Watermark = opened.watermark

  // Hooks for subclasses.

  private[operators] def restored(): Unit   = ()
  private[operators] def drained(): Unit    = ()
  private[operators] def persisting(): Unit = ()
  private[operators] def stepped(): Unit    = ()
  private[operators] def closing(): Unit    = ()

  /** Whether it accepts messages; false while the downstream is full. */
  final def acceptsInput: Boolean = isSelecting

  /** The counts of all messages so far. */
  final def ledger: Ledger = openState.ledger

  /** Number of messages that `beforeProcess` withheld. */
  final def filteredCount: Long = state.fold(0L)(_.ledger.filtered)

  /** The first offset to read again for each partition of a source (a stream, in a join) to rebuild a lost store. Keep
    * it outside the store (SEMANTICS R27).
    */
  final def restartOffsets(): Map[SourcePartition, Long] = opened.restartOffsets

  /** Applies a message: calls beforeProcess and addMessage, and in the automatic context beforeSend and send. */
  final def process(stream: String, message: M): Unit = addMessages(stream, Seq(message))

  final def addMessage(stream: String, message: M): Unit = addMessages(stream, Seq(message))

  /** Applies messages as one step, in the order of their event times.
    *
    * @throws BackpressureError
    *   if the downstream is full; nothing has changed then
    */
  final def addMessages(stream: String, messages: Seq[M]): Unit = follow(messages.map(stream -> _), None, None)

  /** Applies one complete step from a log: messages of any stream, the watermark after them, and the processing time
    * for all of it. `addMessages` and `timeout` would be two steps.
    *
    * @param withheld
    *   messages that a hook has withheld elsewhere
    */
  private[windrow] final def follow(
      messages: Seq[(String, M)],
      watermark: Option[Long],
      processingTime: Option[Long],
      withheld: Seq[(String, M)] = Nil): Unit = {
    val _ = opened
    if (!isSelecting)
      log.log(System.Logger.Level.WARNING, s"${context.name}: a row arrived although the downstream is full")
    requireRoom()
    step(messages, time.after(processingTime, instant(watermark)), withheld)
  }

  /** Fails while the downstream is full. */
  private[windrow] final def requireRoom(): Unit =
    if (!isSelecting) throw new BackpressureError(context.name, outbox.size)

  private def instant(watermark: Option[Long]): Watermark = watermark.fold(Watermark.None)(Watermark(_))

  /** Resumes sending at the first rejected output. If none remains, messages are accepted again, and windows fire that
    * the clock and the watermark release (SEMANTICS R30).
    *
    * @param processingTime
    *   in microseconds; a lower value than before has no effect
    * @param watermark
    *   in microseconds; None leaves it unchanged
    */
  final def timeout(processingTime: Long, watermark: Option[Long] = None): Unit =
    move(time.after(Some(processingTime), instant(watermark)))

  final def refresh(processingTime: Long, watermark: Option[Long] = None): Unit = timeout(processingTime, watermark)

  /** Advances the watermark of all streams, in microseconds. */
  final def advanceWatermark(watermark: Long): Unit = move(time.after(None, Watermark(watermark)))

  /** Advances the watermark of one stream, in microseconds. The operator's watermark is the least of its streams', as
    * soon as all of them have one.
    */
  final def advanceWatermark(stream: String, watermark: Long): Unit = {
    val _ = opened
    requireInput(stream)
    val marked = time.marked(stream, watermark)
    marked.least(inputStreams).fold { time = marked }(least => move(marked.after(None, least)))
  }

  /** Ends the input: every window is complete. */
  final def finish(): Unit = move(time.after(None, Watermark.End))

  /** Runs a step without messages, or only stores its time while the downstream is full, so that nothing is released
    * then.
    */
  private def move(to: OperatorTime): Unit = {
    val _ = opened
    if (release()) step(Nil, to) else time = to
  }

  /** Runs a step that leaves everything unchanged if it fails.
    *
    * @param to
    *   the time of the step
    */
  private def step(messages: Seq[(String, M)], to: OperatorTime, withheld: Seq[(String, M)] = Nil): Unit = {
    messages.map(_._1).distinct.foreach(requireInput)
    val arrivals = hooked(messages)
    val before   = watermark.instant
    val outcome  = openState.step(arrivals.copy(withheld = arrivals.withheld ++ withheld), to.owed, to.clock)
    time = to.applied
    rejects ++= outcome.rejected.map(_.copy(watermark = before, processingTime = to.clock))
    add(outcome.outputs)
    stepped()
  }

  private def requireInput(stream: String): Unit = require(
    inputStreams.contains(stream),
    s"'$stream' is not an input of ${context.name}. The inputs are ${inputStreams.mkString(", ")}")

  /** Applies `beforeProcess`. A withheld message counts as processed, so it is a duplicate if it arrives again
    * (SEMANTICS R13, R41).
    */
  private def hooked(messages: Seq[(String, M)]): Arrivals[M] = {
    val (withheld, admitted) = messages.partitionMap { case (stream, message) =>
      context.hooks.beforeProcess(message).map(stream -> _).toRight(stream -> message)
    }
    Arrivals(admitted, withheld)
  }

  private[operators] final def add(outputs: Seq[R]): Unit = {
    isChanged = true
    outbox.add(outputs)
    release()
    ()
  }

  /** Sends waiting outputs, and persists the state once all are sent. The clock alone is not persisted, so it is never
    * ahead of its step.
    *
    * @return
    *   whether messages are accepted
    */
  private[windrow] final def release(): Boolean = {
    isSelecting = outbox.release()
    if (outbox.isSent && isChanged) persist()
    isSelecting
  }

  /** Finishes pending work: sends waiting outputs in order until the downstream rejects one, then releases output that
    * the full downstream held back. Without `send` outputs stay (SEMANTICS R60).
    *
    * @return
    *   whether messages are accepted
    */
  final def drain(): Boolean = {
    val _ = opened
    if (release() && time.owed.isDefined) step(Nil, time)
    drained()
    release()
  }

  /** A copy of the waiting outputs, in firing order. */
  final def getResult(): Seq[R] = outbox.shown

  /** The messages rejected since the last call. */
  final def takeRejected(): Seq[Rejected[M]] = {
    val taken = rejects
    rejects = Vector.empty
    taken
  }

  /** Confirms that the outputs were consumed: persists messages, metadata and applied offsets, then drops the outputs
    * (SEMANTICS R31). In the automatic context it only sends; the state is persisted once no output waits.
    */
  final def flush(): Unit = {
    val _ = opened
    outbox.show()
    if (!outbox.sends) {
      persist()
      outbox.clear()
    }
    release()
    ()
  }

  private def persist(): Unit = {
    persisting()
    openState.persist(time.clock)
    isChanged = false
  }

  /** The complete state as bytes: contents, marks, deadlines and applied offsets (SEMANTICS R60).
    *
    * @throws windrow.CheckpointError
    *   if outputs are waiting, which would be in neither the checkpoint nor the downstream, or if the store cannot be
    *   listed
    */
  final def checkpoint(): Array[Byte] = {
    val from    = openState
    val waiting = outbox.image()
    persisting()
    val out = new ByteWriter(4096)
    out.bytes(from.image(time.clock))
    out.bytes(waiting)
    out.sealedResult()
  }

  /** Discards everything, including outputs, without emitting anything, as if newly created; the clock keeps its time.
    */
  final def reset(): Unit = replaceBy(None, Array.emptyByteArray)

  /** Discards everything without emitting anything and continues from a checkpoint. Afterwards the clock, which was not
    * reset, releases everything overdue.
    *
    * @throws windrow.CheckpointError
    *   if it is of another spec; nothing has changed then, nor if it is damaged or a listener fails
    */
  final def reset(checkpoint: Array[Byte]): Unit = {
    val in    = ByteReader.unsealed(checkpoint, "a checkpoint")
    val image = in.bytes()
    replaceBy(Some(image), in.bytes())
  }

  private def replaceBy(image: Option[Array[Byte]], waiting: Array[Byte]): Unit = {
    openState.replaceBy(image)(restored())
    forgetWhatWaits()
    if (waiting.nonEmpty) outbox.restore(waiting)
    time = time.after(openState.clock)
    isChanged = true // without `send`, `flush` persists it: no store has the waiting outputs yet
    release()
    if (image.isDefined && time.clock.isDefined) move(time)
  }

  private def forgetWhatWaits(): Unit = {
    outbox.clear()
    rejects = Vector.empty
    time = time.discarded
    isSelecting = true
  }

  /** Closes the operator and its store. Unflushed results are lost, and are computed again when their messages are
    * replayed.
    */
  final def close(): Unit = if (isOpen) {
    closing()
    state = None
    forgetWhatWaits()
    context.store match {
      case closeable: AutoCloseable => closeable.close()
      case _                        => ()
    }
  }
}
