package windrow.core.join

import scala.collection.immutable.TreeMap
import windrow.core.operator.Origin
import windrow.core.state.{Key, Segments, ShardStore, StoredState}
import windrow.core.store.StoredMessage
import windrow.core.time.{Axis, Bounds}

/** The stored values of a key in a join. */
object JoinValues {
  private val key = new Key(Array(1))

  private def message(at: Long) = StoredMessage(key, at, Some(Origin("s", 1, at)), Array(2, 3))

  private def sides(store: ShardStore) = new KeySidesCodec(fixed =>
    new KeySides(fixed, StoredMessage.Order, streams = 2, new Segments("messages", store)))

  private def sidesOfKey: StoredState = StoredState.ofRoot("the sides of a key") { (store, out) =>
    val kept = new KeySides(Some(key), StoredMessage.Order, streams = 2, new Segments("messages", store))
    kept.runs.foreach(run => Seq(1L, 2L).foreach(at => run.add(message(at))))
    kept.sessions = TreeMap(1L -> Bounds(1, 3))
    sides(store).write((Some(key), kept), out)
  }((store, in) => sides(store).read(in)) { case (_, kept) =>
    kept.runs.foreach(_.range(Axis.Time, None, None).foreach(_ => ()))
  }

  private def waiting: StoredState = StoredState.ofRoot("rows of a key that wait") { (store, out) =>
    val kept = new WaitingKeyRows(Some(key), new Segments("messages", store))
    kept.until = Some(5)
    kept.add(JoinRow(Vector(Some(message(1)), None)))
    new WaitingKeyRowsCodec(new Segments("messages", store)).write(kept, out)
  }((store, in) => new WaitingKeyRowsCodec(new Segments("messages", store)).read(in))(_.all.foreach(_ => ()))

  def all: Seq[StoredState] = Seq(sidesOfKey, waiting)
}
