package windrow.spark.standalone

import org.scalatest.funsuite.AnyFunSuite
import windrow.CheckpointError
import windrow.core.state.Damage
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter

/** What an operator keeps beside its state (SEMANTICS S1). */
final class OperatorMetadataSpec extends AnyFunSuite {

  test(s"S1: ${Damage.Count} with other bytes are read, or refused by name") {
    val (out, fixed) = (new ByteWriter, Seq(Stated("tumbling windows"), Stated("sum of price")))
    OperatorMetadata.write(fixed, Some(7L), out)
    assert(Damage.refusedBytes("what operators keep", out.result())(bytes =>
      OperatorMetadata.check(ByteReader(bytes), fixed)) > Damage.Count / 10)
  }

  test("S2: what was not named when a store was made is taken over, what was named stays") {
    def check(kept: Seq[String], stated: Seq[String]): Unit = {
      val out = new ByteWriter
      OperatorMetadata.write(kept.map(Stated(_)), None, out)
      OperatorMetadata.check(ByteReader(out.result()), stated.map(Stated(_)))
    }
    check(Seq("windows", "sum"), Seq("windows", "sum", "messages by offset"))
    intercept[CheckpointError](check(Seq("windows", "count"), Seq("windows", "sum", "messages by offset")))
    intercept[CheckpointError](check(Seq("windows", "sum", "messages by offset"), Seq("windows", "sum")))
  }

  test("S2: what stood in other words goes on, in those words or in the new ones") {
    val stated = Seq(Stated("windows"), Stated("sum(price)", Some("sum(input[0])")))
    def check(kept: String): Unit = {
      val out = new ByteWriter
      OperatorMetadata.write(Seq(Stated("windows"), Stated(kept)), None, out)
      OperatorMetadata.check(ByteReader(out.result()), stated)
    }
    check("sum(input[0])")
    check("sum(price)")
    intercept[CheckpointError](check("sum(cost)"))
  }
}
