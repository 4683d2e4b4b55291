package windrow.spark.pack

/** Bits of the first byte of all that stands in a packet: what an entry holds, or that it is no entry. */
private[pack] object PacketFlag {
  val Time     = 1
  val Raw      = 2
  val Sender   = 4
  val Order    = 8
  val Progress = 16
  val Pane     = 32
}
