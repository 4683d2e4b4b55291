package windrow.operators

import windrow.core.state.StoredState

/** The stored values of operators without Spark. */
object OperatorStates {
  def all: Seq[StoredState] = OperatorKind.all.map(of)

  private def of(kind: OperatorKind): StoredState =
    StoredState(
      s"the store of ${kind.name}",
      cost = 30,
      store => {
        val opened = kind.open(store)
        opened.operator.timeout(5, Some(0))
        (1L to 4L).foreach(i =>
          opened.operator.addMessage(kind.streams((i % kind.streams.size).toInt), Event("s", "a", i * 3, i, i)))
        opened.operator.flush()
      }) { store =>
      val opened = kind.open(store)
      opened.operator.finish()
      opened.waiting.size
    }
}
