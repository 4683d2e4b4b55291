package windrow.operators

import windrow.core.state.{ByteReader, ByteWriter, JournaledStore, ShardStore}
import windrow.core.time.Watermark
import windrow.{CheckpointError, ErrorConditions, Reason, SourcePartition}

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

  private val log       = System.getLogger("windrow")
  private var journaled = Option.empty[JournaledStore]
  private var core      = Option.empty[Core[M, R]]
  private val outbox    = new Outbox[R](context.hooks.beforeSend)
  private var rejects   = Vector.empty[Rejected[M]]
  private var refusals  = Map.empty[Reason, Long]
  private var filtered  = 0L
  private var before    = Ledger.Empty // counts of shards that were replaced after a failed step

  private var clock       = Option.empty[Long]
  private var marks       = Map.empty[String, Long] // watermarks set for single streams
  private var owed        = Watermark.None          // set while the downstream was full
  private var isSelecting = true
  private var isHeld      = false                   // by the consumer, if outputs are not sent
  private var isChanged   = false                   // since the last persist

  final def init(): Unit = {
    require(core.isEmpty, s"${context.name} is already open")
    val store = new JournaledStore(context.store)
    start(store)
    journaled = Some(store)
  }

  private def start(store: JournaledStore): Unit = {
    core = Some(open(store))
    clock = (clock ++ WindowOperator.readClock(store)).maxOption
    refusals = Map.empty
    filtered = 0
    before = Ledger.Empty
    restored()
  }

  private[operators] final def opened: Core[M, R] = core.getOrElse(throw new IllegalStateException(
    ErrorConditions.message("NOT_OPEN.STATE", "operator" -> context.name)))

  private[operators] final def isOpen: Boolean = core.isDefined

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
  final def ledger: Ledger =
    countedSoFar.copy(rejected = refusals, filtered = filtered, overRetention = opened.overRetention)

  /** Number of messages that `beforeProcess` withheld. */
  final def filteredCount: Long = filtered

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
  final def addMessages(stream: String, messages: Seq[M]): Unit = {
    val _ = opened
    requireRoom()
    step(messages.map(stream -> _), Watermark.None, None)
  }

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
    requireRoom()
    step(messages, watermark.fold(Watermark.None)(Watermark(_)), processingTime, withheld)
  }

  private def requireRoom(): Unit = if (!isSelecting) {
    log.log(System.Logger.Level.WARNING, s"${context.name}: a row arrived although the downstream is full")
    throw new BackpressureError(context.name, outbox.size)
  }

  /** Resumes sending at the first rejected output. If none remains, messages are accepted again, and windows fire that
    * the clock and the watermark release (SEMANTICS R30).
    *
    * @param processingTime
    *   in microseconds; a lower value than before has no effect
    * @param watermark
    *   in microseconds; None leaves it unchanged
    */
  final def timeout(processingTime: Long, watermark: Option[Long] = None): Unit =
    move(watermark.fold(Watermark.None)(Watermark(_)), Some(processingTime))

  final def refresh(processingTime: Long, watermark: Option[Long] = None): Unit = timeout(processingTime, watermark)

  /** Advances the watermark of all streams, in microseconds. */
  final def advanceWatermark(watermark: Long): Unit = move(Watermark(watermark))

  /** Advances the watermark of one stream, in microseconds. The operator's watermark is the least of its streams', as
    * soon as all of them have one.
    */
  final def advanceWatermark(stream: String, watermark: Long): Unit = {
    requireInput(stream)
    val told = marks.updated(stream, marks.get(stream).fold(watermark)(math.max(_, watermark)))
    if (inputStreams.forall(told.contains)) move(Watermark(told.values.min))
    marks = told
  }

  /** Ends the input: every window is complete. */
  final def finish(): Unit = move(Watermark.End)

  /** Advances the watermark and the clock, or stores both while the downstream is full, so that nothing is released
    * then.
    */
  private def move(watermark: Watermark, processingTime: Option[Long] = None): Unit = {
    val _ = opened
    if (release()) step(Nil, watermark, processingTime)
    else {
      owed = owed.max(watermark)
      clock = later(processingTime)
    }
  }

  private def later(processingTime: Option[Long]): Option[Long] = (clock ++ processingTime).maxOption

  private def step(
      messages: Seq[(String, M)],
      watermark: Watermark,
      processingTime: Option[Long],
      withheld: Seq[(String, M)] = Nil): Unit = {
    messages.map(_._1).distinct.foreach(requireInput)
    val arrivals = hooked(messages)
    val now      = later(processingTime)
    val all      = arrivals.copy(withheld = arrivals.withheld ++ withheld)
    val outcome  = whole(_.step(all, owed.max(watermark), now))
    clock = now
    owed = Watermark.None
    rejects ++= outcome.rejected
    outcome.rejected.foreach(one => refusals += one.reason -> (refusals.getOrElse(one.reason, 0L) + 1))
    filtered += outcome.filtered
    add(outcome.outputs)
    stepped()
  }

  /** Runs a step that leaves everything unchanged if it fails: the shard is then read again from the store as it was
    * before (SEMANTICS S9).
    */
  private def whole[T](step: Core[M, R] => T): T = {
    val running = opened
    val store   = journaled.get
    val counted = countedSoFar
    store.begin()
    try step(running)
    catch {
      case failed: Throwable =>
        store.undoAll()
        core = Some(open(store))
        before = counted
        throw failed
    }
  }

  private def countedSoFar: Ledger = {
    val of = opened
    Ledger.Empty.copy(
      accepted = before.accepted + of.counters.accepted,
      duplicates = before.duplicates + of.counters.duplicates,
      gaps = before.gaps + of.counters.gaps,
      retired = before.retired + of.retired)
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

  /** Informs the operator whether its consumer is full. When it no longer is, panes held back by the watermark are
    * released at the next time step.
    */
  private[windrow] final def hold(isFull: Boolean): Unit = {
    isHeld = isFull
    release()
    ()
  }

  /** Sends waiting outputs in order until the downstream rejects one, and persists the state once all are sent. Without
    * `send` the outputs stay.
    *
    * @return
    *   whether messages are accepted
    */
  private def release(): Boolean = {
    outbox.show()
    context.send match {
      case Some(send) =>
        isSelecting = outbox.send(send)
        if (isSelecting && isChanged) persist() // the clock alone is not persisted, so it is never ahead of its step
      case None => isSelecting = !isHeld && context.maxWaiting.forall(outbox.size < _)
    }
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
    if (release() && owed.isDefined) step(Nil, Watermark.None, None)
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
    if (context.send.isEmpty) {
      persist()
      outbox.forget()
    }
    release()
    ()
  }

  /** Drops the outputs because the consumer has them, but persists nothing before `flush`. */
  private[windrow] final def forget(): Unit = outbox.forget()

  private def persist(): Unit = journaled.foreach { store =>
    persisting()
    WindowOperator.writeClock(store, clock)
    store.commit()
    isChanged = false
  }

  /** The complete state as bytes: contents, marks, deadlines and applied offsets (SEMANTICS R60).
    *
    * @throws windrow.CheckpointError
    *   if outputs are waiting, which would be in neither the checkpoint nor the downstream, or if the store cannot be
    *   listed
    */
  final def checkpoint(): Array[Byte] = {
    val _     = opened
    val waits = outbox.shown.size
    if (waits > 0) throw new CheckpointError(
      ErrorConditions.message("OUTPUTS_WAIT", "operator" -> context.name, "count" -> waits))
    image()
  }

  /** A checkpoint for callers that store the waiting outputs themselves. */
  private[windrow] final def image(): Array[Byte] = {
    val _ = opened
    persisting()
    journaled.foreach(WindowOperator.writeClock(_, clock))
    journaled.get.image()
  }

  /** Discards everything, including outputs, without emitting anything, as if newly created; the clock keeps its time.
    */
  final def reset(): Unit = replace(None)

  /** Discards everything without emitting anything and continues from a checkpoint. Afterwards the clock, which was not
    * reset, releases everything overdue.
    *
    * @throws windrow.CheckpointError
    *   if it is of another spec; nothing has changed then, nor if it is damaged or a listener fails
    */
  final def reset(checkpoint: Array[Byte]): Unit = replace(Some(checkpoint))

  private def replace(image: Option[Array[Byte]]): Unit = {
    val counted = countedSoFar.copy(rejected = refusals, filtered = filtered)
    val store   = journaled.get
    val was     = store.image()
    try {
      store.replaceBy(image)
      start(store)
    } catch {
      case failed: Throwable => // also of a listener
        store.replaceBy(Some(was))
        core = Some(open(store))
        before = counted
        refusals = counted.rejected
        filtered = counted.filtered
        throw failed
    }
    forgetWhatWaits()
    if (context.send.isDefined) persist() // otherwise `flush` does: no store has the waiting outputs yet
    if (image.isDefined && clock.isDefined) move(Watermark.None)
  }

  private def forgetWhatWaits(): Unit = {
    outbox.clear()
    rejects = Vector.empty
    marks = Map.empty
    owed = Watermark.None
    isSelecting = true
    isHeld = false
  }

  /** Closes the operator and its store. Unflushed results are lost, and are computed again when their messages are
    * replayed.
    */
  final def close(): Unit = if (core.isDefined) {
    closing()
    core = None
    journaled = None
    forgetWhatWaits()
    context.store match {
      case closeable: AutoCloseable => closeable.close()
      case _                        => ()
    }
  }
}

private object WindowOperator {
  private val Only = 0L

  /** The last processing time, because periods continue to count while an operator is closed (SEMANTICS R63). */
  private def readClock(store: ShardStore): Option[Long] =
    Option(store.space("clock").get(Only)).map(ByteReader.unsealed(_, "the clock").long())

  private def writeClock(store: ShardStore, clock: Option[Long]): Unit = clock.foreach { now =>
    if (!readClock(store).contains(now)) {
      val out = new ByteWriter
      out.long(now)
      store.space("clock").put(Only, out.sealedResult())
    }
  }
}
