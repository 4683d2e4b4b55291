package windrow

import scala.language.implicitConversions

/** What `within` of a join may be, before its streams are known: `Within("0 minutes", "5 minutes")`, the same for all but
  * the first; windows that all must share, `Global` for every pair that retention holds; or any [[Within]].
  *
  * @param of
  *   for streams of these names and the bounds of the join: `[]`, `[)`, `(]` or `()`
  */
final class JoinWithin private[windrow] (private[windrow] val of: (Seq[String], String) => Within)

object JoinWithin {
  implicit def ofWithin(within: Within): JoinWithin = new JoinWithin((_, _) => within)

  implicit def ofWindow(window: WindowKind): JoinWithin =
    if (window.holdsEverything) Within.Everything else Within.SameWindow(window)

  private[windrow] val Bounds: Seq[String] = Seq("[]", "[)", "(]", "()")
}
