package windrow.spark.packet

import windrow.core.offsets.{Progress, SourcePartitionCodec}
import windrow.core.state.{ByteReader, ByteWriter}

/** The format of packets that report the progress of the entire stream in a step to a shard. */
object ProgressCodec {
  private[spark] def packet(all: Seq[Progress]): Array[Byte] = {
    val out = new ByteWriter
    out.byte(PacketFlag.Progress)
    all.foreach { one =>
      SourcePartitionCodec.write(one.of, out)
      out.long(one.first)
      out.long(one.last)
      out.byte(if (one.isWhole) 1 else 0)
    }
    out.result()
  }

  def isProgress(packet: Array[Byte]): Boolean = (packet(0) & PacketFlag.Progress) != 0

  def read(packet: Array[Byte]): Seq[Progress] = {
    val in = ByteReader(packet)
    in.byte()
    Iterator.continually(in).takeWhile(_.hasNext).map { in =>
      Progress(SourcePartitionCodec.read(in), in.long(), in.long(), in.byte() == 1)
    }.toVector
  }
}
