package windrow.spark.verify

import windrow.spark.verify.FileKind._

/** Finds missing files between existing ones. Old files are removed in order, so a gap means that a file was deleted.
  */
private[verify] object MissingFiles {

  /** Returns the names of the missing files, with their micro-batches. */
  def of(contents: FolderContents): Seq[(String, Option[Long])] = {
    val forms = contents.forms.values.toSeq
    val logs  = forms.collect { case SourceLog(source, number, _) => source -> number }.groupMap(_._1)(_._2)
    val changes = forms.collect { case version: Version if !version.isWhole => version }.groupBy(one =>
      (one.store.folder, one.ending))
    between(forms.collect { case Plan(number) => number }).map(n => s"offsets/$n" -> Some(n)) ++
      between(forms.collect { case Commit(number) => number }).map(n => s"commits/$n" -> Some(n)) ++
      logs.toSeq.flatMap { case (source, numbers) => between(numbers).map(n => s"sources/$source/$n" -> None) } ++
      changes.toSeq.flatMap { case ((folder, ending), versions) =>
        between(versions.map(_.number)).map(n => s"$folder$n.$ending" -> Some(n - 1))
      }
  }

  private def between(numbers: Seq[Long]): Seq[Long] =
    if (numbers.isEmpty) Nil else FileNumbers.range(numbers.min, numbers.max, numbers.size).filterNot(numbers.toSet)
}
