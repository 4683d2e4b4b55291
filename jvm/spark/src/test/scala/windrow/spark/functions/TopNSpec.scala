package windrow.spark.functions

import com.sun.management.ThreadMXBean
import java.lang.management.ManagementFactory
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.core.state.{ByteReader, ByteWriter, DamagedStateError}

/** Tests that the first rows do not depend on the order of rows, their grouping, or stored partial results. */
final class TopNSpec extends AnyFunSuite {
  private val columns = Seq(AttributeReference("price", DoubleType)(), AttributeReference("id", LongType)())
  private val price   = BoundReference(0, DoubleType, nullable = true)
  private val id      = BoundReference(1, LongType, nullable = true)

  private type Row = (Option[Double], Long)

  private def random(rng: Random): Row =
    (Option.when(rng.nextInt(6) > 0)(Seq(1.0, 2.0, -0.0, 0.0, Double.NaN, 7.5)(rng.nextInt(6))), rng.nextLong(40))

  private def aggregation(number: Int, orders: SortOrder*) = {
    val set = new FunctionSet(Seq(TopN(id, number, orders)), Seq(None))
    (new ObjectAggregation(set), Lift(set, columns, columns))
  }

  private val first = Seq(SortOrder(price, Descending))

  test("SEMANTICS R105: random groupings and stored parts have the first rows of all") {
    val rng = new Random(1)
    for (_ <- 1 to 300) {
      val number      = 1 + rng.nextInt(5)
      val (all, lift) = aggregation(number, first: _*)
      val rows        = Seq.fill(rng.nextInt(30))(random(rng))
      val parts = rows.map { case (price, id) =>
        new ObjectBuffer(null, lift(InternalRow(price.orNull, id)).copy())
      }.toBuffer
      while (parts.size > 1) {
        val left  = parts.remove(rng.nextInt(parts.size))
        val right = parts.remove(rng.nextInt(parts.size))
        val both  = all.combine(left, right)
        parts += (if (rng.nextBoolean()) stored(all, both) else both)
      }
      val found = all.lower(parts.headOption.getOrElse(all.zero)).getArray(0)
      // Spark's order: NaN is the greatest, zeros are equal, and null is last
      val expected = rows.sortBy { case (price, id) =>
        (price.isEmpty, price.map(one => if (one.isNaN) Double.NegativeInfinity else -one + 0.0), id)
      }(Ordering.Tuple3(Ordering.Boolean, Ordering.Option(Ordering.Double.TotalOrdering), Ordering.Long))
      assert(found.toLongArray().toSeq == expected.take(number).map(_._2))
    }
  }

  private def stored(all: ObjectAggregation, buffer: ObjectBuffer): ObjectBuffer = {
    val out = new ByteWriter
    all.write(buffer, out)
    all.read(ByteReader(out.result()))
  }

  test("a comparison does not generate the ordering again") {
    val (all, lift) = aggregation(100, first: _*)
    val rows        = Seq.tabulate(200)(i => new ObjectBuffer(null, lift(InternalRow(i.toDouble, i.toLong)).copy()))
    val threads     = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]
    def merged()    = all.lower(rows.reduce(all.combine))
    merged()
    val before = threads.getCurrentThreadAllocatedBytes
    merged()
    // 200 merges make about 1,500 comparisons. The text of one generated ordering has about 5,000 bytes.
    assert(threads.getCurrentThreadAllocatedBytes - before < 1500000)
  }

  test("SEMANTICS R105: the order of rows does not show, and every grouping is exact") {
    val set = new FunctionSet(Seq(TopN(id, 2, first)), Seq(None))
    assert(!set.dependsOnOrder && set.isExact && !set.fixedWidth)
  }

  test("SEMANTICS S1: rows that are cut off are refused") {
    val text  = BoundReference(0, StringType, nullable = true)
    val top   = TopN(text, 2, Seq(SortOrder(text, Ascending)))
    val row   = UnsafeProjection.create(Array[DataType](StringType)).apply(InternalRow(UTF8String.fromString("tea")))
    val bytes = top.serialize(top.update(top.createAggregationBuffer(), row))
    assert(top.deserialize(bytes).size == 1)
    bytes.indices.tail.foreach(size => intercept[DamagedStateError](top.deserialize(bytes.take(size))))
  }

  test("a sort order is kept, and a column has the greatest first") {
    assert(TopN.descending(price) == SortOrder(price, Descending))
    val other = SortOrder(price, Ascending)
    assert(TopN.descending(other) eq other)
  }
}
