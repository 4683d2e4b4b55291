package org.apache.spark.sql.windrow

import org.apache.spark.sql.Encoder
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.Analyzer
import org.apache.spark.sql.catalyst.encoders.AgnosticEncoders
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder.Deserializer
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder.Serializer
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter

/** Spark's own encoding of one value as a row, without the analysis and the generated code that each task would begin with,
  * once for each variable of the state.
  */
object StateColumn {
  val long: Encoder[Long] =
    new StateColumn[Long](ExpressionEncoder(AgnosticEncoders.PrimitiveLongEncoder), _.write(0, _), _.getLong(0))

  val bytes: Encoder[Array[Byte]] =
    new StateColumn[Array[Byte]](ExpressionEncoder(AgnosticEncoders.BinaryEncoder), _.write(0, _), _.getBinary(0))
}

private final class StateColumn[T](
    encoding: ExpressionEncoder[T],
    write: (UnsafeRowWriter, T) => Unit,
    read: InternalRow => T)
    extends ExpressionEncoder[T](encoding.encoder, encoding.objSerializer, encoding.objDeserializer) {

  override def resolveAndBind(columns: Seq[Attribute], analyzer: Analyzer): ExpressionEncoder[T] = this

  override def createSerializer(): Serializer[T] = new Serializer[T](Nil) {
    private val writer = new UnsafeRowWriter(1, 64)

    override def apply(value: T): InternalRow = {
      writer.reset()
      writer.zeroOutNullBytes()
      write(writer, value)
      writer.getRow
    }
  }

  override def createDeserializer(): Deserializer[T] = new Deserializer[T](Nil) {
    override def apply(row: InternalRow): T = read(row)
  }
}
