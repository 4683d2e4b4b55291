package windrow.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.BooleanType
import org.apache.spark.sql.types.LongType
import org.scalatest.funsuite.AnyFunSuite
import windrow.core.aggregate.Aggregation
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter

/** Buffers of Spark's functions are values: what is done to one does not show in another. */
final class AggregationSpec extends AnyFunSuite {
  private val value  = BoundReference(0, LongType, nullable = true)
  private val median = new ApproximatePercentile(value, Literal(0.5))
  private val plain  = Seq[AggregateFunction](Sum(value))
  private val typed  = plain :+ median

  private def lifted(functions: Seq[AggregateFunction], filter: Option[Int])(of: Long, isChosen: Boolean): UnsafeRow = {
    val schema = Seq(AttributeReference("v", LongType)(), AttributeReference("b", BooleanType)())
    Lift(new FunctionSet(functions, functions.map(_ => filter)), schema, schema)(InternalRow(of, isChosen)).copy()
  }

  private def check[B](name: String, functions: Seq[AggregateFunction])(
      make: FunctionSet => Aggregation[B, InternalRow],
      buffer: UnsafeRow => B): Unit = {
    val all          = make(new FunctionSet(functions, functions.map(_ => None)))
    def one(of: Int) = buffer(lifted(functions, None)(of.toLong, isChosen = true))
    def sum(of: B)   = Option.unless(all.lower(of).isNullAt(0))(all.lower(of).getLong(0))

    test(s"$name: nothing stays nothing, and a copy is one's own") {
      assert(sum(all.combine(all.zero, one(5))) == Some(5) && sum(all.zero).isEmpty)
      val kept = one(5)
      assert(sum(all.combine(all.copy(kept), one(7))) == Some(12) && sum(kept) == Some(5))
    }

    test(s"$name: what was written and then changed is written as it is") {
      def stored(of: B) = {
        val out = new ByteWriter
        all.write(of, out)
        sum(all.read(ByteReader(out.result())))
      }
      val buffer = one(5)
      assert(stored(buffer) == Some(5))
      assert(stored(all.combine(buffer, one(7))) == Some(12))
    }

    test(s"$name: FILTER leaves messages out") {
      def filtered(isChosen: Boolean) = sum(buffer(lifted(functions, Some(1))(5, isChosen)))
      assert(filtered(true) == Some(5) && filtered(false).isEmpty)
    }
  }

  check("rows", plain)(new RowAggregation(_), identity[UnsafeRow])
  check("objects", typed)(new ObjectAggregation(_), new ObjectBuffer(null, _))

  test("SEMANTICS R1: order shows in every function that is not known to be indifferent") {
    def shows(functions: AggregateFunction*) = new FunctionSet(functions, functions.map(_ => None)).orderShows
    assert(!shows(Sum(value), Min(value), Count(value)))
    assert(shows(median) && shows(Sum(value), new First(value)))
  }
}
