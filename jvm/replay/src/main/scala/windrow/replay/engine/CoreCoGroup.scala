package windrow.replay

import windrow.Guards
import windrow.core.aggregate.{Aggregation, BufferStorage, OrderedAggregation, OrderedBuffer}
import windrow.core.state.{ByteReader, ByteWriter, Pieces}

/** Aggregates the messages of each stream into an ordered list. */
private[windrow] final class CoGroupAggregation private (
    streams: Seq[String],
    ordered: OrderedAggregation[Vector[CoGroupAggregation.Member], Vector[CoGroupAggregation.Member]])
    extends Aggregation[OrderedBuffer[Vector[CoGroupAggregation.Member]], Content] {
  import CoGroupAggregation.Member

  private type Buffer = OrderedBuffer[Vector[Member]]

  def this(streams: Seq[String]) = this(streams, new OrderedAggregation(CoGroupAggregation.Members))

  private[windrow] override val storage: Option[BufferStorage[Buffer]] = ordered.storage

  private[windrow] override def in(pieces: Pieces, guards: Guards): CoGroupAggregation =
    new CoGroupAggregation(streams, ordered.in(pieces, guards))

  def lift(message: Message): Buffer = ordered.lift(
    TranscriptAggregation.position(message),
    Vector(Member(
      streams.indexOf(message.stream.getOrElse("")),
      StoredValue(message.time.getOrElse(0L), message.value))))

  def zero: Buffer                                 = ordered.zero
  def combine(left: Buffer, right: Buffer): Buffer = ordered.combine(left, right)
  def copy(buffer: Buffer): Buffer                 = ordered.copy(buffer)

  def lower(buffer: Buffer): Content = {
    val all = ordered.lower(buffer)
    Content.ByStream(streams.zipWithIndex.map { case (name, index) =>
      name -> all.filter(_.stream == index).map(_.value)
    }.toMap)
  }

  def write(buffer: Buffer, out: ByteWriter): Unit = ordered.write(buffer, out)
  def read(in: ByteReader): Buffer                 = ordered.read(in)
}

private[windrow] object CoGroupAggregation {
  final case class Member(stream: Int, value: StoredValue)

  private object Members extends Aggregation[Vector[Member], Vector[Member]] {
    def zero: Vector[Member]                                                 = Vector.empty
    def combine(left: Vector[Member], right: Vector[Member]): Vector[Member] = left ++ right
    def copy(buffer: Vector[Member]): Vector[Member]                         = buffer
    def lower(buffer: Vector[Member]): Vector[Member]                        = buffer

    def write(buffer: Vector[Member], out: ByteWriter): Unit = {
      out.count(buffer.size.toLong)
      buffer.foreach { member =>
        out.count(member.stream.toLong)
        out.long(member.value.time)
        ScalarCodec.write(member.value.value, out)
      }
    }

    def read(in: ByteReader): Vector[Member] =
      Vector.fill(in.count().toInt)(Member(in.count().toInt, StoredValue(in.long(), ScalarCodec.read(in))))
  }
}
