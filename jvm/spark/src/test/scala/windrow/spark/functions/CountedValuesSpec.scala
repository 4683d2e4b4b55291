package windrow.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference, BoundReference, Literal, UnsafeProjection, UnsafeRow
}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.core.state.DamagedStateError
import windrow.spark.version.Arithmetic

/** Tests that exact percentiles count values in the same way as Spark. */
final class CountedValuesSpec extends AnyFunSuite {
  private val random = new Random(7)
  private val packed = UnsafeProjection.create(Array[DataType](BinaryType))

  private def percentile(of: DataType, at: Double = 0.5) =
    new Percentile(BoundReference(0, of, nullable = true), Literal(at))

  private def value(of: DataType): Any = of match {
    case LongType        => random.nextInt(5).toLong
    case IntegerType     => random.nextInt(5) - 2
    case DoubleType      => Seq(0.0, -0.0, 1.5, Double.NaN, -3.0)(random.nextInt(5))
    case of: DecimalType => Decimal(BigDecimal(random.nextInt(5)) / 100, of.precision, of.scale)
    case _               => random.nextInt(5).toFloat / 2
  }

  Seq(LongType, IntegerType, DoubleType, FloatType, DecimalType(10, 2)).foreach { of =>
    test(s"counts of ${of.sql} are written and merged as by Spark") {
      val (function, counted) = (percentile(of), ObjectAggregation.counted(percentile(of)).get)
      val (ours, theirs)      = (function.createAggregationBuffer(), function.createAggregationBuffer())
      (1 to 50).foreach { _ =>
        val some = function.createAggregationBuffer()
        (1 to random.nextInt(6)).foreach(_ => function.update(some, InternalRow(value(of))))
        assert(counted.bytes(some).toSeq == function.serialize(some).toSeq)
        counted.merge(ours, packed(InternalRow(function.serialize(some))), 0)
        function.merge(theirs, function.deserialize(function.serialize(some)))
        assert(function.serialize(ours).toSeq == function.serialize(theirs).toSeq)
      }
    }
  }

  test("values of which a row does not know the width are left to Spark") {
    assert(ObjectAggregation.counted(percentile(DecimalType(
      30,
      2))).isEmpty && ObjectAggregation.counted(Arithmetic.sum(Literal(1L))).isEmpty)
  }

  test("S1: bytes that are no counts are refused") {
    val (function, counted)       = (percentile(LongType), ObjectAggregation.counted(percentile(LongType)).get)
    def merge(bytes: Array[Byte]) = counted.merge(function.createAggregationBuffer(), packed(InternalRow(bytes)), 0)
    val whole = function.serialize(function.update(function.createAggregationBuffer(), InternalRow(3L)))
    val wrong = whole.updated(3, 25.toByte) +: whole.updated(0, 1.toByte) +: whole.indices.map(whole.take)
    wrong.foreach(bytes => assertThrows[DamagedStateError](merge(bytes)))
    merge(whole)
  }

  test("several functions have one value, however their messages are put together") {
    val schema = Seq(AttributeReference("v", LongType)(), AttributeReference("b", BooleanType)())
    val functions = Seq[AggregateFunction](
      percentile(LongType),
      Arithmetic.sum(BoundReference(0, LongType, nullable = true)),
      percentile(LongType, 0.9),
      percentile(LongType, 0.1),
      new ApproximatePercentile(BoundReference(0, LongType, nullable = true), Literal(0.5)))
    val set  = new FunctionSet(functions, Seq(None, None, None, Some(1), None))
    val all  = new ObjectAggregation(set)
    val lift = Lift(set, schema, schema)
    (1 to 100).foreach { n =>
      val messages = Vector.fill(n % 9)(lift(InternalRow(value(LongType), random.nextBoolean())).copy(): UnsafeRow)
      def buffers  = messages.iterator.map(new ObjectBuffer(null, _))
      assert(all.lowerAll(buffers) == all.lower(buffers.foldLeft(all.zero)(all.combine)))
    }
  }
}
