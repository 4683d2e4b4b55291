package windrow.core.operator
package sessions

import windrow.core.aggregate.{Aggregation, OrderedAggregation}
import windrow.core.state._
import windrow.core.trigger.PaneState
import windrow.operators.Sum

/** The stored inherited windows of a key, whose panes are in pages. */
object InheritedValues {
  private val Bytes   = 64
  private val ordered = new OrderedAggregation(Sum)

  private def codec[B](aggregation: Aggregation[B, Long], store: ShardStore) =
    new InheritedCodec(aggregation, new Segments("incoming", store), Bytes)

  private def pages[B](aggregation: Aggregation[B, Long], store: ShardStore) = new KeyPages(
    new DeadlineLayout[InheritedWindow[B]](codec(aggregation, store), one => Place(one.start, one.end), _.end),
    new Segments("pages", store),
    Bytes)

  private def content(n: Long) = new Key(Array(n.toByte))

  private def state[B](name: String, aggregation: Aggregation[B, Long], lift: Long => B, pane: PaneState[B]) =
    StoredState.ofRoot(s"pages of inherited windows with $name") { (store, out) =>
      val all    = pages(aggregation, store)
      val create = codec(aggregation, store)
      (0L until 5L).foreach { start =>
        val window = create.created(start, start + 1)
        (0L until 9L).foreach(n => window.panes.add(content(n / 2), lift(n)))
        window.panes.show()
        Seq(1L, 1L, 2L, 9L).foreach(n => window.panes.retract(content(n)))
        all.put(window.copy(paneState = pane))
      }
      all.write(out)
    } { (store, in) =>
      val all = pages(aggregation, store)
      all.read(in)
      all
    } { all =>
      all.all.foreach { window =>
        window.panes.sum
        window.panes.shownSum
      }
      DeadlineLayout.deadline(all)
    }

  def all(pane: PaneState[Long]): Seq[StoredState] = Seq(
    state("sums", Sum, identity, pane),
    state("values in order", ordered, n => ordered.lift(Array(n.toByte), n), pane.map(ordered.lift(Array(1), _))))
}
