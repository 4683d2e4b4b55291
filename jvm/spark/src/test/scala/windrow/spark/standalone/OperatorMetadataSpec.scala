package windrow.spark.standalone

import org.scalatest.funsuite.AnyFunSuite
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.spark.pack.OtherBytes

/** What an operator keeps beside its state (SEMANTICS S1). */
final class OperatorMetadataSpec extends AnyFunSuite {

  test(s"S1: ${OtherBytes.Count} with other bytes are read, or refused by name") {
    val (out, fixed) = (new ByteWriter, Seq("tumbling windows", "sum of price"))
    OperatorMetadata.write(fixed, Some(7L), out)
    assert(OtherBytes.refused(out.result())(bytes =>
      OperatorMetadata.check(ByteReader(bytes), fixed)) > OtherBytes.Count / 10)
  }
}
