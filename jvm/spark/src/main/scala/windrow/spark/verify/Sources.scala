package windrow.spark.verify

import windrow.spark.verify.FileKind.SourceLog

/** Verifies the logs of file sources, which record the files of each entry. Spark never reads files whose entry is
  * missing.
  */
private[verify] final class Sources(contents: FolderContents) {
  private val logs: Map[Int, Seq[SourceLog]] =
    contents.forms.values.collect { case log: SourceLog => log }.toSeq.groupBy(_.source)

  def needs: Seq[RequiredFile] = for {
    (source, latest) <- ends
    there = logs.getOrElse(source, Nil)
    start = there.filter(log => log.isCompact && log.number <= latest).map(_.number).maxOption.getOrElse(0L)
    number <- FileNumbers.range(start, latest, there.size)
  } yield RequiredFile(
    there.find(_.number == number).fold(s"sources/$source/$number")(contents.nameOf),
    batchOf(source, number),
    "Spark silently skips its files")

  /** The last entry that a plan names, for each source with such a log. */
  private def ends: Seq[(Int, Long)] =
    contents.plan.toSeq.flatMap(_.sources.zipWithIndex).collect { case (Some(latest), source) => source -> latest }

  private def batchOf(source: Int, number: Long): Option[Long] = contents.plans.toSeq.sortBy(_._1).collectFirst {
    case (batch, plan) if plan.sources.lift(source).flatten.exists(_ >= number) => batch
  }

  /** Returns the problems of entries that differ from those that were written: entries of another micro-batch of the
    * log, missing entries, or changed ones.
    */
  def wrong: Map[String, String] = ends.flatMap { case (source, _) =>
    val read = contents.sourceLogs.filter(_._1.source == source)
    read.toSeq.flatMap { case (log, listed) => wrongOf(log, listed, read).map(contents.nameOf(log) -> _) }
  }.toMap

  private def wrongOf(log: SourceLog, listed: FileLogEntry, all: Map[SourceLog, FileLogEntry]): Option[String] = {
    val found = listed.entries.flatMap(_._1).toSet
    val first = if (log.isCompact) 0L else log.number
    if (found.size - 1 != log.number - first || !found.forall(number => first <= number && number <= log.number))
      Some(s"it has entries of other batches of the log than ${if (log.isCompact) s"0 to ${log.number}"
        else log.number.toString}")
    else Option.when(log.isCompact)(all.filter(_._1.number < log.number)).toSeq.flatten.collectFirst {
      case (older, those) if !those.entries.map(_._2).toSet.subsetOf(listed.entries.map(_._2).toSet) =>
        s"it does not contain the entries of '${contents.nameOf(older)}'"
    }
  }
}

private[verify] object Sources {
  def apply(contents: FolderContents): Sources = new Sources(contents)
}
