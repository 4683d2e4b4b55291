package windrow.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.TimeSpan
import windrow.core.state.{ByteReader, ByteWriter, Damage, DamagedStateError}

/** Tests that aggregates over time do not depend on the order of rows, their grouping, or stored partial results. */
final class OverTimeSpec extends AnyFunSuite {
  private val columns = Seq(
    AttributeReference("time", TimestampType)(),
    AttributeReference("number", LongType)(),
    AttributeReference("price", DoubleType)(),
    AttributeReference("state", StringType)())
  private val time = columns.head.asInstanceOf[Expression]

  private def bound(at: Int) = BoundReference(at, columns(at).dataType, nullable = true)

  private val all = new FunctionSet(
    Seq(TimeWeightedAverage(bound(2), bound(0)), TimeInState(bound(3), bound(0)), Increase(bound(1), bound(0))),
    Seq(None, None, None))

  private case class Row(time: Option[Long], number: Long, price: Option[Double], state: Option[String])

  private def random(rng: Random): Row = Row(
    Option.when(rng.nextInt(9) > 0)(rng.nextInt(40).toLong - 5),
    rng.nextInt(20).toLong,
    Option.when(rng.nextInt(6) > 0)(Seq(1.0, 2.0, -0.5, 0.0, 7.5)(rng.nextInt(5))),
    Option.when(rng.nextInt(6) > 0)(Seq("on", "off", "")(rng.nextInt(3))))

  private def held[V](rows: Seq[Row])(value: Row => Option[V])(implicit order: Ordering[V]): Seq[(Long, V)] =
    (for (row <- rows; at <- row.time; held <- value(row)) yield (at, held))
      .groupMapReduce(_._1)(_._2)(order.max).toSeq.sortBy(_._1)

  /** The values with their durations, by the definition. */
  private def spans[V](held: Seq[(Long, V)], end: Option[Long]): Seq[(V, Long)] =
    held.indices.map(at =>
      (held(at)._2, held.lift(at + 1).map(_._1).orElse(end).fold(0L)(next => math.max(0L, next - held(at)._1))))

  test("SEMANTICS R111: random groupings and stored parts have the values of all rows in order") {
    val rng  = new Random(1)
    val fold = new ObjectAggregation(all)
    val lift = Lift(all, columns, columns)
    for (_ <- 1 to 1000) {
      val rows = Seq.fill(rng.nextInt(40))(random(rng))
      val end  = Option.when(rng.nextBoolean())(30L + rng.nextInt(9))
      val parts = rows.map { row =>
        val values = InternalRow(
          row.time.map(Long.box).orNull,
          row.number,
          row.price.map(Double.box).orNull,
          row.state.map(UTF8String.fromString).orNull)
        new ObjectBuffer(null, lift(values).copy())
      }.toBuffer
      while (parts.size > 1) {
        val left  = parts.remove(rng.nextInt(parts.size))
        val right = parts.remove(rng.nextInt(parts.size))
        val both  = fold.combine(left, right)
        parts += (if (rng.nextBoolean()) stored(fold, both) else both)
      }
      val found = fold.lowerUntil(parts.headOption.getOrElse(fold.zero), end)

      val prices = spans(held(rows)(_.price)(Ordering.Double.TotalOrdering), end)
      val length = prices.map(_._2).sum
      if (prices.isEmpty) assert(found.isNullAt(0))
      else if (length == 0) assert(found.getDouble(0) == prices.last._1)
      else
        assert(math.abs(found.getDouble(0) - prices.map { case (price, on) => price * on }.sum / length) < 1e-12)

      val states = spans(held(rows)(_.state), end).groupMapReduce(_._1)(_._2)(_ + _).toSeq.sortBy(_._1)
      assert(listed(found.getMap(1)) == states.map { case (state, on) => (state, on / 1e6) })

      val numbers = held(rows)(row => Some(row.number)).map(_._2)
      if (numbers.isEmpty) assert(found.isNullAt(2))
      else
        assert(found.getLong(2) == numbers.zip(numbers.drop(1)).map { case (before, now) =>
          if (now < before) now else now - before
        }.sum)
    }
  }

  private def listed(map: MapData): Seq[(String, Double)] =
    map.keyArray().toSeq[UTF8String](StringType).map(_.toString).zip(map.valueArray().toDoubleArray())

  private def stored(fold: ObjectAggregation, buffer: ObjectBuffer): ObjectBuffer = {
    val out = new ByteWriter
    fold.write(buffer, out)
    fold.read(ByteReader(out.result()))
  }

  test("SEMANTICS R111: the order of rows does not show, and every grouping is exact") {
    assert(!all.dependsOnOrder && all.isExact && !all.fixedWidth)
  }

