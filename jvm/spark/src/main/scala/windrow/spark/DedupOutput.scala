package windrow.spark

/** The output of a deduplication. `rows` are the kept rows, with the columns of the input, and `is_retraction` if rows are
  * retracted. Duplicates are in `rejected` with the reason `DUPLICATE`.
  */
final class DedupOutput private[spark] (plan: StreamPlan) extends StreamRows(plan)
