package windrow.core.fullstate

import org.scalatest.funsuite.AnyFunSuite
import windrow._
import windrow.core.state._
import windrow.core.store._
import windrow.core.time.Watermark

class KeyWindowsSuite extends AnyFunSuite {
  private val key = new Key(Array(1, 2))

  private def codec(store: InMemoryShardStore) = {
    val spec = FullStateDraft(
      Tumbling(TimeSpan(10)),
      Some(TimeSpan.Zero),
      retention = Retention(time = Some(TimeSpan(1000)))).checked
    val life = new RowLife(WindowAssigners.of(spec), new DeltaPolicy(spec), AxisProgress(Watermark(50), Map.empty))
    new KeyWindowsCodec(new Segments("messages", store), life, pageBytes = 200)
  }

  private def row(n: Int): WindowRow = {
    val message = StoredMessage(key, n * 10L, None, Array(n.toByte))
    WindowRow.opened(WindowId(n * 10L, n * 10L + 10)).counting(message).awaiting(message, Some(n.toLong))
  }

  private def shown(state: KeyWindows) =
    (state.numbered, state.messages.size, state.waiting.size, state.rows.all.map(row => (row.id, row.count)).toSeq)

  for (windows <- Seq(0, 1, 300))
    test(s"S1: the state of a key with $windows windows is read as it was written, many windows in pages") {
      val store = new InMemoryShardStore
      val codes = codec(store)
      val state = codes.empty(key)
      (0 until windows).foreach(n => state.rows.put(row(n)))
      state.numbered = 5
      val out = new ByteWriter
      codes.write(state, out)
      val read = codes.read(ByteReader(out.result()))
      assert(shown(read) == ((5, 0, windows, (0 until windows).map(n => (row(n).id, 1L)))))
      assert(windows < 300 || out.size < 2000 && store.entries.size > 50)
    }
}
