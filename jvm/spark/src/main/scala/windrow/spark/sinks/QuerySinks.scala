package windrow.spark.sinks

import windrow.spark.running.FilesTarget

/** A kind of rows and its sink.
  *
  * @param shown
  *   the sink as the user has written it, without secrets
  */
private[spark] final case class KindSink(kind: String, sink: Sink, shown: String)

/** The sinks of a start.
  *
  * @param kinds
  *   the kinds of rows that the query can write
  * @param stated
  *   the kinds that have a sink. Rows of other kinds are only counted.
  */
private[spark] final case class QuerySinks(kinds: Seq[String], stated: Seq[KindSink]) {
  def files: Seq[FilesTarget] = stated.collect { case KindSink(kind, Files(path, format), _) =>
    FilesTarget(kind, path, format)
  }

  def tables: Map[String, String] = stated.collect { case KindSink(kind, Table(name), _) => kind -> name }.toMap

  /** Returns the sinks, bound to a query and its checkpoint. */
  def of(query: String, checkpoint: String): Seq[(String, Sink)] =
    stated.map(one => one.kind -> one.sink.of(query, checkpoint, one.kind))
}

private[spark] object QuerySinks {
  def apply(sinks: Seq[(String, Option[Sink])]): QuerySinks =
    QuerySinks(sinks.map(_._1), sinks.collect { case (kind, Some(sink)) => KindSink(kind, sink, sink.toString) })
}
