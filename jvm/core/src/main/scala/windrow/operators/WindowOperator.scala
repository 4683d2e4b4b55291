package windrow.operators

import scala.collection.immutable.Queue
import windrow.core.operator.Watermark
import windrow.core.state.InMemoryShardStore
import windrow.core.state.JournaledStore
import windrow.core.state.ShardStore

/** How a standalone operator lives.
  *
  * @param name
  *   for messages
  * @param store
  *   where `flush` persists it
  * @param send
  *   takes an output, or refuses it by false; given: the *automatic* context, else outputs wait for `getResult` and
  *   `flush` (SEMANTICS R28)
  */
final case class Context[M, R](
    name: String = "operator",
    store: ShardStore = new InMemoryShardStore,
    hooks: Hooks[M, R] = Hooks.none[M, R],
    send: Option[R => Boolean] = None)

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

  /** One step of the core. */
  protected trait Core {
    def step(messages: Seq[(String, M)], watermark: Watermark, processingTime: Option[Long]): (Seq[R], Seq[Rejected[M]])
  }

  /** Names of the streams that it takes, in order. */
  def inputStreams: Seq[String]

  protected def open(store: ShardStore): Core

  private val log         = System.getLogger("windrow")
  private var store       = Option.empty[JournaledStore]
  private var core        = Option.empty[Core]
  private var waiting     = Queue.empty[R]
  private var rejects     = Vector.empty[Rejected[M]]
  private var filtered    = 0L
  private var clock       = Option.empty[Long]
  private var isSelecting = true

  final def init(): Unit = {
    require(core.isEmpty, s"${context.name} is open already")
    val journaled = new JournaledStore(context.store)
    store = Some(journaled)
    core = Some(open(journaled))
  }

  protected final def opened: Core = core.getOrElse(throw new IllegalStateException(
    s"[NOT_OPEN] ${context.name} is not open; call init() first, and nothing after close()."))

  /** False: the downstream is full, and no message is taken. */
  final def selectorEnabled: Boolean = isSelecting

  /** Messages that `beforeProcess` withheld. */
  final def filteredCount: Long = filtered

  /** beforeProcess, addMessage, and in the automatic context beforeSend and send. */
  final def process(stream: String, message: M): Unit = addMessages(stream, Seq(message))

  final def addMessage(stream: String, message: M): Unit = addMessages(stream, Seq(message))

  /** Applies messages as one step, in the order of their event times.
    *
    * @throws SelectorDisabledError
    *   and nothing has changed
    */
  final def addMessages(stream: String, messages: Seq[M]): Unit = {
    val _ = opened
    require(inputStreams.contains(stream), s"'$stream' is no input of ${context.name}: ${inputStreams.mkString(", ")}")
    if (!isSelecting) {
      log.log(System.Logger.Level.WARNING, s"${context.name}: a message came while the downstream is full")
      throw new SelectorDisabledError(context.name, waiting.size)
    }
    val taken = messages.flatMap(context.hooks.beforeProcess(_))
    filtered += messages.size - taken.size
    step(taken.map(stream -> _), Watermark.None)
  }

  /** Resumes sending at the first output that was refused. If none remains the selector is enabled, and what the clock
    * and the watermark release follows (SEMANTICS R30).
    *
    * @param processingTime
    *   in microseconds; it never falls
    * @param watermark
    *   in microseconds; None: unchanged
    */
  final def timeout(processingTime: Long, watermark: Option[Long] = None): Unit = {
    val _ = opened
    if (drain()) {
      clock = Some(clock.fold(processingTime)(math.max(_, processingTime)))
      step(Nil, watermark.fold(Watermark.None)(Watermark(_)))
    }
  }

  final def refresh(processingTime: Long, watermark: Option[Long] = None): Unit = timeout(processingTime, watermark)

  /** The watermark moves on; in microseconds. */
  final def advanceWatermark(watermark: Long): Unit = {
    val _ = opened
    if (drain()) step(Nil, Watermark(watermark))
  }

  /** The input is over: every window is complete. */
  final def finish(): Unit = {
    val _ = opened
    if (drain()) step(Nil, Watermark.End)
  }

  /** A whole step of a log that is followed: messages of any stream, the watermark after them, and the processing time by
    * which all of it is judged. `addMessages` and `timeout` are two steps.
    */
  private[windrow] final def follow(
      messages: Seq[(String, M)],
      watermark: Option[Long],
      processingTime: Option[Long]): Unit = {
    clock = Seq(clock, processingTime).flatten.maxOption
    step(messages, watermark.fold(Watermark.None)(Watermark(_)))
  }

  private def step(messages: Seq[(String, M)], watermark: Watermark): Unit = {
    val (outputs, refused) = opened.step(messages, watermark, clock)
    rejects ++= refused
    waiting ++= outputs.flatMap(context.hooks.beforeSend(_))
    drain()
    ()
  }

  /** Sends what waits, in order, until the downstream refuses; without a `send` it stays. What was sent is persisted.
    *
    * @return
    *   messages can be taken
    */
  final def drain(): Boolean = {
    context.send.foreach { send =>
      while (waiting.nonEmpty && send(waiting.head)) waiting = waiting.tail
      isSelecting = waiting.isEmpty
      if (isSelecting) persist()
    }
    isSelecting
  }

  /** A copy of the outputs that wait, in firing order. */
  final def getResult(): Seq[R] = waiting

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
    if (context.send.isEmpty) {
      persist()
      waiting = Queue.empty
    } else drain(): Unit
  }

  private def persist(): Unit = store.foreach(_.commit())

  /** Frees the operator. What was not flushed is gone, and comes back when its messages are replayed. */
  final def close(): Unit = {
    core = None
    store = None
    waiting = Queue.empty
  }
}
