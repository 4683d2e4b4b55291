package windrow.testkit

/** What goes wrong around a shard, in the ways in which Spark, its stores, machines, clocks and sources go wrong. */
sealed abstract class FaultPoint(override val toString: String)

object FaultPoint {

  /** The store refuses to write: the task fails, its changes are forgotten, it runs again. */
  case object WriteFails extends FaultPoint("a write fails")

  /** The store refuses to read. */
  case object ReadFails extends FaultPoint("a read fails")

  /** The task has ended, but another attempt wins, or the executor is lost before the commit. */
  case object AttemptLost extends FaultPoint("an attempt is lost at its end")

  /** The driver dies between the commits of the shards and that of the batch: the batch comes again, in another order. */
  case object BatchRepeated extends FaultPoint("a committed batch is repeated")

  /** The source brings the messages of a committed batch once more, together with those of the next one. */
  case object BatchRecut extends FaultPoint("a committed batch is delivered again with the next")

  /** The query goes away and comes back. */
  case object Restart extends FaultPoint("a restart")

  /** It comes back cutting its state into pieces of other sizes. */
  case object OtherSizes extends FaultPoint("a restart with other sizes of pieces")

  /** It comes back with a longer lateness, which shows nowhere since no watermark has come. */
  case object Longer extends FaultPoint("a restart with a longer lateness")

  /** It comes back with another lateness and other late panes, and its attempt is lost. */
  case object OtherSpec extends FaultPoint("an attempt with a changed spec is lost")

  /** What is written loses its end. */
  case object WriteShort extends FaultPoint("a short write")

  /** Only the beginning of what is written arrives; behind it stands what was there before. */
  case object WriteTorn extends FaultPoint("a torn write")

  /** A bit of what is written is another one. */
  case object BitFlips extends FaultPoint("a bit that flips")

  /** A write of another value never arrives, and the store does not say so. */
  case object WriteDropped extends FaultPoint("a dropped write")

  /** A read gives what stood there before the last write. */
  case object ReadStale extends FaultPoint("a stale read")

  case object WatermarkBack  extends FaultPoint("a watermark set back")
  case object WatermarkAhead extends FaultPoint("a watermark ahead of the stream")
  case object ClockBack      extends FaultPoint("a clock set back")
  case object ClockAhead     extends FaultPoint("a clock set ahead")
  case object Late           extends FaultPoint("a late message")
  case object Future         extends FaultPoint("a message of the future")
  case object Duplicate      extends FaultPoint("a duplicate")
  case object Broken         extends FaultPoint("a message without a time")

  /** Those that a store does not notice: the shard must, as it reads. */
  val Damages: Seq[FaultPoint] = Seq(WriteShort, WriteTorn, BitFlips)

  /** Whole values that are too old: no checksum tells them from others. */
  val Stale: Seq[FaultPoint] = Seq(WriteDropped, ReadStale)

  /** What a case brings with it. */
  val OfStreams: Seq[FaultPoint] =
    Seq(WatermarkBack, WatermarkAhead, ClockBack, ClockAhead, Late, Future, Duplicate, Broken)

  /** What befalls an attempt. */
  val OfAttempts: Seq[FaultPoint] =
    Seq(WriteFails, ReadFails, AttemptLost, Restart, OtherSizes, OtherSpec, BatchRecut) ++ Damages ++ Stale

  val All: Seq[FaultPoint] = OfAttempts ++ Seq(BatchRepeated, Longer) ++ OfStreams
}
