package windrow.core.fullstate

import windrow._
import windrow.core.operator.Origin
import windrow.core.state.{Key, Segments, ShardStore, StoredState}
import windrow.core.store.{StoredMessage, WindowId, WindowRow}
import windrow.core.time.{Axis, Watermark}

/** The stored values of a key in full state. */
object FullStateValues {
  private val spec = FullStateDraft(
    Tumbling(TimeSpan(50)),
    lateness = Some(TimeSpan.Zero),
    retention = Retention(time = Some(TimeSpan(100000)))).checked

  private val life = new RowLife(WindowAssigners.of(spec), new DeltaPolicy(spec), AxisProgress(Watermark(5), Map.empty))
  private val key  = new Key(Array(1))

  private def codec(store: ShardStore) = new KeyWindowsCodec(new Segments("messages", store), life, pageBytes = 64)

  def all: Seq[StoredState] = Seq(StoredState.ofRoot("a key of full state") { (store, out) =>
    val windows = codec(store)
    val state   = windows.empty(key)
    Seq(0L, 50L, 100L).foreach { start =>
      val message = StoredMessage(key, start, Some(Origin("s", 1, start)), Array(2, 3))
      state.messages.add(message)
      state.rows.put(WindowRow.opened(WindowId(start, start + 50)).counting(message).awaiting(message, Some(7)))
    }
    windows.write(state, out)
  }((store, in) => codec(store).read(in)) { state =>
    state.messages.range(Axis.Time, None, None).foreach(_ => ())
    state.waiting.foreach(_ => ())
    state.rows.pageSummaries.foreach(_ => ())
  })
}
