package windrow.testkit

import windrow.testkit.Value.{Items, Null, Real, Whole}

/** The aggregates of transcripts, each written over all messages of a window at once. */
object ReferenceAggregates {

  private val functions: Seq[(String, Seq[Long] => Value)] = Seq(
    "count"   -> (all => Whole(all.size.toLong)),
    "sum"     -> unlessEmpty(all => Whole(all.reduce(Math.addExact(_, _)))),
    "min"     -> unlessEmpty(all => Whole(all.min)),
    "max"     -> unlessEmpty(all => Whole(all.max)),
    "avg"     -> unlessEmpty(all => Real(all.map(_.toDouble).sum / all.size)),
    "collect" -> (all => Items(all.map(Whole(_)))),
    "first"   -> unlessEmpty(all => Whole(all.head)),
    "last"    -> unlessEmpty(all => Whole(all.last)),
    "median"  -> unlessEmpty(median))

  val Names: Seq[String] = functions.map(_._1)

  /** @param values
    *   of the messages of a window, in the order of SEMANTICS T; may be empty (SEMANTICS R83)
    */
  def apply(name: String, values: Seq[Long]): Value = functions.toMap.apply(name)(values)

  private def unlessEmpty(function: Seq[Long] => Value)(values: Seq[Long]): Value =
    if (values.isEmpty) Null else function(values)

  private def median(values: Seq[Long]): Value = {
    val sorted = values.sorted
    val middle = sorted.size / 2
    if (sorted.size % 2 == 1) Real(sorted(middle).toDouble)
    else Real((sorted(middle - 1).toDouble + sorted(middle).toDouble) / 2)
  }
}
