package windrow.testkit

import org.scalacheck.Prop.forAllNoShrink
import org.scalacheck.{Gen, Prop, Properties}
import scala.util.Try
import windrow.core.aggregate.Aggregation
import windrow.core.state.{ByteReader, ByteWriter}

/** Laws of every [[Aggregation]], as properties of its values (`lower`), never of the form of its buffers.
  *
  * {{{ val laws = new AggregationLaws("sum", Sum, Gen.long.map(Sum.lift))(_ == _) }}}
  *
  * @param buffers
  *   buffers of one or more messages; each call must return a buffer to which no other reference exists
  * @param same
  *   equality of values; floating point needs a tolerance, because its addition is not associative
  */
final class AggregationLaws[B, V](
    name: String,
    aggregation: Aggregation[B, V],
    buffers: Gen[B])(same: (V, V) => Boolean)
    extends Properties(name) {
  import aggregation._

  property("combine is associative") = forAllNoShrink(buffers, buffers, buffers) { (a, b, c) =>
    val toTheLeft  = combine(combine(copy(a), b), c)
    val toTheRight = combine(copy(a), combine(copy(b), c))
    isSame(lower(toTheLeft), lower(toTheRight))
  }

  property("zero is the identity of combine") = forAllNoShrink(buffers) { a =>
    isSame(lower(combine(zero, a)), lower(a)) && isSame(lower(combine(copy(a), zero)), lower(a))
  }

  property("zero stays the buffer of nothing") = forAllNoShrink(buffers) { a =>
    val nothing = lower(zero)
    combine(zero, a)
    isSame(lower(zero), nothing)
  }

  property("combine leaves its right side alone") = forAllNoShrink(buffers, buffers, buffers) { (a, b, c) =>
    val before = lower(b)
    val sum    = combine(copy(a), b)
    combine(sum, c)
    isSame(lower(b), before)
  }

  property("a copy is independent of its source") = forAllNoShrink(buffers, buffers) { (a, b) =>
    val before    = lower(a)
    val duplicate = copy(a)
    combine(copy(a), b)
    val source = isSame(lower(a), before)
    combine(a, b)
    source && isSame(lower(duplicate), before)
  }

  property("lower leaves the buffer usable") = forAllNoShrink(buffers, buffers) { (a, b) =>
    val fresh = lower(combine(copy(a), b))
    lower(a)
    lower(b)
    isSame(lower(combine(a, b)), fresh)
  }

  property("what is written is read back, one after the other") =
    forAllNoShrink(buffers, buffers, buffers) { (a, b, c) =>
      val out = new ByteWriter
      Seq(a, zero, b).foreach(write(_, out))
      val in   = ByteReader.unsealed(out.sealedResult(), "buffers")
      val back = Try(Seq.fill(3)(read(in)))
      Prop(back.isSuccess) && {
        val Seq(a2, zero2, b2) = back.get: @unchecked
        Prop(!in.hasNext) && isSame(lower(a2), lower(a)) && isSame(lower(zero2), lower(zero)) &&
        isSame(lower(combine(b2, c)), lower(combine(b, c)))
      }
    }

  private def isSame(a: V, b: V): Prop = Prop(same(a, b)) :| s"$a is not $b"
}
