package windrow.spark.verify

import scala.util.Try

/** What a file of a checkpoint holds, by its name. */
private[verify] sealed trait Form {

  /** Of the query's batches. */
  def batch: Option[Long] = None
}

private[verify] object Form {

  case object QueryId extends Form
  case object Mark    extends Form

  final case class Plan(number: Long)   extends Form { override def batch: Option[Long] = Some(number) }
  final case class Commit(number: Long) extends Form { override def batch: Option[Long] = Some(number) }

  /** @param source
    *   its place among the sources
    * @param isCompact
    *   it holds all entries before it, too
    */
  final case class SourceLog(source: Int, number: Long, isCompact: Boolean) extends Form

  /** Of the file sink that wrote a folder. */
  final case class SinkLog(number: Long, isCompact: Boolean) extends Form

  final case class Operator(number: Int) extends Form
  final case class Schema(number: Int)   extends Form

  /** A store as a batch left it, whole or as what has changed.
    *
    * @param store
    *   its folder, with a slash at its end
    */
  final case class Version(store: Store, number: Long, isWhole: Boolean, ending: String) extends Form {
    override def batch: Option[Long] = Some(number - 1)
  }

  /** Where RocksDB keeps entries of a store. */
  final case class Table(store: String) extends Form

  /** Not yet, or never, a part of the checkpoint. */
  case object Temporary extends Form
  case object Other     extends Form

  final case class Store(operator: Int, partition: Int, name: String, folder: String)

  private val Planned   = "offsets/(\\d+)".r
  private val Committed = "commits/(\\d+)".r
  private val Source    = "sources/(\\d+)/(\\d+)(\\.compact)?".r
  private val Metadata  = "state/(\\d+)/_metadata/(?:v\\d+/\\d+|metadata)".r
  private val Schemas   = "state/(\\d+)/(?:.+/)?(?:_stateSchema/.+|_metadata/schema)".r
  private val Versions  = "(state/(\\d+)/(\\d+)/(?:(.+)/)?)(\\d+)(?:_[^./]+)?\\.(zip|changelog|snapshot|delta)".r
  private val Tables    = "(state/.+/)(?:SSTs|logs)/[^/]+".r
  private val Writing   = "(?:.*/)?\\.[^/]*\\.tmp(?:\\.crc)?".r

  def of(name: String): Form = name match {
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

  /** In the folder of the log of a file sink. */
  def ofSink(name: String): Form = name match {
    case Writing()              => Temporary
    case Sink(number(n), whole) => SinkLog(n, whole != null)
    case _                      => Other
  }

  private object number {
    def unapply(digits: String): Option[Long] = Try(digits.toLong).toOption
  }
}
