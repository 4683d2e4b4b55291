package windrow.spark.standalone

import org.scalatest.funsuite.AnyFunSuite
import windrow.CheckpointError
import windrow.core.state.{ByteReader, ByteWriter, Damage}

/** Tests the metadata that an operator stores in addition to its state (SEMANTICS S1). */
final class OperatorMetadataSpec extends AnyFunSuite {

  test(s"S1: ${Damage.Count} with other bytes are read, or refused by name") {
    val (out, fixed) = (new ByteWriter, Seq("tumbling windows", "sum of price"))
    OperatorMetadata.write(fixed, Some(7L), out)
    assert(Damage.refusedBytes("what operators keep", out.result())(bytes =>
      OperatorMetadata.check(ByteReader(bytes), fixed)) > Damage.Count / 10)
  }

  test("S2: a store belongs to one description, which has no part more, less or in other words") {
    def check(kept: Seq[String], stated: Seq[String]): Unit = {
      val out = new ByteWriter
      OperatorMetadata.write(kept, None, out)
      OperatorMetadata.check(ByteReader(out.result()), stated)
    }
    check(Seq("windows", "sum"), Seq("windows", "sum"))
    intercept[CheckpointError](check(Seq("windows", "count"), Seq("windows", "sum")))
    intercept[CheckpointError](check(Seq("windows"), Seq("windows", "sum")))
    intercept[CheckpointError](check(Seq("windows", "sum"), Seq("windows")))
  }
}
