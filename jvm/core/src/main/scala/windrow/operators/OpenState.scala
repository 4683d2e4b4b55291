package windrow.operators

import windrow.core.state.{JournaledStore, ShardStore}
import windrow.core.time.Watermark

/** The state of an open operator: its store, the core that runs on it, and the counts of its messages. A step or a
  * replacement that fails leaves all of them as they were (SEMANTICS S9, R60).
  *
  * @param open
  *   creates the core on a store
  */
private[operators] final class OpenState[M, R](
    target: ShardStore,
    identity: Seq[String],
    open: ShardStore => Core[M, R]) {
  private val store   = new JournaledStore(target)
  private val record  = new OperatorRecord(store, identity)
  private var current = started()
  private var counted = Ledger.Empty // without the counts of `current`

  private def started(): Core[M, R] = {
    record.check()
    open(store)
  }

  def core: Core[M, R] = current

  /** The counts of all messages so far. */
  def ledger: Ledger = counted.and(current).copy(overRetention = current.overRetention)

  /** The processing time that was persisted last. */
  def clock: Option[Long] = record.clock

  def step(came: Arrivals[M], watermark: Watermark, processingTime: Option[Long]): Outcome[M, R] = {
    val before = counted.and(current)
    store.begin()
    try {
      val outcome = current.step(came, watermark, processingTime)
      counted = counted.and(outcome)
      outcome
    } catch {
      case failed: Throwable =>
        store.undoAll()
        restart(before)
        throw failed
    }
  }

  /** Continues from an image, or from empty state if it is None.
    *
    * @param restored
    *   called with the new core; if it fails, nothing changes
    */
  def replaceBy(image: Option[Array[Byte]])(restored: => Unit): Unit = {
    val (was, before) = (store.image(), counted.and(current))
    try {
      store.replaceBy(image)
      current = started()
      counted = Ledger.Empty
      restored
    } catch {
      case failed: Throwable =>
        store.replaceBy(Some(was))
        restart(before)
        throw failed
    }
  }

  private def restart(counts: Ledger): Unit = {
    current = open(store)
    counted = counts
  }

  /** Persists everything, with the clock. */
  def persist(clock: Option[Long]): Unit = {
    record.write(clock)
    store.commit()
  }

  /** Returns everything as bytes, with the clock. */
  def image(clock: Option[Long]): Array[Byte] = {
    record.write(clock)
    store.image()
  }
}
