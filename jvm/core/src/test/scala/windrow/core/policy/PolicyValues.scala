package windrow.core.policy

import windrow.core.operator.Origin
import windrow.core.state.StoredState
import windrow.operators.Sum

/** What a key has in windows by policies. */
object PolicyValues {
  private val held = HeldMessage(Kept(Array[Byte](1, 2), 3L, Some(Origin("s", 1, 2))), 4.0, 5)

  private val partition = Partition(
    Vector(held, held),
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

  private val codec = new PartitionCodec(Sum)

  def all: Seq[StoredState] =
    Seq(
      StoredState.ofRoot("a partition")((_, out) => codec.write(partition, out))((_, in) => codec.read(in))(_.messages))
}
