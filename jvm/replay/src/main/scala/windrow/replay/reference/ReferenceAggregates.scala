package windrow.replay

import windrow.replay.Value.{Items, Null, Real, Whole}

/** The aggregates of transcripts, each computed over all messages of a window at once. */
object ReferenceAggregates {

  private val functions: Seq[(String, Seq[Scalar] => Value)] = Seq(
    "count"   -> (all => Whole(all.size.toLong)),
    "sum"     -> ofNumbers(all => Whole(all.reduce(Math.addExact(_, _)))),
    "min"     -> ofNumbers(all => Whole(all.min)),
    "max"     -> ofNumbers(all => Whole(all.max)),
    "avg"     -> ofNumbers(all => Real(all.map(_.toDouble).sum / all.size)),
    "collect" -> (all => Items(all)),
    "first"   -> (all => all.headOption.getOrElse(Null)),
    "last"    -> (all => all.lastOption.getOrElse(Null)),
    "median"  -> ofNumbers(median))

  val Names: Seq[String] = functions.map(_._1)

  /** The functions that accept messages with texts as values. */
  val OfTexts: Set[String] = Set("count", "collect", "first", "last")

  /** @param values
    *   the values of the messages of a window, in the order of SEMANTICS T; may be empty (SEMANTICS R83)
    */
  def apply(name: String, values: Seq[Scalar]): Value = functions.toMap.apply(name)(values)

  private def ofNumbers(function: Seq[Long] => Value)(values: Seq[Scalar]): Value = {
    val numbers = values.collect { case Whole(number) => number }
    if (numbers.isEmpty) Null else function(numbers)
  }

  private def median(values: Seq[Long]): Value = {
    val sorted = values.sorted
    val middle = sorted.size / 2
    if (sorted.size % 2 == 1) Real(sorted(middle).toDouble)
    else Real((sorted(middle - 1).toDouble + sorted(middle).toDouble) / 2)
  }
}
