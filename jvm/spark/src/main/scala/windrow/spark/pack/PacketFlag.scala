package windrow.spark.pack

/** Bits of the first byte of all that stands in a packet: what an entry holds, or that it is no entry. */
private[spark] object PacketFlag {
  val Time     = 1
  val Raw      = 2
  val Sender   = 4
  val Order    = 8
  val Progress = 16
  val Pane     = 32
  val End      = 64
  val Question = 128

  /** The input is over. A packet of its own. */
  val TheEnd: Array[Byte] = Array(End.toByte)

  /** Nothing is in it: the shard is called, whether messages come or not. */
  val Call: Array[Byte] = Array.emptyByteArray

  def isCall(packet: Array[Byte]): Boolean = packet.isEmpty

  def isEnd(packet: Array[Byte]): Boolean = (packet(0) & End) != 0
}
