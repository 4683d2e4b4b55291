package org.apache.spark.sql.windrow

import org.apache.spark.sql.Encoder
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.Analyzer
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder.{Deserializer, Serializer}
import org.apache.spark.sql.catalyst.encoders.{AgnosticEncoders, ExpressionEncoder}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter

/** Encodes one value as a row with the same bytes as Spark's encoder. Avoids the analysis and code generation that
  * Spark's encoder needs in each task for each state variable.
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
