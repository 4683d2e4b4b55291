package windrow.spark

/** The output of a search for a pattern. `rows` are the matches: the columns of the key, `match` with `start`, `end`, and
  * `is_retraction`, and the measures. Without measures, the column `rows` is an array with the `name` and the `row` of each
  * matched row.
  */
final class MatchOutput private[spark] (plan: StreamPlan) extends StreamRows(plan)
