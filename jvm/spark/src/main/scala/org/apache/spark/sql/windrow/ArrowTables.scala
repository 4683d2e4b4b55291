package org.apache.spark.sql.windrow

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.ipc.{ArrowStreamReader, ArrowStreamWriter}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.arrow.ArrowWriter
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.ArrowUtils
import org.apache.spark.sql.vectorized.{ArrowColumnVector, ColumnVector, ColumnarBatch}
import scala.jdk.CollectionConverters._
import scala.util.Using

/** Converts tables to and from Arrow streams in bytes, with Spark's own Arrow readers and writers. */
object ArrowTables {

  private val Zone      = "UTC"
  private val BatchRows = 1 << 16

  /** Reads a stream.
    *
    * @param each
    *   receives every row; a row is valid until the next one
    */
  def read(stream: Array[Byte])(each: InternalRow => Unit): Unit = {
    val allocator = ArrowUtils.rootAllocator.newChildAllocator("windrow.read", 0, Long.MaxValue)
    Using.resource(allocator) { memory =>
      Using.resource(new ArrowStreamReader(new ByteArrayInputStream(stream), memory)) { reader =>
        while (reader.loadNextBatch()) rows(reader.getVectorSchemaRoot).foreach(each)
      }
    }
  }

  private def rows(root: VectorSchemaRoot): Iterator[InternalRow] = {
    val columns = root.getFieldVectors.asScala.map(new ArrowColumnVector(_): ColumnVector).toArray
    new ColumnarBatch(columns, root.getRowCount).rowIterator.asScala
  }

  /** Writes a stream.
    *
    * @param rows
    *   each is valid until the next one
    */
  def write(schema: StructType, rows: Iterator[InternalRow]): Array[Byte] = {
    val out    = new ByteArrayOutputStream
    val writer = ArrowWriter.create(schema, Zone, true, false)
    Using.resource(writer.root) { root =>
      Using.resource(new ArrowStreamWriter(root, null, out)) { stream =>
        stream.start()
        while (rows.hasNext) {
          rows.take(BatchRows).foreach(writer.write)
          writer.finish()
          stream.writeBatch()
          writer.reset()
        }
        stream.end()
      }
    }
    out.toByteArray
  }
}
