package windrow.core.policy

import windrow.core.operator.Origin

/** A message as events and panes need it: its raw bytes, its buffer, and its identity. */
private[policy] final case class EventMessage[B](raw: Array[Byte], buffer: B, origin: Option[Origin])
