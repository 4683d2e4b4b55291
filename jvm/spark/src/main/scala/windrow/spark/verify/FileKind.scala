package windrow.spark.verify

import scala.util.Try

/** The kind of content of a checkpoint file, derived from its name. */
private[verify] sealed trait FileKind {

  /** The micro-batch of the query to which the file belongs. */
  def batch: Option[Long] = None
}

private[verify] object FileKind {

  case object QueryId extends FileKind
  case object Mark    extends FileKind

  final case class Plan(number: Long)   extends FileKind { override def batch: Option[Long] = Some(number) }
  final case class Commit(number: Long) extends FileKind { override def batch: Option[Long] = Some(number) }

  /** An entry of the log of a file source.
    *
    * @param source
    *   the position of the source
    * @param isCompact
    *   whether it also contains all earlier entries
    */
  final case class SourceLog(source: Int, number: Long, isCompact: Boolean) extends FileKind

  /** An entry of the log of the file sink that wrote a folder. */
  final case class SinkLog(number: Long, isCompact: Boolean) extends FileKind

  final case class Operator(number: Int) extends FileKind
  final case class Schema(number: Int)   extends FileKind

  /** A version of a state store: a complete snapshot, or the changes of one micro-batch.
    *
    * @param store
    *   the folder of the store, with a trailing slash
    */
  final case class Version(store: Store, number: Long, isWhole: Boolean, ending: String) extends FileKind {
    override def batch: Option[Long] = Some(number - 1)
  }

  /** A file in which RocksDB stores entries of a state store. */
  final case class Table(store: String) extends FileKind

  /** Not a part of the checkpoint, or not yet. */
  case object Temporary extends FileKind
  case object Other     extends FileKind

  final case class Store(operator: Int, partition: Int, name: String, folder: String)

  private val Planned   = "offsets/(\\d+)".r
  private val Committed = "commits/(\\d+)".r
  private val Source    = "sources/(\\d+)/(\\d+)(\\.compact)?".r
  private val Metadata  = "state/(\\d+)/_metadata/(?:v\\d+/\\d+|metadata)".r
  private val Schemas   = "state/(\\d+)/(?:.+/)?(?:_stateSchema/.+|_metadata/schema)".r
  private val Versions  = "(state/(\\d+)/(\\d+)/(?:(.+)/)?)(\\d+)(?:_[^./]+)?\\.(zip|changelog|snapshot|delta)".r
  private val Tables    = "(state/.+/)(?:SSTs|logs)/[^/]+".r
  private val Writing   = "(?:.*/)?\\.[^/]*\\.tmp(?:\\.crc)?".r

  def of(name: String): FileKind = name match {
    case "metadata"                           => QueryId
    case "windrow/query"                      => Mark
    case Writing()                            => Temporary
    case Planned(number(n))                   => Plan(n)
    case Committed(number(n))                 => Commit(n)
    case Source(number(of), number(n), whole) => SourceLog(of.toInt, n, whole != null)
    case Metadata(number(of))                 => Operator(of.toInt)
    case Schemas(number(of))                  => Schema(of.toInt)
    case Versions(folder, number(of), number(part), store, number(version), ending) =>
      val isWhole = ending == "zip" || ending == "snapshot"
      Version(Store(of.toInt, part.toInt, Option(store).getOrElse("default"), folder), version, isWhole, ending)
    case Tables(store) => Table(store)
    case _             => Other
  }

  private val Sink = "(\\d+)(\\.compact)?".r

  /** Returns the kind of a file in the log folder of a file sink. */
  def ofSink(name: String): FileKind = name match {
    case Writing()              => Temporary
    case Sink(number(n), whole) => SinkLog(n, whole != null)
    case _                      => Other
  }

  private object number {
    def unapply(digits: String): Option[Long] = Try(digits.toLong).toOption
  }
}
