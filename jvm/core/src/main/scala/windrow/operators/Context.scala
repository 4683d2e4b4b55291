package windrow.operators

import windrow.Guards
import windrow.core.state.{InMemoryShardStore, ShardStore}

/** The settings and surroundings of a standalone operator.
  *
  * @param name
  *   name for error messages
  * @param store
  *   where `flush` persists the state; closed with the operator if it is closeable
  * @param send
  *   receives each output and returns false to reject it. With it the context is *automatic*; without it outputs wait
  *   for `getResult` and `flush` (SEMANTICS R28).
  * @param maxWaiting
  *   without `send`, the number of waiting outputs at which the operator stops accepting messages; None for no limit
  * @param guards
  *   limits that only a mistake reaches
  * @param identity
  *   properties that a store and a checkpoint record, and that may not change
  * @param outbox
  *   takes the place of `send` and `maxWaiting` for an operator whose consumer does not run in this JVM
  */
final case class Context[M, R](
    name: String = "operator",
    store: ShardStore = new InMemoryShardStore,
    hooks: Hooks[M, R] = Hooks.none[M, R],
    send: Option[R => Boolean] = None,
    maxWaiting: Option[Int] = None,
    guards: Guards = Guards.Default,
    private[windrow] val identity: Seq[String] = Nil,
    private[windrow] val outbox: Option[Outbox[R]] = None) {
  require(maxWaiting.forall(_ > 0), s"maxWaiting is ${maxWaiting.getOrElse(0)}. It must be 1 or more.")
}
