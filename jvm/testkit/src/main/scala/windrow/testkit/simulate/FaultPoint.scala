package windrow.testkit

/** A fault of the environment of a shard: of Spark, its stores, machines, clocks or sources. */
sealed abstract class FaultPoint(override val toString: String)

object FaultPoint {

  /** The store fails a write. The task fails, its changes are discarded, and it runs again. */
  case object WriteFails extends FaultPoint("a write fails")

  /** The store fails a read. */
  case object ReadFails extends FaultPoint("a read fails")

  /** The task has ended, but another attempt wins, or the executor is lost before the commit. */
  case object AttemptLost extends FaultPoint("an attempt is lost at its end")

  /** The driver dies between the commits of the shards and that of the batch. The batch is then run again, in another
    * order.
    */
  case object BatchRepeated extends FaultPoint("a committed batch is repeated")

  /** The source returns the messages of a committed batch once more, together with those of the next one. */
  case object BatchRecut extends FaultPoint("a committed batch is delivered again with the next")

  /** The query is stopped and restarted. */
  case object Restart extends FaultPoint("a restart")

  /** The query is restarted, and divides its state into pieces of other sizes from then on. */
  case object OtherSizes extends FaultPoint("a restart with other sizes of pieces")

  /** The query is restarted with a longer lateness. The change has no visible effect, because no watermark has been set
    * yet.
    */
  case object Longer extends FaultPoint("a restart with a longer lateness")

  /** The query is restarted with another lateness and other late panes, and its attempt is lost. */
  case object OtherSpec extends FaultPoint("an attempt with a changed spec is lost")

  /** The last bytes of a written value are missing. */
  case object WriteShort extends FaultPoint("a short write")

  /** Only the first half of a written value arrives. The old bytes remain after it. */
  case object WriteTorn extends FaultPoint("a torn write")

  /** One bit of a written value is inverted. */
  case object BitFlips extends FaultPoint("a bit that flips")

  /** A write of a changed value never arrives, and the store does not report it. */
  case object WriteDropped extends FaultPoint("a dropped write")

  /** A read returns the value before the last write. */
  case object ReadStale extends FaultPoint("a stale read")

  case object WatermarkBack  extends FaultPoint("a watermark set back")
  case object WatermarkAhead extends FaultPoint("a watermark ahead of the stream")
  case object ClockBack      extends FaultPoint("a clock set back")
  case object ClockAhead     extends FaultPoint("a clock set ahead")
  case object Late           extends FaultPoint("a late message")
  case object Future         extends FaultPoint("a message of the future")
  case object Duplicate      extends FaultPoint("a duplicate")
  case object Broken         extends FaultPoint("a message without a time")

  /** Damage that a store does not notice. The shard must notice it when it reads. */
  val Damages: Seq[FaultPoint] = Seq(WriteShort, WriteTorn, BitFlips)

  /** Complete values that are out of date. No checksum distinguishes them from current ones. */
  val Stale: Seq[FaultPoint] = Seq(WriteDropped, ReadStale)

  /** Faults that the stream of a case contains. */
  val OfStreams: Seq[FaultPoint] =
    Seq(WatermarkBack, WatermarkAhead, ClockBack, ClockAhead, Late, Future, Duplicate, Broken)

  /** Faults of one attempt. */
  val OfAttempts: Seq[FaultPoint] =
    Seq(WriteFails, ReadFails, AttemptLost, Restart, OtherSizes, OtherSpec, BatchRecut) ++ Damages ++ Stale

  val All: Seq[FaultPoint] = OfAttempts ++ Seq(BatchRepeated, Longer) ++ OfStreams
}
