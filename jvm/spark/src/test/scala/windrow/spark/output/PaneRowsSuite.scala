package windrow.spark.output

import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow, UnsafeProjection}
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random
import windrow.core.state.{ByteReader, ByteWriter}
import windrow.spark.rows.RowShape
import windrow.{Pane, SourcePartition, Timing}

/** Tests that rows that are built from bytes equal those of Spark's projection. */
final class PaneRowsSuite extends AnyFunSuite {
  private val dice = new Random(11)

  private val types = Seq[DataType](
    IntegerType,
    LongType,
    StringType,
    DecimalType(10, 2),
    DecimalType(38, 10),
    CalendarIntervalType,
    BinaryType,
    BooleanType,
    DoubleType,
    ArrayType(StringType),
    new StructType().add("a", StringType).add("b", DecimalType(38, 0)))

  private def value(of: DataType): Any = of match {
    case _ if dice.nextInt(4) == 0 => null
    case IntegerType               => dice.nextInt()
    case LongType                  => dice.nextLong()
    case StringType                => UTF8String.fromString(dice.alphanumeric.take(dice.nextInt(20)).mkString)
    case decimal: DecimalType =>
      Decimal(
        BigDecimal(BigInt(if (decimal.precision > 18) 100 else 30, dice), decimal.scale),
        decimal.precision,
        decimal.scale)
    case CalendarIntervalType => new CalendarInterval(dice.nextInt(), dice.nextInt(), dice.nextLong())
    case BinaryType           => dice.nextBytes(dice.nextInt(20))
    case BooleanType          => dice.nextBoolean()
    case DoubleType           => dice.nextDouble()
    case ArrayType(of, _)     => new GenericArrayData(Array.fill[Any](dice.nextInt(4))(value(of)))
    case row: StructType      => values(row.map(_.dataType))
    case other                => throw new IllegalArgumentException(other.toString)
  }

  private def values(of: Seq[DataType]): InternalRow = new GenericInternalRow(of.map(value).toArray[Any])

  private def some(most: Int): Seq[DataType] = Seq.fill(dice.nextInt(most + 1))(types(dice.nextInt(types.size)))

  private def pane(): Pane[Unit, Unit] = Pane(
    key = (),
    start = dice.nextLong(),
    end = dice.nextLong(),
    timing = Timing.All(dice.nextInt(3)),
    index = dice.nextLong(),
    isLast = dice.nextBoolean(),
    isRetraction = dice.nextBoolean(),
    value = (),
    partition = Option.when(dice.nextBoolean())(SourcePartition("orders", dice.nextLong())))

  private def fields(pane: Pane[_, _]): InternalRow = InternalRow(
    pane.start,
    pane.end,
    UTF8String.fromString(pane.timing.toString),
    pane.index,
    pane.isLast,
    pane.isRetraction,
    pane.partition.map(of => UTF8String.fromString(of.source)).orNull,
    pane.partition.map(of => Long.box(of.number)).orNull)

  for ((many, what) <- Seq((3, "few columns"), (70, "more columns than a word of null bits")))
    test(s"$what of any type, with and without a source partition") {
      (1 to 40).foreach { _ =>
        val (keys, results) = (some(many), some(many))
        val schema          = new OutputSchema(keys, results, new StructType, None)
        val rows            = new PaneRows(schema)
        val shape           = new RowShape(schema.pane)
        val wanted          = UnsafeProjection.create(schema.pane.toArray)
        val key             = UnsafeProjection.create(keys.toArray)
        val packed          = UnsafeProjection.create(results.toArray)
        // The bytes differ: a projection does not clear the bytes after a null decimal.
        val shown = CatalystTypeConverters.createToScalaConverter(
          schema.pane.zipWithIndex.foldLeft(new StructType) { case (row, (of, i)) => row.add(s"c$i", of) })
        (1 to 20).foreach { i =>
          val (k, fired, value) = (values(keys), pane(), values(results))
          val whole             = new JoinedRow(k, new JoinedRow(fields(fired), value))
          val out               = new ByteWriter(1)
          rows.write(key(k), fired, if (i % 2 == 0) packed(value) else value, out)
          val found = shape.read(ByteReader(out.result()))
          assert(shown(found) === shown(wanted(whole)))
        }
      }
    }
}
