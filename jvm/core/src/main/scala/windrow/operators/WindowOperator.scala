package windrow.operators

import windrow.CheckpointError
import windrow.ErrorConditions
import windrow.Reason
import windrow.SourcePartition
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.core.state.JournaledStore
import windrow.core.state.ShardStore
import windrow.core.time.Watermark

/** The common life of the sources' operators outside Spark. Not safe for several threads.
  *
  * Each call is one step: its messages are judged by the watermark before it. Nothing reads a clock.
  *
  * @tparam M
  *   message
  * @tparam R
  *   output
  */
abstract class WindowOperator[M, R] private[operators] (context: Context[M, R]) extends Operator[M] {

  /** Names of the streams that it takes, in order. */
  def inputStreams: Seq[String]

  private[operators] def open(store: ShardStore): Core[M, R]

  private val log       = System.getLogger("windrow")
  private var journaled = Option.empty[JournaledStore]
  private var core      = Option.empty[Core[M, R]]
  private val outbox    = new Outbox[R](context.hooks.beforeSend)
  private var rejects   = Vector.empty[Rejected[M]]
  private var refusals  = Map.empty[Reason, Long]
  private var filtered  = 0L
  private var before    = Ledger.Empty // what shards have counted that a failed step has ended

  private var clock       = Option.empty[Long]
  private var marks       = Map.empty[String, Long] // of streams that told their own
  private var owed        = Watermark.None          // came while the downstream was full
  private var isSelecting = true
  private var isHeld      = false                   // by who takes the outputs, where they are not sent
  private var isChanged   = false                   // since it was last persisted

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

  /** At the end of the last step. */
  private[windrow] final def watermark: Watermark = opened.watermark

  // What an operator has beside its core.

  private[operators] def restored(): Unit   = ()
  private[operators] def drained(): Unit    = ()
  private[operators] def persisting(): Unit = ()
  private[operators] def stepped(): Unit    = ()
  private[operators] def closing(): Unit    = ()

  /** False: the downstream is full, and no message is taken. */
  final def acceptsInput: Boolean = isSelecting

  /** What became of the messages so far. */
  final def ledger: Ledger =
    countedSoFar.copy(rejected = refusals, filtered = filtered, overRetention = opened.overRetention)

  /** Messages that `beforeProcess` withheld. */
  final def filteredCount: Long = filtered

  /** Where the sources must be read again to rebuild a store that was lost: for each source (stream, in a join) and
    * partition the first offset. To be kept elsewhere than the store (SEMANTICS R27).
    */
  final def restartOffsets(): Map[SourcePartition, Long] = opened.restartOffsets

  /** beforeProcess, addMessage, and in the automatic context beforeSend and send. */
  final def process(stream: String, message: M): Unit = addMessages(stream, Seq(message))

  final def addMessage(stream: String, message: M): Unit = addMessages(stream, Seq(message))

  /** Applies messages as one step, in the order of their event times.
    *
    * @throws BackpressureError
    *   and nothing has changed
    */
  final def addMessages(stream: String, messages: Seq[M]): Unit = {
    val _ = opened
    requireRoom()
    step(messages.map(stream -> _), Watermark.None, None)
  }

  /** A whole step of a log that is followed: messages of any stream, the watermark after them, and the processing time by
    * which all of it is judged. `addMessages` and `timeout` are two steps.
    *
    * @param withheld
    *   by a hook elsewhere
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
    log.log(System.Logger.Level.WARNING, s"${context.name}: a message came while the downstream is full")
    throw new BackpressureError(context.name, outbox.size)
  }

  /** Resumes sending at the first output that was refused. If none remains the selector is enabled, and what the clock
    * and the watermark release follows (SEMANTICS R30).
    *
    * @param processingTime
    *   in microseconds; it never falls
    * @param watermark
    *   in microseconds; None: unchanged
    */
  final def timeout(processingTime: Long, watermark: Option[Long] = None): Unit =
    move(watermark.fold(Watermark.None)(Watermark(_)), Some(processingTime))

  final def refresh(processingTime: Long, watermark: Option[Long] = None): Unit = timeout(processingTime, watermark)

  /** The watermark of all streams moves on; in microseconds. */
  final def advanceWatermark(watermark: Long): Unit = move(Watermark(watermark))

