package windrow.operators

import windrow.Guards
import windrow.core.state.InMemoryShardStore
import windrow.core.state.ShardStore

/** How a standalone operator lives.
  *
  * @param name
  *   for messages
  * @param store
  *   where `flush` persists it; closed with the operator if it can be
  * @param send
  *   takes an output, or refuses it by false; given: the *automatic* context, else outputs wait for `getResult` and
  *   `flush` (SEMANTICS R28)
  * @param maxWaiting
  *   without `send`: how many outputs may wait before no more messages are taken; None: any number
  * @param guards
  *   limits that only a mistake reaches
  */
final case class Context[M, R](
    name: String = "operator",
    store: ShardStore = new InMemoryShardStore,
    hooks: Hooks[M, R] = Hooks.none[M, R],
    send: Option[R => Boolean] = None,
    maxWaiting: Option[Int] = None,
    guards: Guards = Guards.Default) {
  require(maxWaiting.forall(_ > 0), s"maxWaiting is ${maxWaiting.getOrElse(0)}. It must be 1 or more.")
}
