package windrow.flink

import java.util.Objects
import org.apache.flink.api.common.serialization.SerializerConfig
import org.apache.flink.api.common.typeinfo.TypeInformation
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton
import org.apache.flink.api.common.typeutils.{SimpleTypeSerializerSnapshot, TypeSerializer, TypeSerializerSnapshot}
import org.apache.flink.core.memory.{DataInputView, DataOutputView}

/** Three numbers: micros, key and value of an event; or count, sum and maximum of a window. Serialized as 24 bytes,
  * which Flink's generated serializers cannot do.
  */
final class Triple(var a: Long, var b: Long, var c: Long) extends Serializable {
  override def equals(other: Any): Boolean = other match {
    case that: Triple => a == that.a && b == that.b && c == that.c
    case _            => false
  }
  override def hashCode: Int = Objects.hash(Long.box(a), Long.box(b), Long.box(c))
}

final class TripleType extends TypeInformation[Triple] {
  def isBasicType: Boolean                                                 = false
  def isTupleType: Boolean                                                 = false
  def isKeyType: Boolean                                                   = false
  def getArity: Int                                                        = 1
  def getTotalFields: Int                                                  = 1
  def getTypeClass: Class[Triple]                                          = classOf[Triple]
  def createSerializer(settings: SerializerConfig): TypeSerializer[Triple] = TripleSerializer.Only
  def canEqual(other: Any): Boolean                                        = other.isInstanceOf[TripleType]
  override def equals(other: Any): Boolean                                 = canEqual(other)
  override def hashCode: Int                                               = 3
  override def toString: String                                            = "Triple"
}

final class TripleSerializer extends TypeSerializerSingleton[Triple] {
  def isImmutableType: Boolean                           = false
  def createInstance(): Triple                           = new Triple(0, 0, 0)
  def copy(from: Triple): Triple                         = new Triple(from.a, from.b, from.c)
  def copy(from: Triple, into: Triple): Triple           = set(into, from.a, from.b, from.c)
  def getLength: Int                                     = 24
  def deserialize(in: DataInputView): Triple             = new Triple(in.readLong(), in.readLong(), in.readLong())
  def copy(in: DataInputView, out: DataOutputView): Unit = out.write(in, getLength)

  def serialize(triple: Triple, out: DataOutputView): Unit = {
    out.writeLong(triple.a)
    out.writeLong(triple.b)
    out.writeLong(triple.c)
  }

  def deserialize(into: Triple, in: DataInputView): Triple = set(into, in.readLong(), in.readLong(), in.readLong())

  def snapshotConfiguration(): TypeSerializerSnapshot[Triple] = new TripleSnapshot

  private def set(into: Triple, a: Long, b: Long, c: Long): Triple = {
    into.a = a
    into.b = b
    into.c = c
    into
  }
}

object TripleSerializer {
  val Only = new TripleSerializer
}

final class TripleSnapshot extends SimpleTypeSerializerSnapshot[Triple](() => TripleSerializer.Only)
