package windrow.core.policy

import windrow.core.operator.Origin
import windrow.core.state.{Segments, ShardStore, StoredState}
import windrow.operators.Sum

/** The stored values of a key in windows by policies. */
object PolicyValues {
  private def held(number: Long) =
    HeldMessage(EventMessage(Array[Byte](1, 2), 3L, Some(Origin("s", 1, 2))), 4.0, 5, number)

  private def partition(codec: PartitionCodec[Long], messages: Int) = Partition(
    {
      val all = codec.nothing
      (0 until messages).foreach(number => all.add(held(number.toLong)))
      all
    },
    created = 1,
    first = 2.0,
    mark = 3.0,
    inserted = 4,
    isFull = true,
    checked = 5,
    tumbled = 6,
    touched = 7,
    turn = 8,
    panes = 9,
    events = 10,
    state = Vector(Array[Byte](1)))

  private def codec(store: ShardStore) =
    new PartitionCodec(new HeldLayout(Sum, sums = true), new Segments("held", store), pageBytes = 100)

  def all: Seq[StoredState] = Seq(2, 20).map(messages =>
    StoredState.ofRoot(s"a partition of $messages messages")((store, out) =>
      codec(store).write(partition(codec(store), messages), out))((store, in) => codec(store).read(in)) { partition =>
      partition.held.messages
      partition.held.sum
    })
}
