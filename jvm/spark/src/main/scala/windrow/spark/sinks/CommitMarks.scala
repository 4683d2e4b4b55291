package windrow.spark.sinks

import java.util.Locale.ROOT
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SparkSession}
import windrow.spark.jdbc.BatchLedger.LedgerEntry

/** The micro-batches of a query in the commits of a table. The commit that adds the rows of a micro-batch stores its
  * number and digest, so a table has both or neither (SEMANTICS R145).
  */
private[sinks] sealed abstract class CommitMarks(owner: String) {

  /** Returns the options of a write that store a micro-batch in its commit. */
  def options(batch: LedgerEntry): Map[String, String]

  /** Returns the last micro-batch. */
  def last: Option[LedgerEntry]

  /** Reads the newest mark of the owner from commits, the newest first. */
  protected def newest(commits: DataFrame): Option[LedgerEntry] =
    commits.where(col("owner") === owner).select("batch", "digest").head(1).headOption.map(row =>
      LedgerEntry(row.getString(0).toLong, Option(row.getString(1))))
}

private[sinks] object CommitMarks {

  /** Returns None if the format of the table has no commits with properties. */
  def of(session: SparkSession, table: String, owner: String): Option[CommitMarks] = {
    val described = session.sql(s"DESCRIBE TABLE EXTENDED ${Upsert.identifier(table)}")
    val formats   = described.where(col("col_name") === "Provider").select("data_type").collect().map(_.getString(0))
    val name      = CatalystSqlParser.parseMultipartIdentifier(table).map(quoteIdentifier).mkString(".")
    formats.map(_.toLowerCase(ROOT)).collectFirst {
      case "delta"   => new DeltaMarks(session, name, owner)
      case "iceberg" => new IcebergMarks(session, name, owner)
    }
  }

  /** Delta also ignores a write with a known `txnAppId` and `txnVersion`, even if two runs write at the same time. The
    * history contains the digest.
    */
  private final class DeltaMarks(session: SparkSession, name: String, owner: String) extends CommitMarks(owner) {
    def options(batch: LedgerEntry): Map[String, String] = Map(
      "txnAppId"     -> owner,
      "txnVersion"   -> batch.number.toString,
      "userMetadata" -> s"""{"windrow":{"owner":"$owner","batch":${batch.number}${digest(batch)}}}""")

    private def digest(batch: LedgerEntry) = batch.digest.fold("")(one => s""","digest":"$one"""")

    def last: Option[LedgerEntry] = newest(history(Some(Few))).orElse(newest(history(None)))

    private def history(most: Option[Int]): DataFrame = {
      def of(property: String) = get_json_object(col("userMetadata"), s"$$.windrow.$property").as(property)
      session.sql(s"DESCRIBE HISTORY $name${most.fold("")(n => s" LIMIT $n")}").orderBy(col("version").desc)
        .select(of("owner"), of("batch"), of("digest"))
    }
  }

  /** Iceberg stores properties in the summary of a snapshot. */
  private final class IcebergMarks(session: SparkSession, name: String, owner: String) extends CommitMarks(owner) {
    def options(batch: LedgerEntry): Map[String, String] =
      (Map("owner" -> owner, "batch" -> batch.number.toString) ++ batch.digest.map("digest" -> _)).map {
        case (property, value) => s"snapshot-property.windrow-$property" -> value
      }

    def last: Option[LedgerEntry] = {
      session.sql(s"REFRESH TABLE $name")
      def of(property: String) = try_element_at(col("summary"), lit(s"windrow-$property")).as(property)
      // Snapshots that a rollback has undone remain in the list.
      val valid = session.table(s"$name.history").where("is_current_ancestor").select("snapshot_id")
      newest(session.table(s"$name.snapshots").join(valid, "snapshot_id").orderBy(col("committed_at").desc)
        .select(of("owner"), of("batch"), of("digest")))
    }
  }

  /** The commits that are usually enough to find the last micro-batch. */
  private val Few = 100
}
