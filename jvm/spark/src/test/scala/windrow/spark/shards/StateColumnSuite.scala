package windrow.spark.shards

import org.apache.spark.sql.catalyst.encoders.encoderFor
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.windrow.StateColumn
import org.apache.spark.sql.{Encoder, Encoders}
import org.scalatest.funsuite.AnyFunSuite
import scala.util.Random

/** Tests that the state contains the same bytes as with Spark's own encoders, so that each can read the other's. */
final class StateColumnSuite extends AnyFunSuite {
  private def same[T](own: Encoder[T], sparks: Encoder[T], values: Seq[T]): Unit = {
    val (mine, theirs) = (encoderFor(own), encoderFor(sparks))
    assert(mine.schema === theirs.schema)
    val (write, other) = (mine.createSerializer(), theirs.createSerializer())
    val read           = theirs.resolveAndBind().createDeserializer()
    val readMine       = mine.resolveAndBind().createDeserializer()
    values.foreach { value =>
      val row = write(value).asInstanceOf[UnsafeRow]
      assert(row === other(value))
      assert(read(row) === value)
      assert(readMine(other(value)) === value)
    }
  }

  test("numbers and bytes are encoded as Spark does") {
    val dice = new Random(7)
    same(
      StateColumn.long,
      Encoders.scalaLong,
      Seq(0L, -1L, Long.MinValue, Long.MaxValue) ++ Seq.fill(1000)(dice.nextLong()))
    same(StateColumn.bytes, Encoders.BINARY, (0 to 300).map(dice.nextBytes) :+ dice.nextBytes(1 << 20))
  }
}
