package windrow

import scala.language.implicitConversions

/** The `within` of a join before its streams are known: `Within("0 minutes", "5 minutes")`, the same for all streams
  * except the first; windows that all streams must share; `Global` for every pair that retention keeps; or any
  * [[Within]].
  *
  * @param of
  *   creates the condition for streams with these names and for the bounds of the join: `[]`, `[)`, `(]` or `()`
  */
final class JoinWithin private[windrow] (private[windrow] val of: (Seq[String], String) => Within)

object JoinWithin {
  implicit def ofWithin(within: Within): JoinWithin = new JoinWithin((_, _) => within)

  implicit def ofWindow(window: WindowKind): JoinWithin =
    if (window.holdsEverything) Within.Everything else Within.SameWindow(window)

  private[windrow] val Bounds: Seq[String] = Seq("[]", "[)", "(]", "()")
}
