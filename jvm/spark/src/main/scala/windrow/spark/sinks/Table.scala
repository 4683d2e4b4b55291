package windrow.spark.sinks

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{DataFrame, Row, SaveMode, SparkSession}
import windrow.spark.jdbc.BatchLedger.LedgerEntry
import windrow.spark.jdbc.{BatchDigest, JdbcRefusal}

/** A table to which each micro-batch is appended. Tables of Delta and Iceberg recognize a micro-batch that is repeated
  * after a crash. Tables of other formats may then contain it twice.
  *
  * @param name
  *   the name of the table
  */
final case class Table(name: String) extends Sink {
  def write(rows: DataFrame, batch: Long): Unit = append(rows, Map.empty)

  override private[spark] def of(query: String, checkpoint: String, kind: String): Sink =
    if (query.isEmpty) this else new Table.Bound(this, checkpoint, s"windrow $query $kind")

  /** Appends in the format of the table, because Spark would otherwise require that of new tables. */
  private def append(rows: DataFrame, options: Map[String, String]): Unit = {
    val writer = rows.write.mode(SaveMode.Append).options(options)
    SparkInside.provider(rows.sparkSession, name).fold(writer)(writer.format).saveAsTable(name)
  }

  /** Creates the table if it is missing. */
  private def create(session: SparkSession, columns: StructType): Unit =
    if (!session.catalog.tableExists(name))
      append(session.createDataFrame(java.util.List.of[Row](), columns), Map.empty)
}

object Table {

  /** A sink that is bound to a query, its checkpoint and the kind of rows.
    *
    * @param owner
    *   identifies the query and the kind of rows
    */
  private final class Bound(sink: Table, checkpoint: String, owner: String) extends Sink {

    /** The last micro-batch in the table, since the first one of this run has been read. */
    private var last: Option[LedgerEntry] = None

    def write(rows: DataFrame, batch: Long): Unit = {
      val session = rows.sparkSession
      sink.create(session, rows.schema)
      CommitMarks.of(session, sink.name, owner).fold(sink.write(rows, batch)) { marks =>
        val came = LedgerEntry(batch, BatchDigest.of(session, checkpoint, batch))
        last.orElse(marks.last) match {
          case Some(before) if before.isAnother(came) =>
            throw JdbcRefusal("BATCH_IS_ANOTHER.TABLE", None, "table" -> sink.name, "batch" -> batch)
          case Some(before) if before.number == batch => ()
          case Some(before) if before.number > batch =>
            throw JdbcRefusal(
              "BATCH_OF_THE_PAST.TABLE",
              None,
              "table" -> sink.name,
              "batch" -> batch,
              "last"  -> before.number)
          case _ => sink.append(rows, marks.options(came))
        }
        last = Some(came)
      }
    }
  }
}