  test("SEMANTICS R112: the average of a constant is exact, and may be infinite") {
    val average = TimeWeightedAverage(bound(2), bound(0))
    def of(values: Double*) = {
      val buffer = average.createAggregationBuffer()
      values.zipWithIndex.foreach { case (value, at) =>
        average.update(buffer, InternalRow(at * 7L, 0L, value, null))
      }
      average.evalUntil(buffer, Some(100))
    }
    assert(of(Seq.fill(9)(0.1): _*) == 0.1)
    assert(of(Double.PositiveInfinity, 1.0) == Double.PositiveInfinity)
    assert(of(1.0, Double.NaN).asInstanceOf[Double].isNaN)
  }

  test("SEMANTICS R114: integers of 64 bits are exact, and a fraction is a double") {
    val counter = Increase(bound(1), bound(0))
    val buffer  = counter.createAggregationBuffer()
    Seq(Long.MaxValue - 2, Long.MaxValue, 5L).zipWithIndex.foreach { case (value, at) =>
      counter.update(buffer, InternalRow(at.toLong, value, null, null))
    }
    assert(counter.eval(buffer) == 7L && counter.dataType == LongType)
    assert(Increase(bound(2), bound(0)).dataType == DoubleType)
  }

  test("SEMANTICS R114: an increase above 64 bits is an error with ANSI, and wraps around otherwise") {
    def of(isAnsi: Boolean, values: Long*) = {
      val counter = Increase(bound(1), bound(0), isAnsi = isAnsi)
      val buffer  = counter.createAggregationBuffer()
      values.zipWithIndex.foreach { case (value, at) =>
        counter.update(buffer, InternalRow(at.toLong, value, null, null))
      }
      counter.eval(buffer)
    }
    Seq(Seq(0L, Long.MaxValue, 1L), Seq(-1L, Long.MaxValue)).foreach { values =>
      val failed = intercept[ArithmeticException](of(true, values: _*))
      assert(failed.getMessage.startsWith("[ARITHMETIC_OVERFLOW]"))
      assert(of(false, values: _*) == Long.MinValue)
    }
  }

  test("SEMANTICS R166: the increase since the value before a window counts, also if the window has one at its start") {
    val counter = Increase(bound(1), bound(0), Some(TimeSpan(50)))
    def of(values: (Long, Long)*) = {
      val buffer = counter.createAggregationBuffer()
      values.foreach { case (time, value) => counter.update(buffer, InternalRow(time, value, null, null)) }
      buffer
    }
    val last = counter.lastOf(of(60L -> 5L, 70L -> 9L)).get
    def from(start: Long, values: (Long, Long)*) = counter.carriedTo(start, last).map(before =>
      counter.eval(counter.deserialize(counter.serialize(counter.merge(before, of(values: _*))))))
    assert(from(100, 100L -> 12L, 110L -> 2L).contains(3L + 2L))
    assert(from(120, 130L -> 4L).contains(4L) && from(120).contains(0L))
    assert(from(121, 130L -> 4L).isEmpty)
    assert(counter.eval(of()) == null)
  }

  test("SEMANTICS S1: parts that are cut off or changed are refused") {
    val states = TimeInState(bound(3), bound(0))
    val buffer = states.createAggregationBuffer()
    Seq("on", "off", "on").zipWithIndex.foreach { case (state, at) =>
      states.update(buffer, InternalRow(at * 1000000L, 0L, null, UTF8String.fromString(state)))
    }
    val bytes = states.serialize(buffer)
    assert(states.deserialize(bytes).values.size == 3)
    bytes.indices.foreach(size => intercept[DamagedStateError](states.deserialize(bytes.take(size))))
    intercept[DamagedStateError](states.deserialize(bytes :+ 0.toByte))
    intercept[DamagedStateError](states.deserialize(bytes.updated(bytes.length - 1, 9.toByte)))
    val average = TimeWeightedAverage(bound(2), bound(0))
    val prices  = average.createAggregationBuffer()
    (0 to 2).foreach(at => average.update(prices, InternalRow(at * 5L, 0L, at * 1.0, null)))
    val numbers = average.serialize(prices)
    assert(average.deserialize(numbers).size == 3)
    numbers.indices.foreach(size => intercept[DamagedStateError](average.deserialize(numbers.take(size))))
    intercept[DamagedStateError](average.deserialize(numbers.updated(17, 0.toByte))) // a time that does not grow
    assert(Damage.refusedBytes("time in state", bytes)(changed =>
      states.evalUntil(states.deserialize(changed), Some(9000000L))) > Damage.Count / 10)
    assert(Damage.refusedBytes("numbers over time", numbers)(changed =>
      average.evalUntil(average.deserialize(changed), Some(99L))) > Damage.Count / 10)
  }

  test("values and times of other types are refused") {
    assert(TimeWeightedAverage(bound(3), bound(0)).checkInputDataTypes().isFailure)
    assert(TimeWeightedAverage(bound(2), bound(1)).checkInputDataTypes().isFailure)
    assert(Increase(bound(0), bound(0)).checkInputDataTypes().isFailure)
    assert(TimeInState(bound(2), bound(0)).checkInputDataTypes().isFailure)
    assert(TimeInState(time, time).checkInputDataTypes().isSuccess)
  }
}