  /** The watermark of one stream moves on; in microseconds. The operator's is the least of its streams', as soon as all of
    * them have one.
    */
  final def advanceWatermark(stream: String, watermark: Long): Unit = {
    requireInput(stream)
    val told = marks.updated(stream, marks.get(stream).fold(watermark)(math.max(_, watermark)))
    if (inputStreams.forall(told.contains)) move(Watermark(told.values.min))
    marks = told
  }

  /** The input is over: every window is complete. */
  final def finish(): Unit = move(Watermark.End)

  /** While the downstream is full the watermark waits with what it would release. */
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

  /** A step that fails leaves everything as it was: the shard reads anew what the store had before it (SEMANTICS S9). */
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

  /** What `beforeProcess` withholds has had its fate: if it comes again it is a replay (SEMANTICS R13, R41). */
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

  /** Who takes the outputs can take no more, or can again: then what the watermark would release follows as time moves on.
    */
  private[windrow] final def hold(isFull: Boolean): Unit = {
    isHeld = isFull
    release()
    ()
  }

  /** Sends what waits, in order, until the downstream refuses; without a `send` it stays. What was sent is persisted.
    *
    * @return
    *   messages can be taken
    */
  private def release(): Boolean = {
    outbox.show()
    context.send match {
      case Some(send) =>
        isSelecting = outbox.send(send)
        if (isSelecting && isChanged) persist() // a clock alone does not get ahead of its step
      case None => isSelecting = !isHeld && context.maxWaiting.forall(outbox.size < _)
    }
    isSelecting
  }

  /** Finishes what is pending: sends what waits, in order, until the downstream refuses, and what a full downstream held
    * back follows. Without a `send` outputs stay (SEMANTICS R60).
    *
    * @return
    *   messages can be taken
    */
  final def drain(): Boolean = {
    val _ = opened
    if (release() && owed.isDefined) step(Nil, Watermark.None, None)
    drained()
    release()
  }

  /** A copy of the outputs that wait, in firing order. */
  final def getResult(): Seq[R] = outbox.shown

  /** The refused messages since they were last asked for. */
  final def takeRejected(): Seq[Rejected[M]] = {
    val taken = rejects
    rejects = Vector.empty
    taken
  }

  /** The outputs are taken: persists messages, metadata and applied offsets, then forgets the outputs (SEMANTICS R31).
    * In the automatic context it persists nothing while outputs still wait.
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

  /** Others have the outputs now, but nothing is persisted before `flush`. */
  private[windrow] final def forget(): Unit = outbox.forget()

  private def persist(): Unit = journaled.foreach { store =>
    persisting()
    WindowOperator.writeClock(store, clock)
    store.commit()
    isChanged = false
  }

  /** Everything that the operator knows, as bytes: contents, marks, deadlines and applied offsets (SEMANTICS R60).
    *
    * @throws windrow.CheckpointError
    *   if outputs wait, which would be in neither the checkpoint nor the downstream, or if the store cannot be listed
    */
  final def checkpoint(): Array[Byte] = {
    val _     = opened
    val waits = outbox.shown.size
    if (waits > 0) throw new CheckpointError(
      ErrorConditions.message("OUTPUTS_WAIT", "operator" -> context.name, "count" -> waits))
    image()
  }

  /** A checkpoint for who keeps the outputs that wait beside it. */
  private[windrow] final def image(): Array[Byte] = {
    val _ = opened
    persisting()
    journaled.foreach(WindowOperator.writeClock(_, clock))
    journaled.get.image()
  }

  /** Forgets everything, outputs too, without an event, as if it had just been made; the clock goes on. */
  final def reset(): Unit = replace(None)

  /** Forgets everything without an event and goes on from a checkpoint; then the clock, which never stood still, releases
    * what is overdue.
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
      case failed: Throwable => // of a listener, too
        store.replaceBy(Some(was))
        core = Some(open(store))
        before = counted
        refusals = counted.rejected
        filtered = counted.filtered
        throw failed
    }
    forgetWhatWaits()
    if (context.send.isDefined) persist() // else `flush` does: what waits beside a checkpoint is in no store yet
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

  /** Frees the operator and its store. What was not flushed is gone, and comes back when its messages are replayed. */
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

  /** The last processing time: periods go on counting while an operator is away (SEMANTICS R63). */
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
