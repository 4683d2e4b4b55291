package windrow.spark.rows

import org.scalatest.funsuite.AnyFunSuite
import windrow.core.state.Decoders

/** Checks that a test damages the input of each class that reads stored or shuffled bytes (SEMANTICS S1). */
final class DecodersSuite extends AnyFunSuite {
  test("S1: a new decoder is listed here with the test that damages its input") {
    val damagedBy = Map(
      "rows.Rows"                   -> "EntryCodecSpec",
      "rows.RowPacket"              -> "RowPacketSuite",
      "rows.RowShape"               -> "RowShapeSuite, RowFormatSpec",
      "functions.RowAggregation"    -> "RowShapeSuite: it is the shape's",
      "functions.ObjectAggregation" -> "the same",
      "functions.FilledAggregation" -> "the same",
      "functions.TimedValues"       -> "OverTimeSpec",
      "functions.NumbersOverTime"   -> "OverTimeSpec",
      "functions.TimeInState"       -> "OverTimeSpec",
      "packet.EntryCodec"           -> "EntryCodecSpec",
      "join.JoinEntry"              -> "JoinEntrySpec",
      "query.QuestionPacket"        -> "QuestionPacketSpec",
      "standalone.TableOutbox"      -> "TableOutboxSpec",
      "standalone.RowFormat"        -> "RowFormatSpec")
    val found = Decoders.of(Rows.getClass).map(_.stripPrefix("windrow.spark.").replaceFirst("(\\$.*)?\\.[^.]*$", ""))
    assert(found == damagedBy.keySet)
  }
}
