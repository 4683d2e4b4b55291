package windrow.spark.verify

import windrow.spark.verify.FileKind._

/** Derives findings from the files that were read and the files that are needed. Reports each file once, with its worst
  * problem.
  */
private[verify] object Findings {

  /** Returns the findings.
    *
    * @param more
    *   problems of files that follow from the contents of others
    */
  def apply(contents: FolderContents, needs: Seq[RequiredFile], more: Map[String, String]): Seq[Finding] = {
    val needed = needs.map(need => need.name -> need).toMap
    val all = missing(contents, needs) ++ unreadable(contents, needed, more ++ contents.wrong) ++
      wrongTables(contents, needed) ++ alone(contents, needed) ++ gaps(contents) ++ unsummed(contents)
    all.groupBy(_.file).values.map(of => of.find(_.isDamage).getOrElse(of.head)).toSeq.sortBy(one =>
      (!one.isDamage, one.file))
  }

  /** Returns the later findings that were also found before. The micro-batch to which a file belongs may have changed
    * in between.
    */
  def stillThere(before: Seq[Finding], now: Seq[Finding]): Seq[Finding] = {
    val known = before.map(one => (one.file, one.what)).toSet
    now.filter(one => known((one.file, one.what)))
  }

  private def missing(contents: FolderContents, needs: Seq[RequiredFile]): Seq[Finding] =
    needs.filterNot(need => contents.folder.has(need.name)).map(need =>
      Finding(need.name, need.batch, s"it is missing: ${need.loss}.", Remedy.Restore))

  private def unreadable(
      contents: FolderContents,
      needed: Map[String, RequiredFile],
      wrong: Map[String, String]): Seq[Finding] =
    wrong.toSeq.map { case (name, why) =>
      val form     = contents.forms(name)
      val isNeeded = needed.contains(name) || !isOfVersions(form)
      val sides    = ChecksumFiles.beside(contents.folder, contents.folder.get(name).get)
      val remedy =
        sides.headOption.filter(_ => why.contains(".crc")).fold(Remedy.Restore)(side => Remedy.sums(side.name))
      Finding(
        name,
        needed.get(name).flatMap(_.batch).orElse(form.batch),
        s"$why.",
        if (isNeeded) remedy else Remedy.NotNeeded,
        isNeeded)
    }

  /** Whether a file is one of several versions of which only the last ones are needed. */
  private def isOfVersions(form: FileKind): Boolean = form match {
    case _: Plan | _: Commit | _: SourceLog | _: SinkLog | _: Version | _: Table => true
    case _                                                                       => false
  }

  /** Reports tables of snapshots that are missing or have another size. */
  private def wrongTables(contents: FolderContents, needed: Map[String, RequiredFile]): Seq[Finding] = for {
    (snapshot, held) <- contents.snapshots.toSeq
    (table, size)    <- held.tables
    name  = snapshot.store.folder + table
    there = contents.folder.get(name)
    if there.forall(_.size != size)
  } yield Finding(
    name,
    snapshot.batch,
    there.fold("it is missing.")(seen => s"it has ${seen.size} bytes instead of $size."),
    if (needed.contains(name)) Remedy.Restore else Remedy.NotNeeded,
    needed.contains(name))

  /** Reports checksums of a missing file. Spark and Hadoop always delete both files. */
  private def alone(contents: FolderContents, needed: Map[String, RequiredFile]): Seq[Finding] = for {
    side <- contents.folder.all
    of   <- ChecksumFiles.of(side)
    form = contents.form(of)
    if form != Temporary && !contents.folder.has(of)
    isNeeded = needed.contains(of) || !isOfVersions(form) || isLast(contents, form)
  } yield Finding(
    of,
    form.batch,
    s"it is missing, but its checksums in '${side.name}' exist.",
    if (isNeeded) Remedy.Restore else Remedy.NotNeeded,
    isNeeded)

  private def isLast(contents: FolderContents, form: FileKind): Boolean = {
    val batches = Batches(contents)
    form match {
      case Plan(number)   => batches.last.forall(_ < number)
      case Commit(number) => batches.committed.forall(_ < number)
      case _              => false
    }
  }

  private def gaps(contents: FolderContents): Seq[Finding] = MissingFiles.of(contents).map { case (name, batch) =>
    Finding(name, batch, "it is missing, although files before and after it exist.", Remedy.NotNeeded, isDamage = false)
  }

  /** Reports files without checksums if other files have some. Their checksum file was lost, or the machine stopped
    * while the file was written.
    */
  private def unsummed(contents: FolderContents): Seq[Finding] = {
    val folder = contents.folder
    val local  = folder.all.exists(seen => seen.base.startsWith(".") && ChecksumFiles.of(seen).exists(folder.has))
    if (!local) Nil
    else
      contents.forms.keys.toSeq.flatMap(folder.get).filter(seen => ChecksumFiles.beside(folder, seen).isEmpty).map {
        seen =>
          val side = s"${seen.folder}.${seen.base}.crc"
          Finding(
            side,
            contents.forms(seen.name).batch,
            s"it is missing, but '${seen.name}' can be read without it.",
            "You do not have to do anything, but without checksums some changes are not detected.",
            isDamage = false)
      }
  }
}
