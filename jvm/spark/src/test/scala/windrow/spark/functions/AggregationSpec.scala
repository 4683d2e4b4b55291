package windrow.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, BoundReference, Literal, UnsafeRow}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite
import windrow.core.aggregate.Aggregation
import windrow.core.state.{ByteReader, ByteWriter}
import windrow.spark.version.Arithmetic

/** Tests that buffers of Spark's functions are values: a change of one does not affect another. */
final class AggregationSpec extends AnyFunSuite {
  private val value  = BoundReference(0, LongType, nullable = true)
  private val median = new ApproximatePercentile(value, Literal(0.5))
  private val plain  = Seq[AggregateFunction](Arithmetic.sum(value))
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
    def shows(functions: AggregateFunction*) = new FunctionSet(functions, functions.map(_ => None)).dependsOnOrder
    assert(!shows(Arithmetic.sum(value), Min(value), Count(value)))
    assert(shows(median) && shows(Arithmetic.sum(value), new First(value)))
  }

  test("SEMANTICS R90: floating point and intermediate overflows are not added exactly") {
    def exact(functions: AggregateFunction*) = new FunctionSet(functions, functions.map(_ => None)).isExact
    def of(one: DataType)                    = BoundReference(0, one, nullable = true)
    assert(exact(
      Arithmetic.sum(value),
      Count(value),
      Min(of(DoubleType)),
      Arithmetic.sum(of(DecimalType(28, 2))),
      new Average(of(DecimalType(9, 2)))))
    val inexact = Seq(
      Arithmetic.sum(of(DoubleType)),
      Arithmetic.sum(of(FloatType)),
      Arithmetic.sum(of(DecimalType(29, 2))),
      TrySumExpressionBuilder.build("try_sum", Seq(value)).asInstanceOf[Sum],
      new Average(value),
      VarianceSamp(of(DoubleType)),
      Corr(of(DoubleType), of(DoubleType)),
      CovPopulation(of(DoubleType), of(DoubleType)))
    inexact.foreach(one => assert(!exact(one) && !exact(Count(value), one), one.toString))
  }

  private def doubles[B](function: AggregateFunction, values: Double*)(
      make: FunctionSet => Aggregation[B, InternalRow],
      buffer: UnsafeRow => B): InternalRow = {
    val set    = new FunctionSet(Seq(function), Seq(None))
    val all    = make(set)
    val schema = Seq(AttributeReference("v", DoubleType)())
    val lift   = Lift(set, schema, schema)
    all.lowerAll(values.iterator.map(one => buffer(lift(InternalRow(one)).copy())))
  }

  private val real = BoundReference(0, DoubleType, nullable = true)

  test("SEMANTICS R1: -0.0 is less than 0.0, whatever their order") {
    def bits(function: AggregateFunction, values: Double*) = java.lang.Double.doubleToRawLongBits(
      doubles(function, values: _*)(new RowAggregation(_), identity[UnsafeRow]).getDouble(0))
    def same(one: Double) = java.lang.Double.doubleToRawLongBits(one)
    for (values <- Seq(0.0, -0.0, 0.0).permutations) {
      assert(bits(Min(real), values: _*) == same(-0.0) && bits(Max(real), values: _*) == same(0.0))
      assert(bits(Min(real), 1.0 +: values: _*) == same(-0.0) && bits(Max(real), -1.0 +: values: _*) == same(0.0))
    }
    assert(bits(Max(real), -0.0, -0.0) == same(-0.0) && bits(Min(real), 0.0, 0.0) == same(0.0))
    assert(bits(Max(real), 2.0, Double.NaN) == same(Double.NaN) && bits(Min(real), Double.NaN, 2.0) == same(2.0))
  }

  test("equal values of a histogram have one bin, as where Spark adds row by row") {
    val bins = doubles(HistogramNumeric(real, Literal(3), 0, 0), 1.0, 2.0, 1.0, 1.0)(
      new ObjectAggregation(_),
      new ObjectBuffer(null, _)).getArray(0)
    val found =
      (0 until bins.numElements()).map(i => bins.getStruct(i, 2)).map(bin => (bin.getDouble(0), bin.getDouble(1)))
    assert(found == Seq((1.0, 3.0), (2.0, 1.0)))
  }

  test("values in which zeros of both signs stand are taken in order") {
    def shows(one: DataType) =
      new FunctionSet(Seq(Min(BoundReference(0, one, nullable = true))), Seq(None)).dependsOnOrder
    assert(shows(ArrayType(DoubleType)) && !shows(DoubleType) && !shows(FloatType) && !shows(ArrayType(LongType)))
  }
}
